"""What does a file of the vocabulary say? TOML: a table for each attribute, and in it

    ru      what it is called in Russian; its English name is that of the table
    names   what shops call it
    query   what its words do in a query: "filter" (a page must have the value), "title" (or have
            the words in its title), or nothing: they are words like others
    text    where the value is looked for, if not only in the attribute itself ("value"): also in
            the "name" of the product, its "category" or its "description"; the first that names one
            counts
    values  each with `words` that mean it everywhere, `also` what means it only as a value of this
            attribute, `in` the value it is a kind of, or `both` the values it stands for

A file adds to what others say of the same attribute or value. Of one layer, no two may give a word
two meanings; a later layer may give it another.
"""

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from byway.core.errors import SettingsError
from byway.core.text import terms

MAX_PHRASE_TERMS = 6
"""Terms of a phrase."""
ATTRIBUTE_KEYS = ("ru", "names", "query", "text", "values")
VALUE_KEYS = ("ru", "words", "also", "in", "both")
LIST_KEYS = ("names", "text", "words", "also", "both")
ATTRIBUTE_NAME_PATTERN = re.compile(r"[^\W\d_]\w*")
"""What can be typed before a colon, whatever it stands for."""
QUERY_USES = ("", "filter", "title")
VALUE_SOURCES = ("value", "name", "category", "description")

TermPhrase = tuple[str, ...]
ValueByPhrase = dict[TermPhrase, tuple[str, str]]
"""Phrases, and the attribute and value that each means."""


@dataclass(frozen=True, slots=True)
class Attribute:
    """Something that goods have."""

    name: str
    russian_label: str = ""
    query_use: str = ""
    value_sources: tuple[str, ...] = ()
    values: Mapping[str, "AttributeValue"] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class AttributeValue:
    """One value of an attribute."""

    name: str
    russian_label: str = ""
    self_and_ancestors: tuple[str, ...] = ()
    """Itself, and all that it is a kind of."""


VocabularyTables = tuple[
    dict[str, Attribute], dict[TermPhrase, str], ValueByPhrase, dict[str, dict[TermPhrase, str]]
]
"""Attributes; names; what words mean everywhere; what they mean as values of each attribute."""


def parse_vocabulary(layers: Iterable[Mapping[str, str]]) -> VocabularyTables:
    """What the files of each layer say, by their names."""
    told: dict[str, dict[str, Any]] = {}
    names: dict[TermPhrase, str] = {}
    words: ValueByPhrase = {}
    own: dict[str, dict[TermPhrase, str]] = {}
    for layer in layers:
        files = [_VocabularyFile(name, text) for name, text in layer.items()]
        here: ValueByPhrase = {}
        for file in files:
            for name, table in file.tables().items():
                _merge(told.setdefault(name, {}), table)
                names |= {file.parse_phrase(said): name for said in [name, *table.get("names", [])]}
                for value, about in table.get("values", {}).items():
                    file.add_words(here, name, value, about.get("words", []))
                    said = [*about.get("words", []), *about.get("also", [])]
                    phrases = map(file.parse_phrase, said)
                    own.setdefault(name, {}).update(dict.fromkeys(phrases, value))
        for file in files:
            file.check_families(told)
        words |= here
    return {name: _attribute(name, table) for name, table in told.items()}, names, words, own


