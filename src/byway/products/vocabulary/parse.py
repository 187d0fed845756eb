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

LONGEST = 6
"""Terms of a phrase."""
TABLE = ("ru", "names", "query", "text", "values")
VALUE = ("ru", "words", "also", "in", "both")
LISTS = ("names", "text", "words", "also", "both")
NAME = re.compile(r"[^\W\d_]\w*")
"""What can be typed before a colon, whatever it stands for."""
USES = ("", "filter", "title")
PLACES = ("value", "name", "category", "description")

Phrase = tuple[str, ...]
Meanings = dict[Phrase, tuple[str, str]]
"""Phrases, and the attribute and value that each means."""


@dataclass(frozen=True, slots=True)
class Attribute:
    """Something that goods have."""

    name: str
    ru: str = ""
    query: str = ""
    text: tuple[str, ...] = ()
    values: Mapping[str, "Value"] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Value:
    """One value of an attribute."""

    name: str
    ru: str = ""
    family: tuple[str, ...] = ()
    """Itself, and all that it is a kind of."""


Built = tuple[dict[str, Attribute], dict[Phrase, str], Meanings, dict[str, dict[Phrase, str]]]
"""Attributes; names; what words mean everywhere; what they mean as values of each attribute."""


def built_of(layers: Iterable[Mapping[str, str]]) -> Built:
    """What the files of each layer say, by their names."""
    told: dict[str, dict[str, Any]] = {}
    names: dict[Phrase, str] = {}
    words: Meanings = {}
    own: dict[str, dict[Phrase, str]] = {}
    for layer in layers:
        files = [_File(name, text) for name, text in layer.items()]
        here: Meanings = {}
        for file in files:
            for name, table in file.tables().items():
                _merge(told.setdefault(name, {}), table)
                names |= {file.phrase(said): name for said in [name, *table.get("names", [])]}
                for value, about in table.get("values", {}).items():
                    file.add(here, name, value, about.get("words", []))
                    said = [*about.get("words", []), *about.get("also", [])]
                    phrases = map(file.phrase, said)
                    own.setdefault(name, {}).update(dict.fromkeys(phrases, value))
        for file in files:
            file.check_families(told)
        words |= here
    return {name: _attribute(name, table) for name, table in told.items()}, names, words, own


class _File:
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

    def phrase(self, said: str) -> Phrase:
        """What somebody says, in terms."""
        found = tuple(terms(said))
        if not 0 < len(found) <= LONGEST:
            raise self._wrong(f"{said!r} has no word, or more than {LONGEST}; shorten it", said)
        return found

    def add(self, known: Meanings, name: str, value: str, said: Iterable[str]) -> None:
        """These words mean this value."""
        for one in said:
            before = known.setdefault(self.phrase(one), (name, value))
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
        if not NAME.fullmatch(name):
            raise self._wrong(f"[{name}] must be one word, of letters, digits and _", name)
        self._check_keys(f"[{name}]", table, TABLE, name)
        if table.get("query", "") not in USES or not set(table.get("text", ())) <= set(PLACES):
            places = ", ".join(PLACES)
            raise self._wrong(f"[{name}] query is filter or title; text is of {places}", name)
        values = table.get("values", {})
        if not isinstance(values, dict):
            raise self._wrong(f"[{name}] values is a table: write [{name}.values]", name)
        for value, about in values.items():
            if not isinstance(about, dict):
                raise self._wrong(f"{name}.values.{value}: write {{ words = [...] }}", value)
            self._check_keys(f"{name}.values.{value}", about, VALUE, value)

    def _check_keys(self, where: str, table: Any, known: Iterable[str], near: str) -> None:
        if not isinstance(table, dict):
            raise self._wrong(f"{where} must be a table", near)
        if strange := next((key for key in table if key not in known), ""):
            cure = f"it may have {', '.join(known)}"
            raise self._wrong(f"{where} has {strange!r}; {cure}", strange)
        for key, said in table.items():
            texts = said if key in LISTS else [said]
            fine = isinstance(texts, list) and all(isinstance(one, str) for one in texts)
            if key != "values" and not fine:
                kind = "a list of texts in quotes" if key in LISTS else "a text in quotes"
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
        value: Value(value, about.get("ru", ""), tuple(_family(told, value)))
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
