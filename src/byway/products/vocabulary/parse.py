"""Parser for vocabulary files (TOML): a table for each attribute, with

    ru      its Russian label, and so on for each interface language; the English one is the name
            of the table
    names   names that shops use for the attribute
    query   effect of its values in a query: "filter" (a page must have the value), "title" (or
            have the words in its title), or empty: ordinary words
    text    sources of the value, if not only the attribute itself ("value"): also the "name" of
            the product, its "category" or its "description"; the first that names a value counts
    values  each with `words` that mean it in any text, `also` words that mean it only as a value
            of this attribute, `in` its parent value, or `both` with several parents

A file adds to the attributes and values of other files. Within a layer, no word may have two
meanings; a later layer may override it.
"""

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from byway.core.errors import SettingsError
from byway.core.messages import DEFAULT_LANGUAGE, Message, languages
from byway.core.text import terms

MAX_PHRASE_TERMS = 6
"""Maximum number of terms in a phrase."""
LABEL_KEYS = tuple(code for code in languages() if code != DEFAULT_LANGUAGE)
"""Interface languages with labels; the English label of a value is its name."""
ATTRIBUTE_KEYS = (*LABEL_KEYS, "names", "query", "text", "values")
VALUE_KEYS = (*LABEL_KEYS, "words", "also", "in", "both")
LIST_KEYS = ("names", "text", "words", "also", "both")
ATTRIBUTE_NAME_PATTERN = re.compile(r"[^\W\d_]\w*")
"""Attribute names that can be typed before a colon in a query."""
QUERY_USES = ("", "filter", "title")
VALUE_SOURCES = ("value", "name", "category", "description")

TermPhrase = tuple[str, ...]
ValueByPhrase = dict[TermPhrase, tuple[str, str]]
"""Attribute and value by phrase."""


@dataclass(frozen=True, slots=True)
class Attribute:
    """An attribute of products."""

    name: str
    labels: Mapping[str, str] = field(default_factory=dict)
    """Labels by language, except English."""
    query_use: str = ""
    value_sources: tuple[str, ...] = ()
    values: Mapping[str, "AttributeValue"] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class AttributeValue:
    """One value of an attribute."""

    name: str
    labels: Mapping[str, str] = field(default_factory=dict)
    """Labels by language, except English."""
    self_and_ancestors: tuple[str, ...] = ()
    """The value itself, then its ancestors."""


VocabularyTables = tuple[
    dict[str, Attribute], dict[TermPhrase, str], ValueByPhrase, dict[str, dict[TermPhrase, str]]
]
"""Attributes; attribute names; meanings of phrases in any text, and as values of each attribute."""


def parse_vocabulary(layers: Iterable[Mapping[str, str]]) -> VocabularyTables:
    """Parse the vocabulary files (by name) of all layers and merge their tables."""
    merged: dict[str, dict[str, Any]] = {}
    attribute_by_phrase: dict[TermPhrase, str] = {}
    value_by_phrase: ValueByPhrase = {}
    attribute_values: dict[str, dict[TermPhrase, str]] = {}
    for layer in layers:
        files = [_VocabularyFile(name, text) for name, text in layer.items()]
        layer_words: ValueByPhrase = {}
        for file in files:
            for name, table in file.tables().items():
                _merge(merged.setdefault(name, {}), table)
                spellings = [name, *table.get("names", [])]
                attribute_by_phrase |= dict.fromkeys(map(file.parse_phrase, spellings), name)
                for value, definition in table.get("values", {}).items():
                    words = definition.get("words", [])
                    file.add_words(layer_words, name, value, words)
                    phrases = map(file.parse_phrase, [*words, *definition.get("also", [])])
                    attribute_values.setdefault(name, {}).update(dict.fromkeys(phrases, value))
        for file in files:
            file.check_parents(merged)
        value_by_phrase |= layer_words
    attributes = {name: _attribute(name, table) for name, table in merged.items()}
    return attributes, attribute_by_phrase, value_by_phrase, attribute_values


