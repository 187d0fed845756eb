"""What do shops call it? Names and values of attributes, unified by the files in `vocabulary/`.

>>> ours().attribute("Страна-производитель"), ours().values("gender", "Женская обувь")
('country', ('women',))
>>> ours().values("colour", "бордовый")
('burgundy', 'red')

A file has a table for each attribute, and in it:

    ru      what it is called in Russian; its English name is that of the table
    names   what shops call it
    query   what its words do in a query: "filter" (a page must have the value), "title" (or have
            the words in its title), or nothing: they are words like others
    text    where the value is looked for, if not only in the attribute itself ("value"): also in
            the "name" of the product, its "category" or its "description"; the first that names one
            counts
    values  each with `words` that mean it everywhere, `also` what means it only as a value of this
            attribute, `in` the value it is a kind of, or `both` the values it stands for
"""

import tomllib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from byway.errors import SettingsError
from byway.text import terms

LONGEST = 6
"""Terms of a phrase; none in the files has more."""
LONGEST_TEXT = 4000
TABLE = frozenset({"ru", "names", "query", "text", "values"})
VALUE = frozenset({"ru", "words", "also", "in", "both"})
USES = ("", "filter", "title")
PLACES = ("value", "name", "category", "description")

Phrase = tuple[str, ...]


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


class Mention(NamedTuple):
    """A value that is named in a text, and between which of its terms."""

    attribute: str
    value: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """All that is known of what goods are called."""

    attributes: Mapping[str, Attribute]
    _names: Mapping[Phrase, str]
    _words: Mapping[Phrase, tuple[str, str]]
    _own: Mapping[str, Mapping[Phrase, str]]

    def attribute(self, said: str) -> str:
        """Our name for what a shop calls an attribute; nothing if it is not known."""
        return self._names.get(tuple(terms(said[:100])), "")

    def values(self, attribute: str, said: str) -> tuple[str, ...]:
        """The values that a text gives to an attribute, each followed by its family."""
        here, own = tuple(terms(said[:500])), self._own.get(attribute, {})
        found, start = [], 0
        while own and start < len(here):
            lengths = range(min(LONGEST, len(here) - start), 0, -1)
            length = next((n for n in lengths if here[start : start + n] in own), 0)
            if length:
                found.append(own[here[start : start + length]])
            start += length or 1
        return self.family(attribute, found)

    def family(self, attribute: str, values: Sequence[str]) -> tuple[str, ...]:
        """These values, each followed by what it is a kind of, once."""
        known = self.attributes[attribute].values if attribute in self.attributes else {}
        return tuple(dict.fromkeys(one for value in values for one in known[value].family))

    def mentions(self, here: Sequence[str], only: Collection[str] = ()) -> Iterator[Mention]:
        """The values that terms name, the longest phrase at each place, left to right."""
        start = 0
        while start < len(here):
            found = self._mention(here, start, only)
            if found is not None:
                yield found
            start = found.end if found is not None else start + 1

    def is_value(self, attribute: str, value: str) -> bool:
        """Is it one of our own values of an attribute?"""
        return attribute in self.attributes and value in self.attributes[attribute].values

    def named(self, attribute: str, text: str) -> tuple[str, ...]:
        """The values of one attribute that are named in any text, each followed by its family."""
        found = self.mentions(terms(text[:LONGEST_TEXT]), (attribute,))
        return self.family(attribute, [mention.value for mention in found])

    def names(self) -> dict[str, str]:
        """Our names of attributes by what shops call them, in terms."""
        return {" ".join(phrase): name for phrase, name in self._names.items()}

    def spellings(self, attribute: str) -> dict[str, str]:
        """The values of an attribute by what shops call them, in terms."""
        return {" ".join(phrase): value for phrase, value in self._own.get(attribute, {}).items()}

    def label(self, attribute: str, value: str, language: str = "en") -> str:
        """What people call a value."""
        known = self.attributes[attribute].values.get(value) if attribute else None
        return (known.ru if known is not None and language == "ru" else "") or value

    def _mention(self, here: Sequence[str], start: int, only: Collection[str]) -> Mention | None:
        for length in range(min(LONGEST, len(here) - start), 0, -1):
            found = self._words.get(tuple(here[start : start + length]))
            if found is not None:
                if only and found[0] not in only:
                    return None  # "rubber boots" are no rubber: the longest phrase is what is meant
                return Mention(*found, start, start + length)
        return None


