"""Parser for prices and sizes in a query: `до 5000 руб`, `under $50`, `38 размера`.

>>> chip, next_token = parse_amount(list(TOKEN_PATTERN.finditer("от 3000 до 5000 руб")), 0)
>>> chip.attribute, chip.minimum, chip.maximum, chip.unit, next_token
('price', 3000.0, 5000.0, 'RUB', 5)
"""

import re
import tomllib
from collections.abc import Sequence
from functools import cache
from itertools import chain
from math import inf
from pkgutil import get_data
from typing import Any, NamedTuple

from byway.core.model import Chip
from byway.core.prices import find_currency
from byway.core.text import terms
from byway.products.sizes import (
    MAX_CONTINENTAL_SIZE,
    MIN_CONTINENTAL_SIZE,
    parse_letter_size,
    size_system,
)

NUMBER_PATTERN = r"\d{1,3}(?:[ \u00a0\u202f]\d{3})+(?!\d)|\d+(?:[.,]\d+)?"
ORDINAL_SUFFIX_PATTERN = r"-?(?:го|ого|му|ый|ой|й|м|th|st|nd|rd)\b"
TOKEN_PATTERN = re.compile(
    rf"(?P<number>{NUMBER_PATTERN})(?:{ORDINAL_SUFFIX_PATTERN})?|[^\W\d_]+(?:['’-][^\W\d_]+)*|[€$£₽₴¥–—-]"
)
DASHES = "-–—"
MAX_NUMBER_CHARS = 12
"""Maximum length of a number in characters."""
THOUSAND_WORDS = ("тыс", "тысяча", "тысяч", "к", "k")

Tokens = Sequence[re.Match[str]]


class _Number(NamedTuple):
    """A number in a query, its currency or size attribute, and the index of the next token."""

    number: float
    currency: str
    size: str
    """The attribute of a size: `size`, `size_us` ...; empty if the number is not a size."""
    next_token: int


def parse_amount(tokens: Tokens, start: int) -> tuple[Chip, int] | None:
    """The price or size at token `start`, and the index of the next token."""
    parsers = (_range, _bound, _single_size, _letter_size)
    return next((amount for parse in parsers if (amount := parse(tokens, start)) is not None), None)


def default_currency(language: str) -> str:
    """The currency assumed for a bare number in a language; empty if there is no default."""
    return str(load_query_words()["assumed"].get(language, ""))


def _range(tokens: Tokens, start: int) -> tuple[Chip, int] | None:
    """A range: two numbers with a word or a dash between them."""
    prefix_end = _skip_phrase(tokens, start, "between") or _skip_phrase(tokens, start, "above")
    first = _number(tokens, prefix_end or start)
    if first is None:
        return None
    if first.next_token < len(tokens) and _token(tokens, first.next_token) in DASHES:
        second_start = first.next_token + 1
    else:
        second_start = _skip_phrase(tokens, first.next_token, "to") if prefix_end else 0
    last = _number(tokens, second_start) if second_start else None
    if last is None or (not prefix_end and not (last.currency or last.size or first.currency)):
        return None
    return _amount(min(first, last), max(first, last), last)


def _bound(tokens: Tokens, start: int) -> tuple[Chip, int] | None:
    """A single number that is a minimum or a maximum."""
    below, above = _skip_phrase(tokens, start, "below"), _skip_phrase(tokens, start, "above")
    number = _number(tokens, below or above) if below or above else None
    if number is None:
        return None
    return _amount(None if below else number, number if below else None, number)


def _single_size(tokens: Tokens, start: int) -> tuple[Chip, int] | None:
    """A size, or a range of sizes, without words such as `under`; a bare price is ambiguous."""
    prefix_end = _skip_phrase(tokens, start, "size")
    first = _number(tokens, prefix_end or start, is_size=bool(prefix_end))
    if first is None or not first.size:
        return None
    second_start = _skip_phrase(tokens, first.next_token, "to")
    last = _number(tokens, second_start, is_size=True) if second_start else None
    if last is None or last.size != first.size:
        return _amount(first, first, first)
    return _amount(min(first, last), max(first, last), last)


