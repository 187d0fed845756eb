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
from byway.products.vocabulary.lookup import ProductVocabulary, default_vocabulary

__all__ = ["Chip", "ParsedProductQuery", "default_vocabulary", "parse_product_query"]

MAX_QUERY_CHARS = 2048
MAX_CHIPS = 12
OPERATOR_PATTERN = re.compile(
    r'-?[\w.-]*:?"[^"]*"?|[^\s()]+:\S+|(?<!\S)-\S+|[()|]|(?<!\S)(?:OR|AND)(?!\S)'
)
TOKEN_PATTERN = amounts.TOKEN_PATTERN
CYRILLIC_PATTERN = re.compile(r"[а-яё]", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ParsedProductQuery:
    """A query, taken apart."""

    chips: tuple[Chip, ...] = ()
    remaining_text: str = ""
    """What was not understood, and all operators, as they were typed."""


def parse_product_query(text: str, vocabulary: ProductVocabulary) -> ParsedProductQuery:
    """The chips in a query, and the rest of it."""
    text = text[:MAX_QUERY_CHARS]
    spans: list[tuple[int, int, Chip]] = []
    for start, end in _free(text):
        spans += _chips(text, start, end, vocabulary)
    spans = spans[:MAX_CHIPS]
    chips = (_told(text, start, end, chip, vocabulary) for start, end, chip in spans)
    return ParsedProductQuery(tuple(chips), _rest(text, [(start, end) for start, end, _ in spans]))


def _free(text: str) -> Iterator[tuple[int, int]]:
    """The stretches of a query between its operators."""
    here = 0
    for operator in OPERATOR_PATTERN.finditer(text):
        yield here, operator.start()
        here = operator.end()
    yield here, len(text)


def _chips(
    text: str, start: int, end: int, vocabulary: ProductVocabulary
) -> Iterator[tuple[int, int, Chip]]:
    """The chips between two operators, and where their words stand."""
    tokens = list(TOKEN_PATTERN.finditer(text, start, end))
    here = 0
    while here < len(tokens):
        measured = amounts.parse_amount(tokens, here)
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
    tokens: list[re.Match[str]], here: int, vocabulary: ProductVocabulary
) -> tuple[Chip, int] | None:
    """The value that the words from here on name, with the name of its attribute beside them."""
    said = [terms(token.group()) for token in tokens[here : here + 6]]
    for length in range(len(said), 0, -1):
        phrase = [term for each in said[:length] for term in each]
        found = next(vocabulary.mentions(phrase), None)
        if found is None or (found.start, found.end) != (0, len(phrase)):
            continue
        use = vocabulary.attributes[found.attribute].query_use
        if not use:
            return None
        behind = here + length
        if behind < len(tokens) and _names(tokens[behind], found.attribute, vocabulary):
            behind += 1  # "красного цвета" is one thing
        return Chip(found.attribute, found.value, allow_title_match=use == "title"), behind
    return None


def _names(token: re.Match[str], attribute: str, vocabulary: ProductVocabulary) -> bool:
    return vocabulary.find_attribute(token.group()) == attribute


def _told(text: str, start: int, end: int, chip: Chip, vocabulary: ProductVocabulary) -> Chip:
    """A chip that knows the words it came from."""
    typed = text[start:end]
    russian = bool(CYRILLIC_PATTERN.search(text))
    currency, assumed = chip.currency, False
    if chip.attribute == "price" and not currency and russian:
        currency, assumed = amounts.default_currency("ru"), True
    return Chip(
        chip.attribute,
        chip.value,
        chip.minimum,
        chip.maximum,
        chip.allow_title_match,
        currency,
        assumed,
        typed,
        _label(chip, currency, "ru" if russian else "en", vocabulary),
        " ".join(f"{text[:start]} {text[end:]}".split()),
    )


def _label(chip: Chip, currency: str, language: str, vocabulary: ProductVocabulary) -> str:
    if not chip.is_numeric:
        return vocabulary.value_label(chip.attribute, chip.value, language)
    return f"{chip.filter_value} {currency}".rstrip()


def _rest(text: str, spans: list[tuple[int, int]]) -> str:
    """The text without these stretches, and without small words outside of operators."""
    kept, here = [], 0
    for start, end in [*spans, (len(text), len(text))]:
        kept.append(text[here:start])
        here = end
    left = " ".join(kept)
    if not spans:
        return " ".join(left.split())
    operators = [each.span() for each in OPERATOR_PATTERN.finditer(left)]
    small = _small()
    words = [
        each.group()
        for each in re.finditer(r"\S+", left)
        if each.group().lower() not in small or any(a <= each.start() < b for a, b in operators)
    ]
    return " ".join(words)


@cache
def _small() -> frozenset[str]:
    return frozenset(amounts.load_query_words()["small"])
