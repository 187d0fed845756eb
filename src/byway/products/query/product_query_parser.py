"""Product query parser: words that name attribute values become chips; the rest remain.

>>> from byway.products.vocabulary.lookup import default_vocabulary
>>> parsed = parse_product_query("красные туфли 38 размера до 5000", default_vocabulary())
>>> [(chip.attribute, chip.filter_value) for chip in parsed.chips]
[('colour', 'red'), ('kind', 'shoes'), ('size', '38'), ('price', '..5000')]
>>> parse_product_query("лёгкие туфли с бантом", default_vocabulary()).remaining_text
'лёгкие бантом'

Operators ("phrase", -word, name:value, OR, parentheses) are left unchanged.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache

from byway.core.model import Chip
from byway.core.text import terms
from byway.core.verticals import DetectedFilters
from byway.products.query import amounts
from byway.products.vocabulary.lookup import ProductVocabulary
from byway.products.vocabulary.parse import MAX_PHRASE_TERMS

MAX_QUERY_CHARS = 2048
MAX_CHIPS = 12
OPERATOR_PATTERN = re.compile(
    r'-?[\w.-]*:?"[^"]*"?|[^\s()]+:\S+|(?<!\S)-\S+|[()|]|(?<!\S)(?:OR|AND)(?!\S)'
)
TOKEN_PATTERN = amounts.TOKEN_PATTERN
CYRILLIC_PATTERN = re.compile(r"[а-яё]", re.IGNORECASE)


def parse_product_query(text: str, vocabulary: ProductVocabulary) -> DetectedFilters:
    """The chips in a query, and its remaining text: other words and all operators, as typed."""
    text = text[:MAX_QUERY_CHARS]
    spans: list[tuple[int, int, Chip]] = []
    for start, end in _spans_between_operators(text):
        spans += _chips(text, start, end, vocabulary)
    spans = spans[:MAX_CHIPS]
    chips = (_with_text(text, start, end, chip, vocabulary) for start, end, chip in spans)
    remaining = _remaining_text(text, [(start, end) for start, end, _ in spans])
    return DetectedFilters(tuple(chips), remaining)


def _spans_between_operators(text: str) -> Iterator[tuple[int, int]]:
    position = 0
    for operator in OPERATOR_PATTERN.finditer(text):
        yield position, operator.start()
        position = operator.end()
    yield position, len(text)


def _chips(
    text: str, start: int, end: int, vocabulary: ProductVocabulary
) -> Iterator[tuple[int, int, Chip]]:
    """The chips in a span without operators: start, end and chip."""
    tokens = list(TOKEN_PATTERN.finditer(text, start, end))
    index = 0
    while index < len(tokens):
        parsed = amounts.parse_amount(tokens, index) or _value_chip(tokens, index, vocabulary)
        next_index = parsed[1] if parsed else index + 1
        if parsed:
            yield tokens[index].start(), tokens[next_index - 1].end(), parsed[0]
        index = next_index


def _value_chip(
    tokens: list[re.Match[str]], index: int, vocabulary: ProductVocabulary
) -> tuple[Chip, int] | None:
    """The attribute value at a token, including a name that follows it, and the next index."""
    token_terms = [terms(token.group()) for token in tokens[index : index + MAX_PHRASE_TERMS]]
    for length in range(len(token_terms), 0, -1):
        phrase = [term for each in token_terms[:length] for term in each]
        mention = next(vocabulary.mentions(phrase), None)
        if mention is None or (mention.start, mention.end) != (0, len(phrase)):
            continue
        use = vocabulary.attributes[mention.attribute].query_use
        if not use:
            return None
        next_index = index + length
        if next_index < len(tokens):
            next_word = tokens[next_index].group()
            # "красного цвета" is one value.
            next_index += vocabulary.find_attribute(next_word) == mention.attribute
        return Chip(mention.attribute, mention.value, allow_title_match=use == "title"), next_index
    return None


def _with_text(text: str, start: int, end: int, chip: Chip, vocabulary: ProductVocabulary) -> Chip:
    """A chip with its typed text, its label and the default currency."""
    language = "ru" if CYRILLIC_PATTERN.search(text) else "en"
    currency, is_assumed = chip.unit, False
    if chip.attribute == "price" and not currency and language == "ru":
        currency, is_assumed = amounts.default_currency(language), True
    return replace(
        chip,
        unit=currency,
        unit_assumed=is_assumed,
        typed_text=text[start:end],
        label=_label(chip, currency, language, vocabulary),
        query_without=" ".join(f"{text[:start]} {text[end:]}".split()),
    )


def _label(chip: Chip, currency: str, language: str, vocabulary: ProductVocabulary) -> str:
    if not chip.is_numeric:
        return vocabulary.value_label(chip.attribute, chip.value, language)
    return f"{chip.filter_value} {currency}".rstrip()


def _remaining_text(text: str, spans: list[tuple[int, int]]) -> str:
    """The text without these spans and without connecting words outside operators."""
    pieces, position = [], 0
    for start, end in [*spans, (len(text), len(text))]:
        pieces.append(text[position:start])
        position = end
    remaining = " ".join(pieces)
    if not spans:
        return " ".join(remaining.split())
    operators = [match.span() for match in OPERATOR_PATTERN.finditer(remaining)]
    dropped = _connecting_words()
    words = [
        match.group()
        for match in re.finditer(r"\S+", remaining)
        if match.group().lower() not in dropped
        or any(start <= match.start() < end for start, end in operators)
    ]
    return " ".join(words)


@cache
def _connecting_words() -> frozenset[str]:
    return frozenset(amounts.load_query_words()["small"])