@cache
def ours() -> Vocabulary:
    """The vocabulary that comes with byway."""
    folder = files("byway.products") / "vocabulary"
    there = sorted(folder.iterdir(), key=lambda file: file.name)
    return built({each.name: each.read_text("utf-8") for each in there})


def built(texts: Mapping[str, str]) -> Vocabulary:
    """The vocabulary in these files; later ones add to what earlier ones say."""
    attributes: dict[str, Attribute] = {}
    names: dict[Phrase, str] = {}
    words: dict[Phrase, tuple[str, str]] = {}
    own: dict[str, dict[Phrase, str]] = {}
    for file, text in texts.items():
        for name, table in _tables(file, text).items():
            _check(file, name, table)
            told = table.get("values", {})
            names |= {tuple(terms(said)): name for said in [name, *table.get("names", [])]}
            for value, about in told.items():
                for said in about.get("words", []):
                    _add(words, tuple(terms(said)), (name, value), file)
                everything = [*about.get("words", []), *about.get("also", [])]
                phrases = (tuple(terms(said)) for said in everything)
                own.setdefault(name, {}).update(dict.fromkeys(phrases, value))
            attributes[name] = _attribute(name, table, attributes.get(name))
    return Vocabulary(attributes, names, words, own)


def _tables(file: str, text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"{file}: not TOML: {error}") from error


def _check(file: str, name: str, table: Any) -> None:
    """Is everything in a table what it should be?"""
    if not isinstance(table, dict) or not set(table) <= TABLE:
        raise SettingsError(f"{file}: [{name}] may have {', '.join(sorted(TABLE))}, and no more")
    if table.get("query", "") not in USES or not set(table.get("text", ())) <= set(PLACES):
        raise SettingsError(f"{file}: [{name}] query is filter or title; text is of {PLACES}")
    told = table.get("values", {})
    for value, about in told.items():
        if not isinstance(about, dict) or not set(about) <= VALUE:
            cure = f"write {{ words = [...] }} with {', '.join(sorted(VALUE))}"
            raise SettingsError(f"{file}: {name}.values.{value}: {cure}")


def _add(
    words: dict[Phrase, tuple[str, str]], phrase: Phrase, meant: tuple[str, str], file: str
) -> None:
    known = words.setdefault(phrase, meant)
    if known != meant:
        one, other = (" ".join(reversed(each)) for each in (known, meant))
        raise SettingsError(f"{file}: {' '.join(phrase)!r} would be both {one} and {other}")


def _attribute(name: str, table: Any, known: Attribute | None) -> Attribute:
    """An attribute with what a table says of it, and what was known of it before."""
    known = known or Attribute(name)
    told = {**{key: {} for key in known.values}, **table.get("values", {})}
    fresh = {
        value: Value(value, about.get("ru", ""), tuple(_family(_sound(told, name), value)))
        for value, about in table.get("values", {}).items()
    }
    return Attribute(
        name,
        table.get("ru", known.ru),
        table.get("query", known.query),
        tuple(table.get("text", known.text)),
        {**known.values, **fresh},
    )


def _sound(told: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """The same values, each of which is in others that there are."""
    for value, about in told.items():
        for above in (*about.get("both", ()), about.get("in", value)):
            if above not in told:
                raise SettingsError(f"{name}.values.{value} is in {above!r}, which is no value")
    return told


def _family(told: Mapping[str, Any], value: str) -> Iterator[str]:
    seen: list[str] = []
    waiting = [value]
    while waiting:
        one = waiting.pop(0)
        if one not in seen:
            seen.append(one)
            about = told.get(one, {})
            waiting += [*about.get("both", ()), *filter(None, [about.get("in")])]
    return iter(seen)
