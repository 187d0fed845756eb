"""How much, and which size? The numbers of a query: `до 5000 руб`, `under $50`, `38 размера`.

>>> read(list(TOKEN.finditer("от 3000 до 5000 руб")), 0)
(Amount(attribute='price', value='', least=3000.0, most=5000.0, soft=False, currency='RUB'), 5)
"""

import re
import tomllib
from collections.abc import Sequence
from functools import cache
from itertools import chain
from math import inf
from pkgutil import get_data
from typing import Any, NamedTuple

from byway.core.text import terms
from byway.products.prices import find_currency
from byway.products.sizes import (
    MAX_CONTINENTAL_SIZE,
    MIN_CONTINENTAL_SIZE,
    parse_letter_size,
    size_system,
)

NUMBER_PATTERN = r"\d{1,3}(?:[ \u00a0]\d{3})+(?!\d)|\d+(?:[.,]\d+)?"
ORDINAL_SUFFIX_PATTERN = r"-?(?:го|ого|му|ый|ой|й|м|th|st|nd|rd)\b"
TOKEN_PATTERN = re.compile(
    rf"(?P<number>{NUMBER_PATTERN})(?:{ORDINAL_SUFFIX_PATTERN})?|[^\W\d_]+(?:['’-][^\W\d_]+)*|[€$£₽₴¥–—-]"
)
DASHES = "-–—"
MAX_NUMBER_CHARS = 12
"""Digits."""
THOUSAND_WORDS = ("тыс", "тысяча", "тысяч", "к", "k")

Tokens = Sequence[re.Match[str]]


class Amount(NamedTuple):
    """A price or a size, as one number or a range of them."""

    attribute: str
    value: str = ""
    minimum: float = -inf
    maximum: float = inf
    soft: bool = False
    currency: str = ""


class _Number(NamedTuple):
    """A number in a query, what it is of, and which token comes behind it."""

    number: float
    currency: str
    size: str
    """The attribute that it is a size of: `size`, `size_us` ...; nothing if it is none."""
    next_token: int


def parse_amount(tokens: Tokens, start: int) -> tuple[Amount, int] | None:
    """The price or size that begins here, and which token comes behind it."""
    ways = (_between, _bound, _alone, _lettered)
    return next((found for way in ways if (found := way(tokens, start)) is not None), None)


def default_currency(language: str) -> str:
    """The currency that a bare number means in a language."""
    return str(load_query_words()["assumed"].get(language, ""))


def _between(tokens: Tokens, here: int) -> tuple[Amount, int] | None:
    """Two numbers with a word or a dash between them."""
    behind = _said(tokens, here, "between") or _said(tokens, here, "above")
    first = _number(tokens, behind or here)
    if first is None:
        return None
    dash = _token(tokens, first.next_token) in DASHES if first.next_token < len(tokens) else False
    middle = (
        first.next_token + 1 if dash else _said(tokens, first.next_token, "to") if behind else 0
    )
    last = _number(tokens, middle) if middle else None
    if last is None or (not behind and not (last.currency or last.size or first.currency)):
        return None
    return _made(min(first, last), max(first, last), last)


def _bound(tokens: Tokens, here: int) -> tuple[Amount, int] | None:
    """One number that is the least or the most."""
    below, above = _said(tokens, here, "below"), _said(tokens, here, "above")
    found = _number(tokens, below or above) if below or above else None
    if found is None:
        return None
    return _made(None if below else found, found if below else None, found)


def _alone(tokens: Tokens, here: int) -> tuple[Amount, int] | None:
    """A size by itself. A price by itself says nothing: is it too much, or too little?"""
    behind = _said(tokens, here, "size")
    found = _number(tokens, behind or here, sized=bool(behind))
    if found is None or not found.size:
        return None
    middle = _said(tokens, found.next_token, "to")
    last = _number(tokens, middle, sized=True) if middle else None
    if last is None or last.size != found.size:
        return _made(found, found, found)
    return _made(min(found, last), max(found, last), last)


def _lettered(tokens: Tokens, here: int) -> tuple[Amount, int] | None:
    """A size in letters, with the word for it before or behind: `size M`, `XL размера`."""
    behind = _said(tokens, here, "size")
    first = behind or here
    if first >= len(tokens):
        return None
    found = parse_letter_size(tokens[first].string, tokens[first].start())
    if found is None:
        return None
    spelt, end = found
    last = next((n for n in range(first, len(tokens)) if tokens[n].start() >= end), len(tokens))
    after = _said(tokens, last, "size")
    # Two letters or more mean nothing else; one may be anything.
    if not (behind or after or len(spelt) > 1):
        return None
    return Amount("size", spelt), after or last


def _made(least: _Number | None, most: _Number | None, last: _Number) -> tuple[Amount, int] | None:
    ends = [end for end in (least, most) if end is not None]
    size = next((end.size for end in ends if end.size), "")
    currency = next((end.currency for end in ends if end.currency), "")
    low = least.number if least is not None else -inf
    high = most.number if most is not None else inf
    return Amount(size or "price", "", low, high, False, "" if size else currency), last.next_token


def _number(tokens: Tokens, here: int, sized: bool = False) -> _Number | None:
    """The number here, with its currency or system before or behind it; None if it is another."""
    before = ""
    if here < len(tokens) and not tokens[here]["number"]:
        before, here = tokens[here].group(), here + 1
        if not (find_currency(before) or size_system(before)):
            return None
    if (
        here >= len(tokens)
        or not (digits := tokens[here]["number"])
        or len(digits) > MAX_NUMBER_CHARS
    ):
        return None
    number = float(re.sub(r"[ \u00a0]", "", digits).replace(",", "."))
    here += 1
    if _token(tokens, here).rstrip(".") in THOUSAND_WORDS:
        number, here = number * 1000, here + 1
    word = _token(tokens, here)
    if _said(tokens, here, "measures"):
        return None
    currency = find_currency(f"1 {word}") if word and not tokens[here]["number"] else ""
    follows = "" if currency else size_system(word)
    system = size_system(before) or follows
    behind = here + bool(currency or follows)
    more = _said(tokens, behind, "size")
    plausible = MIN_CONTINENTAL_SIZE <= number <= MAX_CONTINENTAL_SIZE or bool(system)
    if (sized or more or system) and plausible:
        return _Number(number, "", f"size_{system.lower()}" if system else "size", more or behind)
    return _Number(number, currency or find_currency(before), "", behind)


def _said(tokens: Tokens, here: int, kind: str) -> int:
    """Which token comes behind one of the phrases of a kind; 0 if none is here."""
    for length in (3, 2, 1):
        each = [terms(token.group()) for token in tokens[here : here + length]]
        said = tuple(chain.from_iterable(each))
        if len(each) == length and all(each) and said in _phrases()[kind]:
            return here + length
    return 0


def _token(tokens: Tokens, here: int) -> str:
    return tokens[here].group().lower() if here < len(tokens) else ""


@cache
def load_query_words() -> dict[str, Any]:
    """The words of query.toml."""
    return tomllib.loads((get_data("byway.products.query", "query.toml") or b"").decode())


@cache
def _phrases() -> dict[str, frozenset[tuple[str, ...]]]:
    lists = {kind: each for kind, each in load_query_words().items() if isinstance(each, list)}
    return {kind: frozenset(tuple(terms(each)) for each in said) for kind, said in lists.items()}
