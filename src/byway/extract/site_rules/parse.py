"""What does a rule's file say? Every mistake in it is told with its file, its line and the cure."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import turbohtml

from byway.core.errors import SettingsError, UrlError
from byway.core.url import host_of, normalize
from byway.extract.site_rules.rule import DOCUMENT_FIELDS, SiteRule, SiteRuleField

RULE_KEYS = ("title", "main", "drop", "match", "links", "fields")
MATCH_KEYS = ("host", "url", "css")
LINK_KEYS = ("follow", "skip", "always")
FIELD_KEYS = ("css", "attr", "pattern", "type", "list", "split", "currency", "const")
FIELD_TYPES = ("text", "number", "price", "date")
DATE_FIELDS = ("published", "modified")
"""Fields of the document that are days, whatever a rule says."""

EMPTY_TREE = turbohtml.parse("")
TABLE_HEADER_PATTERN = re.compile(r"\s*\[\s*([^\[\]]+?)\s*\]")
KEY_PATTERN = re.compile(r"""\s*([\w."' -]+?)\s*=""")
NOT_A_HOST_PATTERN = re.compile(r"[/?#@*]|^\.")
"""What no host has, though a URL or a pattern of hosts may."""
TOML_POSITION_PATTERN = re.compile(r"\(at line (\d+), column \d+\)|\(at end of document\)")


def read_rule(path: Path, name: str = "", source: str = "") -> SiteRule:
    """The rule in a file."""
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise SettingsError(f"{path}, line {line}: not UTF-8; save the file as UTF-8") from error
    except IsADirectoryError as error:
        raise SettingsError(f"{path} is a folder; rules are files, so call it otherwise") from error
    except OSError as error:
        raise SettingsError(f"{path}: {error.strerror}") from error
    return parse_rule(text, str(path), name or path.stem, source or str(path))


def parse_rule(text: str, path: str, name: str, source: str) -> SiteRule:
    """The rule in a text that comes from the file `path`."""
    file = _RuleFile(path, text)
    table = file.table()
    file.check_keys("", table, RULE_KEYS)
    match = file.subtable("match", table.get("match", {}))
    file.check_keys("match", match, MATCH_KEYS)
    if not match:
        raise file.error(
            "match", "is missing; say which pages the rule is for, by host, url or css"
        )
    for key, value in match.items():
        file.check_not_empty(f"match.{key}", value)
    links = file.subtable("links", table.get("links", {}))
    file.check_keys("links", links, LINK_KEYS)
    fields = file.subtable("fields", table.get("fields", {}))
    return SiteRule(
        name=name,
        source=source,
        hosts=file.hosts("match.host", match.get("host", [])),
        urls=file.patterns("match.url", match.get("url", [])),
        css=",".join(file.selectors("match.css", match.get("css", []))),
        title=",".join(file.selectors("title", table.get("title", []))),
        main=",".join(file.selectors("main", table.get("main", []))),
        drop=file.selectors("drop", table.get("drop", [])),
        follow=file.patterns("links.follow", links.get("follow", [])),
        skip=file.patterns("links.skip", links.get("skip", [])),
        always=",".join(file.selectors("links.always", links.get("always", []))),
        fields={key: _field(file, key, value) for key, value in fields.items()},
    )


def _field(file: "_RuleFile", name: str, value: object) -> SiteRuleField:
    key = f"fields.{name}"
    table = file.subtable(key, value)
    file.check_keys(key, table, FIELD_KEYS)
    if ("css" in table) == ("const" in table):
        raise file.error(key, 'needs either css = "..." or const = "..."')
    kind = table.get("type", "date" if name in DATE_FIELDS else "text")
    if kind not in FIELD_TYPES:
        raise file.error(f"{key}.type", f"= {kind!r}; write one of {', '.join(FIELD_TYPES)}")
    if name in DATE_FIELDS and (kind != "date" or table.get("list")):
        raise file.error(f"{key}.type", 'is the day of a document; write type = "date"')
    const = table.get("const")
    if const is not None and not isinstance(const, str | int | float | bool | list):
        raise file.error(f"{key}.const", "must be a text, a number, true, false or a list of them")
    several = table.get("list", name == "breadcrumbs")
    if not isinstance(several, bool):
        raise file.error(f"{key}.list", "is true or false, without quotes")
    if table.get("split") and not several:
        raise file.error(f"{key}.split", "is for lists; write list = true, too, or leave it out")
    patterns = file.patterns(f"{key}.pattern", table.get("pattern", []))
    return SiteRuleField(
        css=file.selectors(f"{key}.css", table.get("css", [])),
        attr=file.text_of(f"{key}.attr", table.get("attr", "")),
        pattern=patterns[0] if patterns else None,
        type=kind if name not in DOCUMENT_FIELDS or name in DATE_FIELDS else "text",
        list=several,
        split=file.text_of(f"{key}.split", table.get("split", "")),
        currency=file.text_of(f"{key}.currency", table.get("currency", "")),
        const=const,
    )


@dataclass(frozen=True, slots=True)
class _RuleFile:
    """A file, to be checked key by key."""

    path: str
    text: str

    def table(self) -> dict[str, Any]:
        try:
            return tomllib.loads(self.text)
        except tomllib.TOMLDecodeError as error:
            found = TOML_POSITION_PATTERN.search(str(error))
            number = found.group(1) if found else None
            last = number or self.text.count("\n") + 1
            said = TOML_POSITION_PATTERN.sub("", str(error)).strip()
            raise SettingsError(f"{self.path}, line {last}: not TOML: {said}") from error

    def error(self, key: str, why: str, value: object = None) -> SettingsError:
        """The error that a key is wrong, with the line it is in."""
        return SettingsError(f"{self.path}, line {self._line(key, value)}: {key} {why}")

    def check_keys(self, prefix: str, table: Mapping[str, Any], names: tuple[str, ...]) -> None:
        for name in table:
            if name not in names:
                key = f"{prefix}.{name}" if prefix else name
                near = get_close_matches(name, names, n=1)
                cure = f"did you mean {near[0]}?" if near else f"known are {', '.join(names)}"
                raise self.error(key, f"is not a key of rules; {cure}")

    def subtable(self, key: str, value: object) -> dict[str, Any]:
        if isinstance(value, dict):
            return value
        raise self.error(key, f"is a table; write [{key}]")

    def text_of(self, key: str, value: object) -> str:
        if isinstance(value, str):
            return value
        raise self.error(key, f"= {value!r} is not a text; put it in quotes", value)

    def texts(self, key: str, value: object) -> tuple[str, ...]:
        """One text or a list of them."""
        several = value if isinstance(value, list) else [value]
        return tuple(self.text_of(key, each) for each in several)

    def check_not_empty(self, key: str, value: object) -> None:
        """A condition that asks for nothing is a mistake, and not one that all pages meet."""
        if not value or (isinstance(value, list) and "" in value):
            raise self.error(key, "is empty; say which pages it stands for, or leave it out")

    def hosts(self, key: str, value: object) -> tuple[str, ...]:
        """Hosts, each in the spelling that URLs have."""
        found = []
        for each in self.texts(key, value):
            try:
                host = (
                    "" if NOT_A_HOST_PATTERN.search(each) else host_of(normalize(f"http://{each}/"))
                )
            except UrlError:
                host = ""
            if not host:
                why = f"= {each!r} is not a host; write the host alone, as shop.example"
                raise self.error(key, why, each)
            found.append(host)
        return tuple(found)

    def patterns(self, key: str, value: object) -> tuple[re.Pattern[str], ...]:
        found = []
        for each in self.texts(key, value):
            try:
                found.append(re.compile(each))
            except re.error as error:
                why = f"= {each!r} is not a regular expression: {error}"
                raise self.error(key, why, each) from error
        return tuple(found)

    def selectors(self, key: str, value: object) -> tuple[str, ...]:
        found = self.texts(key, value)
        for each in found:
            try:
                EMPTY_TREE.select(each)
            except ValueError as error:
                why = f"= {each!r} is not a CSS selector: {error}"
                raise self.error(key, why, each) from error
        return found

    def _line(self, key: str, value: object) -> int:
        """The line in which a key is set, or, if it is not there, the table it would be in."""
        table, best, key = "", 1, _plain(key)
        lines = self.text.splitlines()
        for number, text in enumerate(lines, 1):
            if header := TABLE_HEADER_PATTERN.match(text):
                table = _plain(header.group(1))
                name = table
            elif found := KEY_PATTERN.match(text):
                name = f"{table}.{_plain(found.group(1))}".lstrip(".")
            else:
                continue
            if key == name:
                return self._below(number, value, lines)
            if f"{key}.".startswith(f"{name}."):
                best = number
        return best

    def _below(self, start: int, value: object, lines: list[str]) -> int:
        """The line of one value of a list that begins in line `start`."""
        if isinstance(value, str):
            for number, text in enumerate(lines[start - 1 :], start):
                if value in text or repr(value)[1:-1] in text:
                    return number
        return start


def _plain(name: str) -> str:
    return re.sub(r"""["'\s]""", "", name)
