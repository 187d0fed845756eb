"""How is one site read? A rule is a TOML file of CSS selectors; the first that matches counts.

title = "h1.name"                 # where the title is
main = "#content"                 # where the text is
drop = [".ads"]                   # what of it to leave out

[match]                           # which pages it is for; all conditions given must hold
url = '^https://shop\\.example/'  # a regular expression
css = "meta[name=generator]"      # something that is on the page

[fields.price]                    # what becomes an attribute of the document
css = ".price"
attr = "data-value"               # an attribute instead of the text
type = "number"                   # text, number or list

[fields.brand]
const = "Acme"
"""

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path
from typing import Any

import turbohtml
from turbohtml import Document, Element

from byway.errors import SettingsError
from byway.extract.dom import line
from byway.model import Url

OURS = Path(__file__).parent
TYPES = ("text", "number", "list")
MOST = 1000
"""Values of one list."""

NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
EMPTY = turbohtml.parse("")


@dataclass(frozen=True, slots=True)
class Field:
    """Where an attribute of a document comes from."""

    css: str = ""
    attr: str = ""
    type: str = "text"
    const: str | int | float | bool | None = None


@dataclass(frozen=True, slots=True)
class Rule:
    """How the pages of one site are read. A rule without conditions is for none."""

    name: str = ""
    url: re.Pattern[str] | None = None
    css: str = ""
    title: str = ""
    main: str = ""
    drop: tuple[str, ...] = ()
    fields: Mapping[str, Field] = field(default_factory=dict)

    def matches(self, url: Url, document: Document) -> bool:
        """Is it for this page?"""
        if self.url is not None and not self.url.search(url):
            return False
        if self.css:
            return document.select_one(self.css) is not None
        return self.url is not None

    def title_of(self, document: Document) -> str:
        """The page's title, where the rule says it is."""
        found = document.select_one(self.title) if self.title else None
        return line(found.text) if found is not None else ""


def values(rule: Rule, document: Document) -> dict[str, object]:
    """The attributes that a rule finds on a page."""
    found = {name: _value(field, document) for name, field in rule.fields.items()}
    return {name: value for name, value in found.items() if value not in (None, "", [])}


@lru_cache(maxsize=8)
def load(folder: Path | None = None) -> tuple[Rule, ...]:
    """All rules, those of the user's folder before ours."""
    folders = [folder, OURS] if folder else [OURS]
    return tuple(read(path) for each in folders for path in sorted(each.glob("*.toml")))


def read(path: Path) -> Rule:
    """The rule in a file, or an error that names the file, the key and the cure."""
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise SettingsError(f"{path}: {error}") from error
    _known(path, "", table, ("match", "title", "main", "drop", "fields"))
    match = _table(path, "match", table.get("match"))
    _known(path, "match.", match, ("url", "css"))
    if not match:
        raise SettingsError(f"{path}: match is missing; say which pages it is for, by url or css")
    fields = _table(path, "fields", table.get("fields", {}))
    return Rule(
        name=path.stem,
        url=_pattern(path, "match.url", match.get("url")),
        css=_selector(path, "match.css", match.get("css", "")),
        title=_selector(path, "title", table.get("title", "")),
        main=_selector(path, "main", table.get("main", "")),
        drop=tuple(_selectors(path, "drop", table.get("drop", []))),
        fields={name: _field(path, f"fields.{name}", each) for name, each in fields.items()},
    )


def _value(field: Field, document: Document) -> object:
    if field.const is not None:
        return field.const
    if field.type == "list":
        texts = (_text(field, each) for each in document.select(field.css)[:MOST])
        return list(dict.fromkeys(filter(None, texts)))
    found = document.select_one(field.css)
    text = _text(field, found) if found is not None else ""
    return number(text) if field.type == "number" else text


def _text(field: Field, element: Element) -> str:
    return line(element.attr(field.attr) if field.attr else element.text)


def number(text: str) -> float | None:
    """The number in a text like `1 299,00 ₽`; nothing when there is none."""
    digits = re.sub(r"(?<=\d)[\s'’](?=\d{3})", "", text)
    if "," in digits:
        # The last of two kinds of separator is the decimal one; `1,299` has thousands.
        decimal = "," if digits.rfind(",") > digits.rfind(".") else "."
        if decimal == "," and re.fullmatch(r"\D*\d{1,3}(,\d{3})+\D*", digits):
            decimal = "."
        digits = digits.replace("." if decimal == "," else ",", "").replace(decimal, ".")
    found = NUMBER.search(digits[:100])
    return float(found.group()) if found else None


def _field(path: Path, key: str, value: object) -> Field:
    table = _table(path, key, value)
    _known(path, f"{key}.", table, ("css", "attr", "type", "const"))
    if ("css" in table) == ("const" in table):
        raise SettingsError(f"{path}: {key} needs either css or const")
    kind = table.get("type", "text")
    if kind not in TYPES:
        raise SettingsError(f"{path}: {key}.type = {kind!r}; write one of {', '.join(TYPES)}")
    const = table.get("const")
    if const is not None and not isinstance(const, str | int | float | bool):
        raise SettingsError(f"{path}: {key}.const must be a text, a number, true or false")
    attr = table.get("attr", "")
    if not isinstance(attr, str):
        raise SettingsError(f'{path}: {key}.attr must be the name of an attribute, as "content"')
    return Field(_selector(path, f"{key}.css", table.get("css", "")), attr, kind, const)


def _known(path: Path, prefix: str, table: Mapping[str, Any], names: tuple[str, ...]) -> None:
    for name in table:
        if name not in names:
            near = get_close_matches(name, names, n=1)
            cure = f"did you mean {prefix}{near[0]}?" if near else f"known are {', '.join(names)}"
            raise SettingsError(f"{path}: unknown key {prefix}{name}; {cure}")


def _table(path: Path, key: str, value: object) -> dict[str, Any]:
    if value is None or isinstance(value, dict):
        return value or {}
    raise SettingsError(f"{path}: {key} is a table; write [{key}]")


def _pattern(path: Path, key: str, value: object) -> re.Pattern[str] | None:
    if value is None:
        return None
    if not isinstance(value, str):
        raise _not_a_text(path, key, value)
    try:
        return re.compile(value)
    except re.error as error:
        raise SettingsError(f"{path}: {key} is not a regular expression: {error}") from error


def _selectors(path: Path, key: str, value: object) -> Iterator[str]:
    if not isinstance(value, list):
        raise SettingsError(f'{path}: {key} is a list of CSS selectors; write [".a", ".b"]')
    for number, each in enumerate(value):
        yield _selector(path, f"{key}[{number}]", each)


def _selector(path: Path, key: str, value: object) -> str:
    if not isinstance(value, str):
        raise _not_a_text(path, key, value)
    try:
        if value:
            EMPTY.select(value)
    except ValueError as error:
        raise SettingsError(f"{path}: {key}: {error}") from error
    return value


def _not_a_text(path: Path, key: str, value: object) -> SettingsError:
    return SettingsError(f"{path}: {key} = {value!r} is not a text; put it in quotes")
