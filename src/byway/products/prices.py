"""How much is that? Numbers and prices, as people write them everywhere.

>>> price("от 4 990 руб."), price("$1,299.99")
({'amount': 4990.0, 'currency': 'RUB'}, {'amount': 1299.99, 'currency': 'USD'})
"""

import re
from functools import cache
from pkgutil import get_data

MAX_PRICE_CHARS = 200
#: Digits with what people put between them: 1,299.00 · 1.299,00 · 1 299 · 1'299 · 1,23,456.
NUMBER_PATTERN = re.compile(r"(?<![^\W\d_])[.,](?=\d+(?!\d*[.,]\d))\d+|\d(?:[\d.,'’`´·٫٬\s]*\d)?")
GROUP_SEPARATOR_PATTERN = re.compile(r"(?<=\d)[\s'’`´·٬](?=\d{3}(?!\d))")
THOUSANDS_GROUPS_PATTERN = re.compile(r"\d{1,3}(?P<mark>[.,])\d{3}(?:(?P=mark)\d{3})*")
#: A word or a sign that may be a currency: what stands around the digits.
CURRENCY_WORD_PATTERN = re.compile(r"[^\W\d_]+[$¥.]?-?|[^\w\s.,'+/-]+[^\W\d_]*")
#: A gap before cents, as in `118, 99`.
CENTS_GAP_PATTERN = re.compile(r"(?<=\d[.,])\s(?=\d\d(?!\d))")
#: Cents behind the sign, as in `35€ 99`.
TRAILING_CENTS_PATTERN = re.compile(r"(?<=\d)\s?([€$£₽])\s?(\d\d0?)\s*$")
THOUSANDS_WORD_PATTERN = re.compile(r"(?<=\d)\s?тыс(?:яч\w*|\b)", re.IGNORECASE)
THREE_DECIMAL_CURRENCIES = frozenset({"BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"})
"""Currencies whose coins are thousandths: 1.500 is one and a half."""
CURRENCY_CODE_PATTERN = re.compile(r"(?<![^\W\d_])[A-Z]{3}(?![^\W\d_])")


def parse_number(text: str) -> float | None:
    """The first number in a text like `1 299,00 ₽`; nothing when there is none."""
    found = NUMBER_PATTERN.search(text[:MAX_PRICE_CHARS])
    if not found:
        return None
    negative = text[: found.start()].rstrip().endswith(("-", "−")) and _stands_alone(text, found)
    try:
        value = float(_decimal(found.group()))
    except ValueError:
        return None
    return -value if negative else value


def parse_price(text: str, currency: str = "") -> dict[str, object] | None:
    """The amount and the currency of a price; `currency` where the text does not say."""
    text = TRAILING_CENTS_PATTERN.sub(r".\2\1", CENTS_GAP_PATTERN.sub("", text[:MAX_PRICE_CHARS]))
    said = find_currency(text) or currency
    amount = _fine(text) if said in THREE_DECIMAL_CURRENCIES else None
    amount = parse_number(text) if amount is None else amount
    if amount is None:
        return None
    if THOUSANDS_WORD_PATTERN.search(text):
        amount *= 1000
    return {"amount": abs(amount), "currency": said}


def _fine(text: str) -> float | None:
    """An amount with three digits behind its last mark, which are thousandths."""
    found = NUMBER_PATTERN.search(text)
    whole, mark, part = found.group().rpartition(".") if found else ("", "", "")
    if not mark or len(part) != 3:
        return None
    return float(re.sub(r"\D", "", whole) + mark + part)


def find_currency(text: str) -> str:
    """The ISO code of the currency that a text names by its code, sign or word."""
    text = text[:MAX_PRICE_CHARS]
    known, codes = _currencies()
    for code in CURRENCY_CODE_PATTERN.findall(text):
        if code in codes:
            return str(code)
    around = NUMBER_PATTERN.sub(" ", text).casefold()
    for word in sorted(CURRENCY_WORD_PATTERN.findall(around), key=len, reverse=True):
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
    digits = GROUP_SEPARATOR_PATTERN.sub("", digits.replace("٫", ".")).split()[0].strip("'’`´·")
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
    return bool(THOUSANDS_GROUPS_PATTERN.fullmatch(digits)) and not digits.startswith("0")


@cache
def _currencies() -> tuple[dict[str, str], frozenset[str]]:
    """The codes of currencies by their signs and words, and all codes."""
    known: dict[str, str] = {}
    codes: set[str] = set()
    text = get_data("byway.products", "currencies.txt") or b""
    for line in text.decode().splitlines():
        if not line.startswith("#"):
            code, *names = line.split()
            codes.add(code)
            known |= {name.rstrip(".") if len(name) > 2 else name: code for name in names}
    return known, frozenset(codes)