def _letter_size(tokens: Tokens, start: int) -> tuple[Chip, int] | None:
    """A letter size with the word `size` before or after it: `size M`, `XL размера`."""
    prefix_end = _skip_phrase(tokens, start, "size")
    letter_token = prefix_end or start
    if letter_token >= len(tokens):
        return None
    letter_size = parse_letter_size(tokens[letter_token].string, tokens[letter_token].start())
    if letter_size is None:
        return None
    letters, end = letter_size
    following = range(letter_token, len(tokens))
    next_token = next((n for n in following if tokens[n].start() >= end), len(tokens))
    suffix_end = _skip_phrase(tokens, next_token, "size")
    # Two or more letters are always a size; a single one may be anything.
    if not (prefix_end or suffix_end or len(letters) > 1):
        return None
    return Chip("size", letters), suffix_end or next_token


def _amount(
    lowest: _Number | None, highest: _Number | None, last: _Number
) -> tuple[Chip, int] | None:
    ends = [end for end in (lowest, highest) if end is not None]
    size = next((end.size for end in ends if end.size), "")
    currency = next((end.currency for end in ends if end.currency), "")
    chip = Chip(
        attribute=size or "price",
        minimum=lowest.number if lowest is not None else -inf,
        maximum=highest.number if highest is not None else inf,
        unit="" if size else currency,
    )
    return chip, last.next_token


def _number(tokens: Tokens, start: int, is_size: bool = False) -> _Number | None:
    """The number at `start`, with the currency or size system next to it; None if there is none."""
    prefix = ""
    if start < len(tokens) and not tokens[start]["number"]:
        prefix, start = tokens[start].group(), start + 1
        if not (find_currency(prefix) or size_system(prefix)):
            return None
    if (
        start >= len(tokens)
        or not (digits := tokens[start]["number"])
        or len(digits) > MAX_NUMBER_CHARS
    ):
        return None
    number = float(re.sub(r"[ \u00a0\u202f]", "", digits).replace(",", "."))
    end = start + 1
    if _token(tokens, end).rstrip(".") in THOUSAND_WORDS:
        number, end = number * 1000, end + 1
    word = _token(tokens, end)
    if _skip_phrase(tokens, end, "measures"):
        return None
    currency = find_currency(f"1 {word}") if word and not tokens[end]["number"] else ""
    system_after = "" if currency else size_system(word)
    system = size_system(prefix) or system_after
    end += bool(currency or system_after)
    size_word_end = _skip_phrase(tokens, end, "size")
    is_plausible = MIN_CONTINENTAL_SIZE <= number <= MAX_CONTINENTAL_SIZE or bool(system)
    if (is_size or size_word_end or system) and is_plausible:
        attribute = f"size_{system.lower()}" if system else "size"
        return _Number(number, "", attribute, size_word_end or end)
    return _Number(number, currency or find_currency(prefix), "", end)


def _skip_phrase(tokens: Tokens, start: int, kind: str) -> int:
    """The index of the token after a phrase of this kind; 0 if there is none at `start`."""
    for length in (3, 2, 1):
        token_terms = [terms(token.group()) for token in tokens[start : start + length]]
        phrase = tuple(chain.from_iterable(token_terms))
        if len(token_terms) == length and all(token_terms) and phrase in _phrases()[kind]:
            return start + length
    return 0


def _token(tokens: Tokens, index: int) -> str:
    return tokens[index].group().lower() if index < len(tokens) else ""


@cache
def load_query_words() -> dict[str, Any]:
    """The words in query.toml."""
    return tomllib.loads((get_data("byway.products.query", "query.toml") or b"").decode())


@cache
def _phrases() -> dict[str, frozenset[tuple[str, ...]]]:
    """The phrases of each kind, as terms."""
    lists = {kind: words for kind, words in load_query_words().items() if isinstance(words, list)}
    return {kind: frozenset(tuple(terms(word)) for word in words) for kind, words in lists.items()}
