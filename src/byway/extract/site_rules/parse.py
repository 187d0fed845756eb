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
from byway.core.url import host_of, normalise
from byway.extract.site_rules.rule import OWN, Field, Rule

KEYS = ("title", "main", "drop", "match", "links", "fields")
MATCH = ("host", "url", "css")
LINKS = ("follow", "skip", "always")
FIELD = ("css", "attr", "pattern", "type", "list", "split", "currency", "const")
TYPES = ("text", "number", "price", "date")
DATES = ("published", "modified")
"""Fields of the document that are days, whatever a rule says."""

EMPTY = turbohtml.parse("")
HEADER = re.compile(r"\s*\[\s*([^\[\]]+?)\s*\]")
KEY = re.compile(r"""\s*([\w."' -]+?)\s*=""")
NO_HOST = re.compile(r"[/?#@*]|^\.")
"""What no host has, though a URL or a pattern of hosts may."""
AT = re.compile(r"\(at line (\d+), column \d+\)|\(at end of document\)")


def read(path: Path, name: str = "", source: str = "") -> Rule:
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
    return parsed(text, str(path), name or path.stem, source or str(path))


def parsed(text: str, path: str, name: str, source: str) -> Rule:
    """The rule in a text that comes from the file `path`."""
    file = _File(path, text)
    table = file.table()
    file.known("", table, KEYS)
    match = file.inner("match", table.get("match", {}))
    file.known("match", match, MATCH)
    if not match:
        raise file.wrong(
            "match", "is missing; say which pages the rule is for, by host, url or css"
        )
    for key, value in match.items():
        file.filled(f"match.{key}", value)
    links = file.inner("links", table.get("links", {}))
    file.known("links", links, LINKS)
    fields = file.inner("fields", table.get("fields", {}))
    return Rule(
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


def _field(file: "_File", name: str, value: object) -> Field:
    key = f"fields.{name}"
    table = file.inner(key, value)
    file.known(key, table, FIELD)
    if ("css" in table) == ("const" in table):
        raise file.wrong(key, 'needs either css = "..." or const = "..."')
    kind = table.get("type", "date" if name in DATES else "text")
    if kind not in TYPES:
        raise file.wrong(f"{key}.type", f"= {kind!r}; write one of {', '.join(TYPES)}")
    if name in DATES and (kind != "date" or table.get("list")):
        raise file.wrong(f"{key}.type", 'is the day of a document; write type = "date"')
    const = table.get("const")
    if const is not None and not isinstance(const, str | int | float | bool | list):
        raise file.wrong(f"{key}.const", "must be a text, a number, true, false or a list of them")
    several = table.get("list", name == "breadcrumbs")
    if not isinstance(several, bool):
        raise file.wrong(f"{key}.list", "is true or false, without quotes")
    if table.get("split") and not several:
        raise file.wrong(f"{key}.split", "is for lists; write list = true, too, or leave it out")
    patterns = file.patterns(f"{key}.pattern", table.get("pattern", []))
    return Field(
        css=file.selectors(f"{key}.css", table.get("css", [])),
        attr=file.text_of(f"{key}.attr", table.get("attr", "")),
        pattern=patterns[0] if patterns else None,
        type=kind if name not in OWN or name in DATES else "text",
        list=several,
        split=file.text_of(f"{key}.split", table.get("split", "")),
        currency=file.text_of(f"{key}.currency", table.get("currency", "")),
        const=const,
    )


@dataclass(frozen=True, slots=True)
class _File:
    """A file, to be checked key by key."""

    path: str
    text: str

    def table(self) -> dict[str, Any]:
        try:
            return tomllib.loads(self.text)
        except tomllib.TOMLDecodeError as error:
            found = AT.search(str(error))
            number = found.group(1) if found else None
            last = number or self.text.count("\n") + 1
            said = AT.sub("", str(error)).strip()
            raise SettingsError(f"{self.path}, line {last}: not TOML: {said}") from error

    def wrong(self, key: str, why: str, value: object = None) -> SettingsError:
        """The error that a key is wrong, with the line it is in."""
        return SettingsError(f"{self.path}, line {self._line(key, value)}: {key} {why}")

    def known(self, prefix: str, table: Mapping[str, Any], names: tuple[str, ...]) -> None:
        for name in table:
            if name not in names:
                key = f"{prefix}.{name}" if prefix else name
                near = get_close_matches(name, names, n=1)
                cure = f"did you mean {near[0]}?" if near else f"known are {', '.join(names)}"
                raise self.wrong(key, f"is not a key of rules; {cure}")

    def inner(self, key: str, value: object) -> dict[str, Any]:
        if isinstance(value, dict):
            return value
        raise self.wrong(key, f"is a table; write [{key}]")

    def text_of(self, key: str, value: object) -> str:
        if isinstance(value, str):
            return value
        raise self.wrong(key, f"= {value!r} is not a text; put it in quotes", value)

    def texts(self, key: str, value: object) -> tuple[str, ...]:
        """One text or a list of them."""
        several = value if isinstance(value, list) else [value]
        return tuple(self.text_of(key, each) for each in several)

    def filled(self, key: str, value: object) -> None:
        """A condition that asks for nothing is a mistake, and not one that all pages meet."""
        if not value or (isinstance(value, list) and "" in value):
            raise self.wrong(key, "is empty; say which pages it stands for, or leave it out")

    def hosts(self, key: str, value: object) -> tuple[str, ...]:
        """Hosts, each in the spelling that URLs have."""
        found = []
        for each in self.texts(key, value):
            try:
                host = "" if NO_HOST.search(each) else host_of(normalise(f"http://{each}/"))
            except UrlError:
                host = ""
            if not host:
                why = f"= {each!r} is not a host; write the host alone, as shop.example"
                raise self.wrong(key, why, each)
            found.append(host)
        return tuple(found)

    def patterns(self, key: str, value: object) -> tuple[re.Pattern[str], ...]:
        found = []
        for each in self.texts(key, value):
            try:
                found.append(re.compile(each))
            except re.error as error:
                why = f"= {each!r} is not a regular expression: {error}"
                raise self.wrong(key, why, each) from error
        return tuple(found)

    def selectors(self, key: str, value: object) -> tuple[str, ...]:
        found = self.texts(key, value)
        for each in found:
            try:
                EMPTY.select(each)
            except ValueError as error:
                why = f"= {each!r} is not a CSS selector: {error}"
                raise self.wrong(key, why, each) from error
        return found

    def _line(self, key: str, value: object) -> int:
        """The line in which a key is set, or, if it is not there, the table it would be in."""
        table, best, key = "", 1, _plain(key)
        lines = self.text.splitlines()
        for number, text in enumerate(lines, 1):
            if header := HEADER.match(text):
                table = _plain(header.group(1))
                name = table
            elif found := KEY.match(text):
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
