"""In which language does a page speak? That of the browser, or of `?ui=`; texts are data.

`texts/*.toml` has one file for each language. In templates, `t("results", count=3)` is a text in
the language of whoever is asking, in the form that the number needs.
"""

import math
import re
import tomllib
from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from byway.core.messages import speaking, text
from byway.core.messages import t as core_t
from byway.core.model.message import Reason

TEXTS_FOLDER = Path(__file__).parent / "texts"
TIME_UNITS = {"en": ("ms", "s"), "ru": ("мс", "с")}
MAX_QUERY_STRING_BYTES = 8000
"""Bytes behind the `?` that are looked at."""
MAX_ACCEPTED_LANGUAGES = 20
"""Languages of a browser that are looked at."""


@dataclass(frozen=True, slots=True)
class RequestLocale:
    """Who reads the page: in which language we speak to them, and which they read."""

    language: str = "en"
    url_language: str = ""
    """The language that the URL asks for, so that links from this page ask for it too."""
    accepted_languages: frozenset[str] = frozenset(("en",))
    other_params: tuple[tuple[str, str], ...] = ()
    """What else the URL asks for."""


REQUEST_LOCALE: ContextVar[RequestLocale] = ContextVar("reader", default=RequestLocale())  # noqa: B039 - frozen


@cache
def languages() -> tuple[str, ...]:
    """The languages there are texts in; English first."""
    found = sorted(path.stem for path in TEXTS_FOLDER.glob("*.toml"))
    return ("en", *(name for name in found if name != "en"))


@cache
def messages(language: str) -> Mapping[str, Any]:
    """All texts of a language."""
    return tomllib.loads((TEXTS_FOLDER / f"{language}.toml").read_text(encoding="utf-8"))


def negotiate_locale(accept_language: str, query_string: str) -> RequestLocale:
    """Who it is that sends this Accept-Language, and this behind the `?`."""
    pairs = _pairs(query_string)
    asked = next((value for name, value in pairs if name == "ui"), "")
    ordered = _ordered(accept_language)
    spoken = next((name for name in ordered if name in languages()), "en")
    chosen = asked if asked in languages() else ""
    reads = frozenset((*ordered, chosen or spoken))
    rest = tuple(pair for pair in pairs if pair[0] != "ui")
    return RequestLocale(chosen or spoken, chosen, reads, rest)


def _ordered(accepted: str) -> list[str]:
    """The languages that a browser names, the dearest first; `ru-RU` is `ru`."""
    found = []
    for place, one in enumerate(accepted[:500].split(",")[:MAX_ACCEPTED_LANGUAGES]):
        name, _, quality = one.partition(";q=")
        if re.fullmatch(r"\s*[a-zA-Z]{2,3}(-[a-zA-Z0-9-]+)?\s*", name):
            try:
                weight = float(quality or 1)
            except ValueError:
                weight = 0.0
            if 0 < weight <= 1:
                found.append((-weight, place, name.strip().lower().partition("-")[0]))
    return list(dict.fromkeys(name for _, _, name in sorted(found)))


def _pairs(query: str) -> list[tuple[str, str]]:
    try:
        return parse_qsl(query, max_num_fields=100) if len(query) <= MAX_QUERY_STRING_BYTES else []
    except ValueError:
        return []


def language_url(language: str) -> str:
    """Where this page is in another language. The path stays out of it: who knows what it says."""
    return "?" + urlencode([*REQUEST_LOCALE.get().other_params, ("ui", language)], errors="replace")


def t(key: str, count: int | None = None, **values: object) -> str:
    """The text of that name, filled in, for whoever is asking."""
    language = REQUEST_LOCALE.get().language
    template = messages(language)[key]
    if count is not None:
        values["count"] = format_number(count)
        template = template[plural_form(language, count)]
    return str(template).format(**values) if values else str(template)


def gettext(source: str, **values: object) -> str:
    """What a page says, by the English of it: other languages have theirs under `[said]`."""
    known = str(messages(REQUEST_LOCALE.get().language)["said"].get(source, source))
    return known.format(**values) if values else known


def reason_text(reason: Reason | Mapping[str, Any]) -> str:
    """A reason, or one that was JSON, in the language of the request."""
    if not isinstance(reason, Reason):
        reason = Reason.from_plain(str(reason["code"]), reason["params"])
    with speaking(REQUEST_LOCALE.get().language):
        return text(reason)


def format_duration(seconds: float) -> str:
    """About how long that is: 90 s, 5 min, 3 h."""
    for name, length, most in (("seconds", 1, 120), ("minutes", 60, 7200)):
        if seconds < most:
            return t(name, number=math.ceil(seconds / length))
    return t("hours", number=round(seconds / 3600))


def plural_form(language: str, count: int) -> str:
    """The form that a number needs: one, other; in Russian one, few, many."""
    if language != "ru":
        return "one" if count == 1 else "other"
    if count % 10 == 1 and count % 100 != 11:
        return "one"
    return "few" if count % 10 in (2, 3, 4) and count % 100 not in (12, 13, 14) else "many"


def format_number(count: int) -> str:
    """1,234 in English, 1 234 in Russian."""
    between = "\u00a0" if REQUEST_LOCALE.get().language == "ru" else ","
    return f"{count:,}".replace(",", between)


def format_date(date: date) -> str:
    """31 May 2024, 31 мая 2024"""
    month = messages(REQUEST_LOCALE.get().language)["months"][str(date.month)]
    return f"{date.day} {month} {date.year}"


def format_elapsed(seconds: float) -> str:
    """How long it took, with its unit."""
    language = REQUEST_LOCALE.get().language
    small, large = TIME_UNITS.get(language, TIME_UNITS["en"])
    if seconds < 0.001:
        return t("moments")
    return f"{round(seconds * 1000)} {small}" if seconds < 1 else f"{seconds:.1f} {large}"


def language_name(code: str) -> str:
    """What a language is called; its code when nobody told us."""
    return str(messages(REQUEST_LOCALE.get().language)["languages"].get(code, code))


def kind_name(kind: str) -> str:
    """What a kind of document is called."""
    return str(messages(REQUEST_LOCALE.get().language)["kinds"].get(kind, kind))


def facet_name(name: str) -> str:
    """What hits are counted by; an attribute of goods has the name that its pages give it."""
    return str(messages(REQUEST_LOCALE.get().language).get(f"facet_{name}", name))


def is_foreign(language: str) -> bool:
    """Is that a language the browser does not name among its own?"""
    return (
        bool(language) and language.partition("-")[0] not in REQUEST_LOCALE.get().accepted_languages
    )


TEMPLATE_GLOBALS = {
    "t": t,
    "_": gettext,
    "message_text": text,
    "core_t": core_t,
    "reason_text": reason_text,
    "lasts": format_duration,
    "number": format_number,
    "day": format_date,
    "took": format_elapsed,
    "language_name": language_name,
    "kind_name": kind_name,
    "facet_name": facet_name,
    "is_foreign": is_foreign,
    "reader": REQUEST_LOCALE.get,
    "languages": languages,
    "link_in": language_url,
    "texts": messages,
}
"""What every template may call."""


class LocaleMiddleware:
    """Finds out for each request in which language to answer."""

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
        token = REQUEST_LOCALE.set(locale)
        try:
            with speaking(locale.language):
                await self.app(scope, receive, send_varied)
        finally:
            REQUEST_LOCALE.reset(token)