class _VocabularyFile:
    """One vocabulary file; its errors name the line."""

    def __init__(self, name: str, text: str) -> None:
        self._name = name
        self._text = text
        self._tables: dict[str, Any] = {}

    def tables(self) -> dict[str, Any]:
        """The tables of the file, checked."""
        try:
            self._tables = tomllib.loads(self._text)
        except tomllib.TOMLDecodeError as error:
            raise SettingsError(
                "products.vocabulary_not_toml", place=self._name, reason=str(error)
            ) from error
        for name, table in self._tables.items():
            self._check(name, table)
        return self._tables

    def parse_phrase(self, text: str) -> TermPhrase:
        """A phrase as terms."""
        phrase = tuple(terms(text))
        if not 0 < len(phrase) <= MAX_PHRASE_TERMS:
            raise self._error("phrase_length", text, phrase=text, max_words=MAX_PHRASE_TERMS)
        return phrase

    def add_words(
        self, value_by_phrase: ValueByPhrase, attribute: str, value: str, words: Iterable[str]
    ) -> None:
        """Map these words to a value; a word with another meaning is an error."""
        for word in words:
            meaning = value_by_phrase.setdefault(self.parse_phrase(word), (attribute, value))
            if meaning != (attribute, value):
                first, second = " ".join(reversed(meaning)), f"{value} {attribute}"
                raise self._error("ambiguous_word", word, word=word, first=first, second=second)

    def check_parents(self, merged: Mapping[str, Any]) -> None:
        """Check that the parents of each value exist."""
        for name, table in self._tables.items():
            for value, definition in table.get("values", {}).items():
                for parent in _parents(definition):
                    if parent not in merged[name]["values"]:
                        path = f"{name}.values.{value}"
                        raise self._error("unknown_parent", value, value=path, parent=parent)

    def _check(self, name: str, table: Any) -> None:
        if not ATTRIBUTE_NAME_PATTERN.fullmatch(name):
            raise self._error("bad_attribute_name", name, name=name)
        self._check_keys(f"[{name}]", table, ATTRIBUTE_KEYS, name)
        sources = set(table.get("text", ()))
        if table.get("query", "") not in QUERY_USES or not sources <= set(VALUE_SOURCES):
            raise self._error("bad_query_or_text", name, name=name, sources=VALUE_SOURCES)
        values = table.get("values", {})
        if not isinstance(values, dict):
            raise self._error("values_not_a_table", name, name=name)
        for value, definition in values.items():
            if not isinstance(definition, dict):
                raise self._error("value_not_a_table", value, name=name, value=value)
            self._check_keys(f"{name}.values.{value}", definition, VALUE_KEYS, value)

    def _check_keys(self, name: str, table: Any, known: Sequence[str], line_text: str) -> None:
        if not isinstance(table, dict):
            raise self._error("not_a_table", line_text, name=name)
        if unknown := next((key for key in table if key not in known), ""):
            raise self._error("unknown_key", unknown, name=name, key=unknown, known=known)
        for key, value in table.items():
            texts = value if key in LIST_KEYS else [value]
            is_valid = isinstance(texts, list) and all(isinstance(text, str) for text in texts)
            if key != "values" and not is_valid:
                code = "not_a_list" if key in LIST_KEYS else "not_a_text"
                raise self._error(code, line_text, name=name, key=key)

    def _error(self, code: str, line_text: str, **params: object) -> SettingsError:
        """An error at the first line that contains `line_text`."""
        lines = enumerate(self._text.splitlines(), 1)
        number = next((number for number, line in lines if line_text in line), 0)
        place: str | Message = self._name
        if number:
            place = Message("error.products.file_line", file=self._name, line=number)
        return SettingsError(f"products.{code}", place=place, **params)


def _merge(target: dict[str, Any], source: Mapping[str, Any]) -> None:
    """Merge tables: lists are extended, nested tables are merged, strings are replaced."""
    for key, value in source.items():
        if isinstance(value, dict):
            _merge(target.setdefault(key, {}), value)
        else:
            target[key] = [*target.get(key, []), *value] if isinstance(value, list) else value


def _attribute(name: str, table: Mapping[str, Any]) -> Attribute:
    definitions = table.get("values", {})
    values = {
        value: AttributeValue(
            value, _labels(definition), tuple(_self_and_ancestors(definitions, value))
        )
        for value, definition in definitions.items()
    }
    return Attribute(
        name=name,
        labels=_labels(table),
        query_use=table.get("query", ""),
        value_sources=tuple(dict.fromkeys(table.get("text", ()))),
        values=values,
    )


def _labels(table: Mapping[str, Any]) -> dict[str, str]:
    return {language: table[language] for language in LABEL_KEYS if language in table}


def _parents(definition: Mapping[str, Any]) -> Iterator[str]:
    yield from definition.get("both", ())
    if "in" in definition:
        yield definition["in"]


def _self_and_ancestors(definitions: Mapping[str, Any], value: str) -> list[str]:
    names: list[str] = []
    queue = [value]
    while queue:
        name = queue.pop(0)
        if name not in names:
            names.append(name)
            queue += _parents(definitions[name])
    return names
