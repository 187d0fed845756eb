"""Template formats: numbers, dates, durations and names in the language of the page."""

import math
from collections.abc import Mapping
from typing import Any

from byway.app.processes.process_status import process_text
from byway.core.display import format_date
from byway.core.messages import (
    LANGUAGE,
    catalogue,
    decimal,
    grouped,
    has_text,
    languages,
    size,
    state_label,
    t,
    text,
)
from byway.core.model.message import Message, Reason
from byway.core.number_format import format_timestamp
from byway.web.i18n import REQUEST_LOCALE, is_foreign, language_url


def format_rough_duration(seconds: float) -> str:
    """A rounded duration: 90 s, 5 min, 3 h."""
    if seconds < 120:
        return t("web.units.seconds", number=math.ceil(seconds))
    if seconds < 7200:
        return t("web.units.minutes", number=math.ceil(seconds / 60))
    return t("web.units.hours", number=round(seconds / 3600))


def format_elapsed(seconds: float) -> str:
    """The time a search took: 12 ms, 1.5 s."""
    if seconds < 0.001:
        return t("web.units.under_1_ms")
    if seconds < 1:
        return t("web.units.ms", number=round(seconds * 1000))
    return t("web.units.seconds", number=decimal(seconds, ".1f"))


def language_name(code: str) -> str:
    """The name of a language; its code if it has no name."""
    return _text_or(f"web.language.{code}", code)


def own_language_name(language: str) -> str:
    """The name of a language in that language."""
    return str(catalogue(language)["web.language_name"])


def type_name(content_type: str) -> str:
    """The name of a document type: `pdf`, `plain`."""
    return _text_or(f"web.type.{content_type}", content_type)


def tab_name(vertical: str) -> str:
    """The name of a vertical."""
    return _text_or(f"{vertical}.tab", vertical)


def facet_name(facet: str) -> str:
    """The name of a facet."""
    return _text_or(f"web.facet.{facet}", facet)


def reason_text(reason: Message | Mapping[str, Any]) -> str:
    """The text of a reason or diagnosis, including one read from JSON."""
    if isinstance(reason, Message):
        return text(reason)
    return text(Reason.from_plain(str(reason["code"]), reason["params"]))


def _text_or(key: str, default: str) -> str:
    return t(key) if has_text(key) else default


TEMPLATE_GLOBALS = {
    "process_text": process_text,
    "t": t,
    "language": LANGUAGE.get,
    "locale": REQUEST_LOCALE.get,
    "languages": languages,
    "own_language_name": own_language_name,
    "language_url": language_url,
    "is_foreign": is_foreign,
    "number": grouped,
    "decimal": decimal,
    "state_label": state_label,
    "size": size,
    "date": format_date,
    "timestamp": format_timestamp,
    "elapsed": format_elapsed,
    "rough_duration": format_rough_duration,
    "language_name": language_name,
    "type_name": type_name,
    "facet_name": facet_name,
    "tab_name": tab_name,
    "reason_text": reason_text,
}
"""The functions that every template can call."""
