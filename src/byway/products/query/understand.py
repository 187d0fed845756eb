"""Which words of a query name an attribute? They become chips; all others stay words.

>>> told = understand("красные туфли 38 размера до 5000", ours())
>>> [(chip.attribute, chip.meaning) for chip in told.chips]
[('colour', 'red'), ('kind', 'shoes'), ('size', '38'), ('price', '..5000')]
>>> understand("лёгкие туфли с бантом", ours()).rest
'лёгкие бантом'

What is typed as an operator ("phrase", -word, name:value, OR, parentheses) is left alone.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from byway.core.model import Chip
from byway.core.text import terms
from byway.products.query import amounts
from byway.products.vocabulary.lookup import Vocabulary, ours

__all__ = ["Chip", "Understood", "ours", "understand"]

LONGEST = 2048
MOST_CHIPS = 12
OPERATOR = re.compile(r'-?[\w.-]*:?"[^"]*"?|[^\s()]+:\S+|(?<!\S)-\S+|[()|]|(?<!\S)(?:OR|AND)(?!\S)')
TOKEN = amounts.TOKEN
RUSSIAN = re.compile(r"[а-яё]", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Understood:
    """A query, taken apart."""

    chips: tuple[Chip, ...] = ()
    rest: str = ""
    """What was not understood, and all operators, as they were typed."""


def understand(text: str, vocabulary: Vocabulary) -> Understood:
    """The chips in a query, and the rest of it."""
    text = text[:LONGEST]
    spans: list[tuple[int, int, Chip]] = []
    for start, end in _free(text):
        spans += _chips(text, start, end, vocabulary)
    spans = spans[:MOST_CHIPS]
    chips = (_told(text, start, end, chip, vocabulary) for start, end, chip in spans)
    return Understood(tuple(chips), _rest(text, [(start, end) for start, end, _ in spans]))


def _free(text: str) -> Iterator[tuple[int, int]]:
    """The stretches of a query between its operators."""
    here = 0
    for operator in OPERATOR.finditer(text):
        yield here, operator.start()
        here = operator.end()
    yield here, len(text)


def _chips(
    text: str, start: int, end: int, vocabulary: Vocabulary
) -> Iterator[tuple[int, int, Chip]]:
    """The chips between two operators, and where their words stand."""
    tokens = list(TOKEN.finditer(text, start, end))
    here = 0
    while here < len(tokens):
        measured = amounts.read(tokens, here)
        if measured is not None:
            found, behind = measured
            yield tokens[here].start(), tokens[behind - 1].end(), Chip(*found)
        else:
            named = _named(tokens, here, vocabulary)
            behind = named[1] if named else here + 1
            if named:
                yield tokens[here].start(), tokens[behind - 1].end(), named[0]
        here = behind


def _named(
    tokens: list[re.Match[str]], here: int, vocabulary: Vocabulary
) -> tuple[Chip, int] | None:
    """The value that the words from here on name, with the name of its attribute beside them."""
    said = [terms(token.group()) for token in tokens[here : here + 6]]
    for length in range(len(said), 0, -1):
        phrase = [term for each in said[:length] for term in each]
        found = next(vocabulary.mentions(phrase), None)
        if found is None or (found.start, found.end) != (0, len(phrase)):
            continue
        use = vocabulary.attributes[found.attribute].query
        if not use:
            return None
        behind = here + length
        if behind < len(tokens) and _names(tokens[behind], found.attribute, vocabulary):
            behind += 1  # "красного цвета" is one thing
        return Chip(found.attribute, found.value, soft=use == "title"), behind
    return None


def _names(token: re.Match[str], attribute: str, vocabulary: Vocabulary) -> bool:
    return vocabulary.attribute(token.group()) == attribute


def _told(text: str, start: int, end: int, chip: Chip, vocabulary: Vocabulary) -> Chip:
    """A chip that knows the words it came from."""
    typed = text[start:end]
    russian = bool(RUSSIAN.search(text))
    currency, assumed = chip.currency, False
    if chip.attribute == "price" and not currency and russian:
        currency, assumed = amounts.assumed("ru"), True
    return Chip(
        chip.attribute,
        chip.value,
        chip.least,
        chip.most,
        chip.soft,
        currency,
        assumed,
        typed,
        _label(chip, currency, "ru" if russian else "en", vocabulary),
        " ".join(f"{text[:start]} {text[end:]}".split()),
    )


def _label(chip: Chip, currency: str, language: str, vocabulary: Vocabulary) -> str:
    if not chip.measured:
        return vocabulary.label(chip.attribute, chip.value, language)
    return f"{chip.meaning} {currency}".rstrip()


def _rest(text: str, spans: list[tuple[int, int]]) -> str:
    """The text without these stretches, and without small words outside of operators."""
    kept, here = [], 0
    for start, end in [*spans, (len(text), len(text))]:
        kept.append(text[here:start])
        here = end
    left = " ".join(kept)
    if not spans:
        return " ".join(left.split())
    operators = [each.span() for each in OPERATOR.finditer(left)]
    small = _small()
    words = [
        each.group()
        for each in re.finditer(r"\S+", left)
        if each.group().lower() not in small or any(a <= each.start() < b for a, b in operators)
    ]
    return " ".join(words)


@cache
def _small() -> frozenset[str]:
    return frozenset(amounts.told()["small"])
