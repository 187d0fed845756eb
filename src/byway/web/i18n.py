"""Request locale (i18n): the language of a page, and the formats of its templates.

The language is negotiated from `?ui=` and Accept-Language. The middleware sets
`byway.core.messages.LANGUAGE` for the duration of a request; the texts are in
`byway.core.messages`. Numbers, dates, durations and names are formatted in that language.
"""

import math
import re
from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, urlencode

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.types import Message as AsgiMessage

from byway.app.processes.process_status import process_text
from byway.core.display import format_date
from byway.core.messages import (
    DEFAULT_LANGUAGE,
    LANGUAGE,
    Message,
    Reason,
    catalogue,
    decimal,
    grouped,
    has_text,
    languages,
    size,
    speaking,
    state_label,
    t,
    text,
)
from byway.core.number_format import format_timestamp

MAX_QUERY_STRING_BYTES = 8000
"""Maximum length of a query string; a longer one is not parsed."""
MAX_ACCEPT_LANGUAGE_CHARS = 500
MAX_ACCEPTED_LANGUAGES = 20


@dataclass(frozen=True, slots=True)
class RequestLocale:
    """The language of the page and the languages its reader accepts."""

    language: str = DEFAULT_LANGUAGE
    url_language: str = ""
    """The language given in the URL; links from this page keep it."""
    accepted_languages: frozenset[str] = frozenset((DEFAULT_LANGUAGE,))
    other_params: tuple[tuple[str, str], ...] = ()
    """The query parameters besides `ui`."""


REQUEST_LOCALE: ContextVar[RequestLocale] = ContextVar("locale", default=RequestLocale())  # noqa: B039 - frozen


def negotiate_locale(accept_language: str, query_string: str) -> RequestLocale:
    """The locale for an Accept-Language header and a query string."""
    params = _parse_query_string(query_string)
    in_url = next((value for name, value in params if name == "ui"), "")
    accepted = _accepted_languages(accept_language)
    preferred = next((code for code in accepted if code in languages()), DEFAULT_LANGUAGE)
    chosen = in_url if in_url in languages() else ""
    return RequestLocale(
        language=chosen or preferred,
        url_language=chosen,
        accepted_languages=frozenset((*accepted, chosen or preferred)),
        other_params=tuple(pair for pair in params if pair[0] != "ui"),
    )


def _accepted_languages(header: str) -> list[str]:
    """The languages of an Accept-Language header in descending order of weight; `ru-RU` is `ru`."""
    found = []
    entries = header[:MAX_ACCEPT_LANGUAGE_CHARS].split(",")[:MAX_ACCEPTED_LANGUAGES]
    for place, entry in enumerate(entries):
        tag, _, quality = entry.partition(";q=")
        if re.fullmatch(r"\s*[a-zA-Z]{2,3}(-[a-zA-Z0-9-]+)?\s*", tag):
            try:
                weight = float(quality or 1)
            except ValueError:
                weight = 0.0
            if 0 < weight <= 1:
                found.append((-weight, place, tag.strip().lower().partition("-")[0]))
    return list(dict.fromkeys(code for _, _, code in sorted(found)))


def _parse_query_string(query: str) -> list[tuple[str, str]]:
    try:
        return parse_qsl(query, max_num_fields=100) if len(query) <= MAX_QUERY_STRING_BYTES else []
    except ValueError:
        return []


def language_url(language: str) -> str:
    """A relative link to this page in another language.

    The link omits the path, which may contain anything.
    """
    return "?" + urlencode([*REQUEST_LOCALE.get().other_params, ("ui", language)], errors="replace")


def is_foreign(language: str) -> bool:
    """Whether the browser does not accept this language."""
    code = language.partition("-")[0]
    return bool(language) and code not in REQUEST_LOCALE.get().accepted_languages


class LocaleMiddleware:
    """Sets the locale and the message language of each request."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def send_varied(message: AsgiMessage) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).add_vary_header("Accept-Language")
            await send(message)

        accepted = Headers(scope=scope).get("accept-language", "")
        locale = negotiate_locale(accepted, scope["query_string"].decode("latin-1"))
        locale_token = REQUEST_LOCALE.set(locale)
        try:
            with speaking(locale.language):
                await self.app(scope, receive, send_varied)
        finally:
            REQUEST_LOCALE.reset(locale_token)


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


def type_name(document_type: str) -> str:
    """The display name of a document type such as `pdf` or `text`."""
    return _text_or(f"web.type.{document_type}", document_type)


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
