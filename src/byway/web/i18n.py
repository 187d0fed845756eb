"""Request locale (i18n): the language of a page, negotiated from `?ui=` and Accept-Language.

The middleware sets `byway.core.messages.LANGUAGE` for the duration of a request; the texts are in
`byway.core.messages`.
"""

import re
from contextvars import ContextVar
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlencode

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from byway.core.messages import DEFAULT_LANGUAGE, languages, speaking

MAX_QUERY_STRING_BYTES = 8000
"""A longer query string is not parsed."""
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

    It has no path: a path may contain anything.
    """
    return "?" + urlencode([*REQUEST_LOCALE.get().other_params, ("ui", language)], errors="replace")


def is_foreign(language: str) -> bool:
    """True for a language that the browser does not accept."""
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

        async def send_varied(message: Message) -> None:
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
