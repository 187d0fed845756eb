"""What do shops call it? Names and values of attributes, unified by the files in `vocabulary/`.

>>> ours().attribute("Страна-производитель"), ours().values("gender", "Женская обувь")
('country', ('women',))
>>> ours().values("colour", "бордовый")
('burgundy', 'red')

`parse.py` says what may be in a file.
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
    """A value that is named in a text, and between which of its terms."""

    attribute: str
    value: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class ProductVocabulary:
    """All that is known of what goods are called."""

    attributes: Mapping[str, Attribute]
    _names: Mapping[TermPhrase, str]
    _words: Mapping[TermPhrase, tuple[str, str]]
    _own: Mapping[str, Mapping[TermPhrase, str]]

    def find_attribute(self, name: str) -> str:
        """Our name for what a shop calls an attribute; nothing if it is not known."""
        return self._names.get(tuple(terms(name[:100])), "")

    def find_values(self, attribute: str, text: str) -> tuple[str, ...]:
        """The values that a text gives to an attribute, each followed by its family."""
        here, own = tuple(terms(text[:500])), self._own.get(attribute, {})
        found, start = [], 0
        while own and start < len(here):
            lengths = range(min(MAX_PHRASE_TERMS, len(here) - start), 0, -1)
            length = next((n for n in lengths if here[start : start + n] in own), 0)
            if length:
                found.append(own[here[start : start + length]])
            start += length or 1
        return self.with_ancestors(attribute, found)

    def with_ancestors(self, attribute: str, values: Sequence[str]) -> tuple[str, ...]:
        """These values, each followed by what it is a kind of, once."""
        known = self.attributes[attribute].values if attribute in self.attributes else {}
        return tuple(
            dict.fromkeys(one for value in values for one in known[value].self_and_ancestors)
        )

    def mentions(
        self, tokens: Sequence[str], attributes: Collection[str] = ()
    ) -> Iterator[Mention]:
        """The values that terms name, the longest phrase at each place, left to right."""
        start = 0
        while start < len(tokens):
            found = self._mention(tokens, start, attributes)
            if found is not None:
                yield found
            start = found.end if found is not None else start + 1

    def is_value(self, attribute: str, value: str) -> bool:
        """Is it one of our own values of an attribute?"""
        return attribute in self.attributes and value in self.attributes[attribute].values

    def find_mentioned_values(self, attribute: str, text: str) -> tuple[str, ...]:
        """The values of one attribute that are named in any text, each followed by its family."""
        found = self.mentions(terms(text[:MAX_TEXT_CHARS]), (attribute,))
        return self.with_ancestors(attribute, [mention.value for mention in found])

    def attribute_label(self, attribute: str, language: str = "en") -> str:
        """What people call an attribute."""
        known = self.attributes.get(attribute)
        return (known.russian_label if known and language == "ru" else "") or attribute.replace(
            "_", " "
        )

    def attribute_by_name(self) -> dict[str, str]:
        """Our names of attributes by what shops call them, in terms."""
        return {" ".join(phrase): name for phrase, name in self._names.items()}

    def value_by_spelling(self, attribute: str) -> dict[str, str]:
        """The values of an attribute by what shops call them, in terms."""
        return {" ".join(phrase): value for phrase, value in self._own.get(attribute, {}).items()}

    def value_label(self, attribute: str, value: str, language: str = "en") -> str:
        """What people call a value."""
        about = self.attributes.get(attribute)
        known = about.values.get(value) if about else None
        return (known.russian_label if known is not None and language == "ru" else "") or value

    def _mention(self, here: Sequence[str], start: int, only: Collection[str]) -> Mention | None:
        for length in range(min(MAX_PHRASE_TERMS, len(here) - start), 0, -1):
            found = self._words.get(tuple(here[start : start + length]))
            if found is not None:
                if only and found[0] not in only:
                    return None  # "rubber boots" are no rubber: the longest phrase is what is meant
                return Mention(*found, start, start + length)
        return None


@cache
def default_vocabulary() -> ProductVocabulary:
    """The vocabulary that comes with byway."""
    return build_vocabulary(_ours())


def vocabulary_with_overrides(texts: Mapping[str, str]) -> ProductVocabulary:
    """Ours, and over it what some files say, by their names, if there are any."""
    return build_vocabulary(_ours(), texts) if texts else default_vocabulary()


def build_vocabulary(*layers: Mapping[str, str]) -> ProductVocabulary:
    """The vocabulary in files, by their names; a later layer has the last word."""
    return ProductVocabulary(*parse_vocabulary(layers))


def _ours() -> dict[str, str]:
    folder = files("byway.products.vocabulary") / "words"
    there = sorted(folder.iterdir(), key=lambda file: file.name)
    return {each.name: each.read_text("utf-8") for each in there}
