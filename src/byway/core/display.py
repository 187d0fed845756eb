"""Makes values from untrusted pages safe to display: texts, links, numbers, dates and prices.

Templates escape text. These functions remove what escaping does not: control characters,
direction overrides, non-http links and non-finite numbers.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import date
from typing import Any

from byway.core.messages import decimal, t

#: Control characters and line ends become spaces; direction embeddings, overrides and isolates are
#: removed; lone surrogates become U+FFFD. The plain marks LRM, RLM and ALM stay: ordinary Arabic
#: and Hebrew text uses them, and they reverse nothing.
SANITIZE_TABLE = (
    dict.fromkeys([*range(0x20), *range(0x7F, 0xA0), 0x2028, 0x2029], " ")
    | dict.fromkeys([*range(0x202A, 0x202F), *range(0x2066, 0x206A)])
    | dict.fromkeys(range(0xD800, 0xE000), "\ufffd")
)
LANGUAGE_TAG_PATTERN = re.compile(r"[a-z]{2,3}(-[a-z0-9]{2,8})*", re.IGNORECASE)


def sanitize(text: str, strip: bool = True) -> str:
    """The text without control characters and direction overrides."""
    text = text.translate(SANITIZE_TABLE)
    return text.strip() if strip else text


def truncate(text: str, max_chars: int) -> str:
    """The text, truncated with an ellipsis if it is too long."""
    return text if len(text) <= max_chars else text[: max_chars - 1].rstrip() + "…"


def replace_surrogates(text: str) -> str:
    """The text with `?` for lone surrogates, which UTF-8 cannot encode."""
    return text.encode("utf-8", "replace").decode()


def as_encodable(value: Any) -> Any:
    """The value with `replace_surrogates` applied to every string in it."""
    if isinstance(value, str):
        return replace_surrogates(value)
    if is_dataclass(value):
        return {item.name: as_encodable(getattr(value, item.name)) for item in fields(value)}
    if isinstance(value, Mapping):
        return {as_encodable(name): as_encodable(each) for name, each in value.items()}
    return [as_encodable(each) for each in value] if isinstance(value, list | tuple) else value


def http_url(url: str) -> str:
    """The URL if it is http or https; otherwise empty."""
    return url if url.startswith(("http://", "https://")) else ""


def parse_date(text: str) -> date | None:
    """Parse a date; return None if the text is not a date."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def format_date(day: date) -> str:
    """A date such as `31 May 2024` or `31 мая 2024`."""
    return f"{day.day} {t(f'web.month.{day.month}')} {day.year}"


def format_price(amount: object, currency: str) -> str:
    """A price such as `4,990 RUB`, in Russian `4 990 RUB`; empty if the amount is not finite."""
    if not isinstance(amount, int | float) or not math.isfinite(amount):
        return ""
    text = decimal(amount, ",.0f" if f"{amount:.2f}".endswith(".00") else ",.2f")
    return f"{text}\u00a0{sanitize(currency)[:8]}".strip()


def finite_or_none(number: object) -> float | None:
    """The number if it is finite, as JSON requires; otherwise None."""
    if isinstance(number, int | float) and math.isfinite(number):
        return float(number)
    return None
