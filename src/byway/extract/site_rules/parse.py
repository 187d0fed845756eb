"""Parser for site rule files (TOML); every error names the file, the line and a fix."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import turbohtml

from byway.core.errors import SettingsError, UrlError
from byway.core.model.document import DOCUMENT_FIELDS
from byway.core.url import host_of, normalize
from byway.extract.site_rules.rule import SiteRule, SiteRuleField

RULE_KEYS = ("title", "main", "drop", "match", "links", "fields")
MATCH_KEYS = ("host", "url", "css")
LINK_KEYS = ("follow", "skip", "always")
FIELD_KEYS = ("css", "attr", "pattern", "type", "list", "split", "currency", "const")
FIELD_TYPES = ("text", "number", "price", "date")
DATE_FIELDS = ("published", "modified")
"""Document fields that are always dates; a rule's type is ignored."""

EMPTY_TREE = turbohtml.parse("")
TABLE_HEADER_PATTERN = re.compile(r"\s*\[\s*([^\[\]]+?)\s*\]")
KEY_PATTERN = re.compile(r"""\s*([\w."' -]+?)\s*=""")
NOT_A_HOST_PATTERN = re.compile(r"[/?#@*]|^\.")
"""Characters of URLs and host patterns that cannot occur in a host."""
TOML_POSITION_PATTERN = re.compile(r"\(at line (\d+), column \d+\)|\(at end of document\)")


def read_rule(path: Path, name: str = "", source: str = "") -> SiteRule:
    """The rule in a file."""
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise SettingsError("extract.rule_not_utf8", file=str(path), line=line) from error
    except IsADirectoryError as error:
        raise SettingsError("extract.rule_is_folder", file=str(path)) from error
    except OSError as error:
        raise SettingsError(
            "extract.rule_unreadable", file=str(path), reason=error.strerror
        ) from error
    return parse_rule(text, str(path), name or path.stem, source or str(path))


def parse_rule(text: str, path: str, name: str, source: str) -> SiteRule:
    """The rule in a TOML text; errors name the file `path`."""
    file = _RuleFile(path, text)
    table = file.table()
    file.check_keys("", table, RULE_KEYS)
    match = file.subtable("match", table.get("match", {}))
    file.check_keys("match", match, MATCH_KEYS)
    if not match:
        raise file.error("rule_without_match", "match")
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
        raise file.error("rule_css_or_const", key)
    field_type = table.get("type", "date" if name in DATE_FIELDS else "text")
    if field_type not in FIELD_TYPES:
        raise file.error("rule_bad_type", f"{key}.type", value=field_type, types=FIELD_TYPES)
    if name in DATE_FIELDS and (field_type != "date" or table.get("list")):
        raise file.error("rule_date_type", f"{key}.type")
    const = table.get("const")
    if const is not None and not isinstance(const, str | int | float | bool | list):
        raise file.error("rule_bad_const", f"{key}.const")
    is_list = table.get("list", name == "breadcrumbs")
    if not isinstance(is_list, bool):
        raise file.error("rule_list_not_bool", f"{key}.list")
    if table.get("split") and not is_list:
        raise file.error("rule_split_without_list", f"{key}.split")
    patterns = file.patterns(f"{key}.pattern", table.get("pattern", []))
    return SiteRuleField(
        css=file.selectors(f"{key}.css", table.get("css", [])),
        attr=file.text_of(f"{key}.attr", table.get("attr", "")),
        pattern=patterns[0] if patterns else None,
        type=field_type if name not in DOCUMENT_FIELDS or name in DATE_FIELDS else "text",
        list=is_list,
        split=file.text_of(f"{key}.split", table.get("split", "")),
        currency=file.text_of(f"{key}.currency", table.get("currency", "")),
        const=const,
    )


