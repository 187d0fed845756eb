"""Lookup of attribute names and values in the product vocabulary.

>>> vocabulary = default_vocabulary()
>>> vocabulary.find_attribute("Страна-производитель")
'country'
>>> vocabulary.find_values("gender", "Женская обувь")
('women',)
>>> vocabulary.find_values("colour", "бордовый")
('burgundy', 'red')

`parse.py` describes the files.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from byway.core.text import terms
from byway.products.vocabulary.parse import (
    MAX_PHRASE_TERMS,
    Attribute,
    TermPhrase,
    parse_vocabulary,
)

MAX_TEXT_CHARS = 4000


class Mention(NamedTuple):
    """A value named in a text, and the span of its terms."""

    attribute: str
    value: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class ProductVocabulary:
    """Attributes and values of products, and the words that name them."""

    attributes: Mapping[str, Attribute]
    _attribute_by_phrase: Mapping[TermPhrase, str]
    _value_by_phrase: Mapping[TermPhrase, tuple[str, str]]
    """Attributes and values by the phrases that mean them in any text."""
    _attribute_values: Mapping[str, Mapping[TermPhrase, str]]
    """The values of each attribute, by the phrases that mean them only there."""

    def find_attribute(self, name: str) -> str:
        """The attribute with this name; empty if it is unknown."""
        return self._attribute_by_phrase.get(tuple(terms(name[:100])), "")

    def find_values(self, attribute: str, text: str) -> tuple[str, ...]:
        """The values found in an attribute's text, each followed by its ancestors."""
        tokens, values = tuple(terms(text[:500])), self._attribute_values.get(attribute, {})
        matches, start = [], 0
        while values and start < len(tokens):
            lengths = range(min(MAX_PHRASE_TERMS, len(tokens) - start), 0, -1)
            length = next((n for n in lengths if tokens[start : start + n] in values), 0)
            if length:
                matches.append(values[tokens[start : start + length]])
            start += length or 1
        return self.with_ancestors(attribute, matches)

    def with_ancestors(self, attribute: str, values: Sequence[str]) -> tuple[str, ...]:
        """The values, each followed by its ancestors, without repetition."""
        definitions = self.attributes[attribute].values if attribute in self.attributes else {}
        return tuple(
            dict.fromkeys(
                name for value in values for name in definitions[value].self_and_ancestors
            )
        )

    def mentions(
        self, tokens: Sequence[str], attributes: Collection[str] = ()
    ) -> Iterator[Mention]:
        """The values named by these terms, from left to right; the longest phrase wins."""
        start = 0
        while start < len(tokens):
            mention = self._mention(tokens, start, attributes)
            if mention is not None:
                yield mention
            start = mention.end if mention is not None else start + 1

    def is_value(self, attribute: str, value: str) -> bool:
        """Whether the vocabulary has this value for an attribute."""
        return attribute in self.attributes and value in self.attributes[attribute].values

    def find_mentioned_values(self, attribute: str, text: str) -> tuple[str, ...]:
        """The values of one attribute found in any text, each followed by its ancestors."""
        mentions = self.mentions(terms(text[:MAX_TEXT_CHARS]), (attribute,))
        return self.with_ancestors(attribute, [mention.value for mention in mentions])

    def attribute_label(self, attribute: str, language: str = "en") -> str:
        """The label of an attribute."""
        known = self.attributes.get(attribute)
        return (known and known.labels.get(language)) or attribute.replace("_", " ")

    def attribute_by_name(self) -> dict[str, str]:
        """Attributes by analyzed name."""
        return {" ".join(phrase): name for phrase, name in self._attribute_by_phrase.items()}

    def value_by_spelling(self, attribute: str) -> dict[str, str]:
        """The values of an attribute by analyzed spelling."""
        values = self._attribute_values.get(attribute, {})
        return {" ".join(phrase): value for phrase, value in values.items()}

    def value_label(self, attribute: str, value: str, language: str = "en") -> str:
        """The label of a value."""
        attribute_values = self.attributes[attribute].values if attribute in self.attributes else {}
        known = attribute_values.get(value)
        return (known and known.labels.get(language)) or value

    def _mention(
        self, tokens: Sequence[str], start: int, attributes: Collection[str]
    ) -> Mention | None:
        for length in range(min(MAX_PHRASE_TERMS, len(tokens) - start), 0, -1):
            meaning = self._value_by_phrase.get(tuple(tokens[start : start + length]))
            if meaning is not None:
                if attributes and meaning[0] not in attributes:
                    return None  # "rubber boots" are not rubber: only the longest phrase counts
                attribute, value = meaning
                return Mention(attribute, value, start, start + length)
        return None


@cache
def default_vocabulary() -> ProductVocabulary:
    """The built-in vocabulary."""
    return build_vocabulary(_builtin_files())


def vocabulary_with_overrides(texts: Mapping[str, str]) -> ProductVocabulary:
    """The built-in vocabulary, overridden by the user's files (by name)."""
    return build_vocabulary(_builtin_files(), texts) if texts else default_vocabulary()


def build_vocabulary(*layers: Mapping[str, str]) -> ProductVocabulary:
    """The vocabulary built from files by name; later layers override earlier ones."""
    return ProductVocabulary(*parse_vocabulary(layers))


def _builtin_files() -> dict[str, str]:
    folder = files("byway.products.vocabulary") / "words"
    vocabulary_files = sorted(folder.iterdir(), key=lambda file: file.name)
    return {file.name: file.read_text("utf-8") for file in vocabulary_files}
