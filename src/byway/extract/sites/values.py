"""What does a piece of text mean? Numbers and prices, as people write them everywhere."""

import re
from functools import cache
from pathlib import Path

LONGEST = 200
#: Digits with what people put between them: 1,299.00 · 1.299,00 · 1 299 · 1'299 · 1,23,456.
DIGITS = re.compile(r"\d(?:[\d.,'’`´·٫٬\s]*\d)?|[.,]\d+")
APART = re.compile(r"(?<=\d)[\s'’`´·٬](?=\d{3}(?!\d))")
GROUPED = re.compile(r"\d{1,3}(?P<mark>[.,])\d{3}(?:(?P=mark)\d{3})*")
#: A word or a sign that may be a currency: what stands around the digits.
WORDS = re.compile(r"[^\W\d_]+[$¥.]?-?|[^\w\s.,'+/-]+[^\W\d_]*")
#: A gap before cents, as in `118, 99`.
CENTS = re.compile(r"(?<=\d[.,])\s(?=\d\d(?!\d))")
CODE = re.compile(r"(?<![^\W\d_])[A-Z]{3}(?![^\W\d_])")


def number(text: str) -> float | None:
    """The first number in a text like `1 299,00 ₽`; nothing when there is none."""
    found = DIGITS.search(text[:LONGEST])
    if not found:
        return None
    negative = text[: found.start()].rstrip().endswith(("-", "−")) and _stands_alone(text, found)
    try:
        value = float(_decimal(found.group()))
    except ValueError:
        return None
    return -value if negative else value


def price(text: str, currency: str = "") -> dict[str, object] | None:
    """The amount and the currency of a price; `currency` where the text does not say."""
    amount = number(CENTS.sub("", text))
    if amount is None:
        return None
    return {"amount": abs(amount), "currency": currency_of(text) or currency}


def currency_of(text: str) -> str:
    """The ISO code of the currency that a text names by its code, sign or word."""
    text = text[:LONGEST]
    known, codes = _currencies()
    for code in CODE.findall(text):
        if code in codes:
            return str(code)
    around = DIGITS.sub(" ", text).casefold()
    for word in sorted(WORDS.findall(around), key=len, reverse=True):
        if word in known or word.rstrip(".-") in known:
            return known.get(word) or known[word.rstrip(".-")]
        if word.upper() in codes:
            return str(word.upper())
    return next((known[sign] for sign in around if sign in known and not sign.isalnum()), "")


def _stands_alone(text: str, found: re.Match[str]) -> bool:
    """Is the dash before a number its sign, and no hyphen or the `from` of a range?"""
    before = text[: found.start()].rstrip()[:-1]
    return not before or before[-1].isspace() or before[-1] in "($€£"


def _decimal(digits: str) -> str:
    """Digits as Python writes them: only the decimal point is left."""
    digits = APART.sub("", digits.replace("٫", ".")).split()[0].strip("'’`´·")
    marks = [mark for mark in digits if mark in ".,"]
    if len(set(marks)) == 2:
        # The last of two kinds is the decimal one.
        whole, _, part = digits.rpartition(marks[-1])
        return re.sub(r"[.,]", "", whole) + "." + part
    if marks and (len(marks) > 1 or _are_thousands(digits)):
        return re.sub(r"[.,]", "", digits)
    return digits.replace(",", ".")


def _are_thousands(digits: str) -> bool:
    """Are there three digits behind each mark, as in `1,299`? Not in 0.125."""
    return bool(GROUPED.fullmatch(digits)) and not digits.startswith("0")


@cache
def _currencies() -> tuple[dict[str, str], frozenset[str]]:
    """The codes of currencies by their signs and words, and all codes."""
    known: dict[str, str] = {}
    codes: set[str] = set()
    text = Path(__file__).with_name("currencies.txt").read_text(encoding="utf-8")
    for line in text.splitlines():
        if not line.startswith("#"):
            code, *names = line.split()
            codes.add(code)
            known |= {name.rstrip(".") if len(name) > 2 else name: code for name in names}
    return known, frozenset(codes)