@dataclass(frozen=True, slots=True)
class _RuleFile:
    """A rule file, checked key by key."""

    path: str
    text: str

    def table(self) -> dict[str, Any]:
        """The file as a table."""
        try:
            return tomllib.loads(self.text)
        except tomllib.TOMLDecodeError as error:
            position = TOML_POSITION_PATTERN.search(str(error))
            number = position.group(1) if position else None
            raise SettingsError(
                "extract.rule_not_toml",
                file=self.path,
                line=int(number) if number else self.text.count("\n") + 1,
                reason=TOML_POSITION_PATTERN.sub("", str(error)).strip(),
            ) from error

    def error(self, code: str, key: str, **params: object) -> SettingsError:
        """An error in a key or one of its values (`value`), with the line."""
        line = self._line(key, params.get("value"))
        return SettingsError(f"extract.{code}", file=self.path, line=line, key=key, **params)

    def check_keys(self, prefix: str, table: Mapping[str, Any], names: tuple[str, ...]) -> None:
        """Check that a table has only these keys."""
        for name in table:
            if name not in names:
                key = f"{prefix}.{name}" if prefix else name
                if similar := get_close_matches(name, names, n=1):
                    raise self.error("rule_misspelled_key", key, similar=similar[0])
                raise self.error("rule_unknown_key", key, known=names)

    def subtable(self, key: str, value: object) -> dict[str, Any]:
        """The value, if it is a table."""
        if isinstance(value, dict):
            return value
        raise self.error("rule_not_a_table", key)

    def text_of(self, key: str, value: object) -> str:
        """The value, if it is a string."""
        if isinstance(value, str):
            return value
        raise self.error("rule_not_a_text", key, value=value)

    def texts(self, key: str, value: object) -> tuple[str, ...]:
        """The value, if it is a string or a list of strings."""
        values = value if isinstance(value, list) else [value]
        return tuple(self.text_of(key, each) for each in values)

    def check_not_empty(self, key: str, value: object) -> None:
        """Check that a condition is not empty, so that it does not match every page."""
        if not value or (isinstance(value, list) and "" in value):
            raise self.error("rule_empty_condition", key)

    def hosts(self, key: str, value: object) -> tuple[str, ...]:
        """The value as host names, normalized as in URLs."""
        normalized = []
        for text in self.texts(key, value):
            try:
                is_host = not NOT_A_HOST_PATTERN.search(text)
                host = host_of(normalize(f"http://{text}/")) if is_host else ""
            except UrlError:
                host = ""
            if not host:
                raise self.error("rule_not_a_host", key, value=text)
            normalized.append(host)
        return tuple(normalized)

    def patterns(self, key: str, value: object) -> tuple[re.Pattern[str], ...]:
        """The value as compiled regular expressions."""
        compiled = []
        for text in self.texts(key, value):
            try:
                compiled.append(re.compile(text))
            except re.error as error:
                raise self.error("rule_bad_pattern", key, value=text, reason=str(error)) from error
        return tuple(compiled)

    def selectors(self, key: str, value: object) -> tuple[str, ...]:
        """The value as CSS selectors, checked for errors."""
        texts = self.texts(key, value)
        for text in texts:
            try:
                EMPTY_TREE.select(text)
            except ValueError as error:
                raise self.error("rule_bad_selector", key, value=text, reason=str(error)) from error
        return texts

    def _line(self, key: str, value: object) -> int:
        """The line that sets a key; if it is missing, the line that opens its table."""
        table, best, key = "", 1, _bare_key(key)
        lines = self.text.splitlines()
        for number, text in enumerate(lines, 1):
            if header := TABLE_HEADER_PATTERN.match(text):
                table = _bare_key(header.group(1))
                name = table
            elif match := KEY_PATTERN.match(text):
                name = f"{table}.{_bare_key(match.group(1))}".lstrip(".")
            else:
                continue
            if key == name:
                return self._value_line(number, value, lines)
            if f"{key}.".startswith(f"{name}."):
                best = number
        return best

    def _value_line(self, start: int, value: object, lines: list[str]) -> int:
        """The line of a value in a list that begins at line `start`."""
        if isinstance(value, str):
            for number, text in enumerate(lines[start - 1 :], start):
                if value in text or repr(value)[1:-1] in text:
                    return number
        return start


def _bare_key(name: str) -> str:
    return re.sub(r"""["'\s]""", "", name)