class _VocabularyFile:
    """One file, which can say where in it something is wrong."""

    def __init__(self, name: str, text: str) -> None:
        self._name = name
        self._text = text
        self._tables: dict[str, Any] = {}

    def tables(self) -> dict[str, Any]:
        """What is in it, checked."""
        try:
            self._tables = tomllib.loads(self._text)
        except tomllib.TOMLDecodeError as error:
            raise SettingsError(f"{self._name}: not TOML: {error}; mend it") from error
        for name, table in self._tables.items():
            self._check(name, table)
        return self._tables

    def parse_phrase(self, said: str) -> TermPhrase:
        """What somebody says, in terms."""
        found = tuple(terms(said))
        if not 0 < len(found) <= MAX_PHRASE_TERMS:
            raise self._wrong(
                f"{said!r} has no word, or more than {MAX_PHRASE_TERMS}; shorten it", said
            )
        return found

    def add_words(self, known: ValueByPhrase, name: str, value: str, said: Iterable[str]) -> None:
        """These words mean this value."""
        for one in said:
            before = known.setdefault(self.parse_phrase(one), (name, value))
            if before != (name, value):
                first, other = " ".join(reversed(before)), f"{value} {name}"
                cure = f"would be both {first} and {other}; take it out of one"
                raise self._wrong(f"{one!r} {cure}", one)

    def check_families(self, told: Mapping[str, Any]) -> None:
        """Is each value in others that there are?"""
        for name, table in self._tables.items():
            for value, about in table.get("values", {}).items():
                for above in _above(about):
                    if above not in told[name]["values"]:
                        message = f"{name}.values.{value} is in {above!r}, which is no value"
                        raise self._wrong(f"{message}; add it, or name another", value)

    def _check(self, name: str, table: Any) -> None:
        if not ATTRIBUTE_NAME_PATTERN.fullmatch(name):
            raise self._wrong(f"[{name}] must be one word, of letters, digits and _", name)
        self._check_keys(f"[{name}]", table, ATTRIBUTE_KEYS, name)
        if table.get("query", "") not in QUERY_USES or not set(table.get("text", ())) <= set(
            VALUE_SOURCES
        ):
            places = ", ".join(VALUE_SOURCES)
            raise self._wrong(f"[{name}] query is filter or title; text is of {places}", name)
        values = table.get("values", {})
        if not isinstance(values, dict):
            raise self._wrong(f"[{name}] values is a table: write [{name}.values]", name)
        for value, about in values.items():
            if not isinstance(about, dict):
                raise self._wrong(f"{name}.values.{value}: write {{ words = [...] }}", value)
            self._check_keys(f"{name}.values.{value}", about, VALUE_KEYS, value)

    def _check_keys(self, where: str, table: Any, known: Iterable[str], near: str) -> None:
        if not isinstance(table, dict):
            raise self._wrong(f"{where} must be a table", near)
        if strange := next((key for key in table if key not in known), ""):
            cure = f"it may have {', '.join(known)}"
            raise self._wrong(f"{where} has {strange!r}; {cure}", strange)
        for key, said in table.items():
            texts = said if key in LIST_KEYS else [said]
            fine = isinstance(texts, list) and all(isinstance(one, str) for one in texts)
            if key != "values" and not fine:
                kind = "a list of texts in quotes" if key in LIST_KEYS else "a text in quotes"
                raise self._wrong(f"{where}: {key} must be {kind}", near)

    def _wrong(self, message: str, near: str) -> SettingsError:
        """What is wrong, and in which line: the first that has these words."""
        lines = enumerate(self._text.splitlines(), 1)
        found = next((number for number, line in lines if near in line), 0)
        where = f"{self._name}, line {found}" if found else self._name
        return SettingsError(f"{where}: {message}")


def _merge(known: dict[str, Any], more: Mapping[str, Any]) -> None:
    """Add to what is known: lists grow, tables are merged, texts are said anew."""
    for key, said in more.items():
        if isinstance(said, dict):
            _merge(known.setdefault(key, {}), said)
        else:
            known[key] = [*known.get(key, []), *said] if isinstance(said, list) else said


def _attribute(name: str, table: Mapping[str, Any]) -> Attribute:
    told = table.get("values", {})
    values = {
        value: AttributeValue(value, about.get("ru", ""), tuple(_family(told, value)))
        for value, about in told.items()
    }
    places = tuple(dict.fromkeys(table.get("text", ())))
    return Attribute(name, table.get("ru", ""), table.get("query", ""), places, values)


def _above(about: Mapping[str, Any]) -> Iterator[str]:
    yield from about.get("both", ())
    if "in" in about:
        yield about["in"]


def _family(told: Mapping[str, Any], value: str) -> Iterator[str]:
    seen: list[str] = []
    waiting = [value]
    while waiting:
        one = waiting.pop(0)
        if one not in seen:
            seen.append(one)
            waiting += _above(told[one])
    return iter(seen)
