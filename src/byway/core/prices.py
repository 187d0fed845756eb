"""Parses numbers and prices as written in many countries.

>>> parse_price("от 4 990 руб."), parse_price("$1,299.99")
({'amount': 4990.0, 'currency': 'RUB'}, {'amount': 1299.99, 'currency': 'USD'})
"""

import re
from functools import cache
from pkgutil import get_data

MAX_PRICE_CHARS = 200
#: Digits with their separators: 1,299.00 · 1.299,00 · 1 299 · 1'299 · 1,23,456.
NUMBER_PATTERN = re.compile(r"(?<![^\W\d_])[.,](?=\d+(?!\d*[.,]\d))\d+|\d(?:[\d.,'’`´·٫٬\s]*\d)?")
GROUP_SEPARATOR_PATTERN = re.compile(r"(?<=\d)[\s'’`´·٬](?=\d{3}(?!\d))")
THOUSANDS_GROUPS_PATTERN = re.compile(r"\d{1,3}(?P<mark>[.,])\d{3}(?:(?P=mark)\d{3})*")
#: A word or sign next to the digits that may be a currency.
CURRENCY_WORD_PATTERN = re.compile(r"[^\W\d_]+[$¥.]?-?|[^\w\s.,'+/-]+[^\W\d_]*")
#: A gap before cents, as in `118, 99`.
CENTS_GAP_PATTERN = re.compile(r"(?<=\d[.,])\s(?=\d\d(?!\d))")
#: Cents after the currency sign, as in `35€ 99`.
TRAILING_CENTS_PATTERN = re.compile(r"(?<=\d)\s?([€$£₽])\s?(\d\d0?)\s*$")
THOUSANDS_WORD_PATTERN = re.compile(r"(?<=\d)\s?тыс(?:яч\w*|\b)", re.IGNORECASE)
THREE_DECIMAL_CURRENCIES = frozenset({"BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"})
"""Currencies with three decimals: 1.500 is one and a half."""
CURRENCY_CODE_PATTERN = re.compile(r"(?<![^\W\d_])[A-Z]{3}(?![^\W\d_])")


def parse_number(text: str) -> float | None:
    """The first number in a text such as `1 299,00 ₽`; None if there is none."""
    match = NUMBER_PATTERN.search(text[:MAX_PRICE_CHARS])
    if not match:
        return None
    has_dash = text[: match.start()].rstrip().endswith(("-", "−"))
    is_negative = has_dash and _is_minus(text, match)
    try:
        value = float(_decimal(match.group()))
    except ValueError:
        return None
    return -value if is_negative else value


def parse_price(text: str, currency: str = "") -> dict[str, object] | None:
    """The amount and currency of a price; `currency` is the default currency."""
    text = TRAILING_CENTS_PATTERN.sub(r".\2\1", CENTS_GAP_PATTERN.sub("", text[:MAX_PRICE_CHARS]))
    currency = find_currency(text) or currency
    amount = _three_decimal_amount(text) if currency in THREE_DECIMAL_CURRENCIES else None
    amount = parse_number(text) if amount is None else amount
    if amount is None:
        return None
    if THOUSANDS_WORD_PATTERN.search(text):
        amount *= 1000
    return {"amount": abs(amount), "currency": currency}


def _three_decimal_amount(text: str) -> float | None:
    """Parse an amount with exactly three digits after its decimal point; None if it has not."""
    match = NUMBER_PATTERN.search(text)
    whole, mark, part = match.group().rpartition(".") if match else ("", "", "")
    if not mark or len(part) != 3:
        return None
    return float(re.sub(r"\D", "", whole) + mark + part)


def find_currency(text: str) -> str:
    """The ISO 4217 code of a currency given by code, sign or word; empty if there is none."""
    text = text[:MAX_PRICE_CHARS]
    code_of, codes = _currencies()
    for code in CURRENCY_CODE_PATTERN.findall(text):
        if code in codes:
            return str(code)
    remainder = NUMBER_PATTERN.sub(" ", text).casefold()
    for word in sorted(CURRENCY_WORD_PATTERN.findall(remainder), key=len, reverse=True):
        if word in code_of or word.rstrip(".-") in code_of:
            return code_of.get(word) or code_of[word.rstrip(".-")]
        if word.upper() in codes:
            return str(word.upper())
    return next((code_of[sign] for sign in remainder if sign in code_of and not sign.isalnum()), "")


def _is_minus(text: str, match: re.Match[str]) -> bool:
    """Whether the dash before a number is a minus sign, not a hyphen or part of a range."""
    before = text[: match.start()].rstrip()[:-1]
    return not before or before[-1].isspace() or before[-1] in "($€£"


def _decimal(digits: str) -> str:
    """Digits with a decimal point and no other separators."""
    digits = GROUP_SEPARATOR_PATTERN.sub("", digits.replace("٫", ".")).split()[0].strip("'’`´·")
    marks = [mark for mark in digits if mark in ".,"]
    if len(set(marks)) == 2:
        # If there are two different separators, the last is the decimal one.
        whole, _, part = digits.rpartition(marks[-1])
        return re.sub(r"[.,]", "", whole) + "." + part
    if marks and (len(marks) > 1 or _are_thousands(digits)):
        return re.sub(r"[.,]", "", digits)
    return digits.replace(",", ".")


def _are_thousands(digits: str) -> bool:
    """Whether all separators are thousands separators, as in `1,299` but not 0.125."""
    return bool(THOUSANDS_GROUPS_PATTERN.fullmatch(digits)) and not digits.startswith("0")


@cache
def _currencies() -> tuple[dict[str, str], frozenset[str]]:
    """Currency codes by sign and word, and all codes."""
    code_by_name: dict[str, str] = {}
    codes: set[str] = set()
    text = get_data("byway.core", "currencies.txt") or b""
    for line in text.decode().splitlines():
        if not line.startswith("#"):
            code, *names = line.split()
            codes.add(code)
            code_by_name |= {name.rstrip(".") if len(name) > 2 else name: code for name in names}
    return code_by_name, frozenset(codes)
