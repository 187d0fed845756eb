"""How does foreign text look on our page? Titles, URLs and snippets, made fit to be shown.

Escaping is the templates' work. Here is what escaping does not cure: text that turns its
surroundings around, links that are no links, numbers that are no numbers.
"""

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from urllib.parse import quote, unquote, urlsplit

from byway.core.media_types import HTML, document_type_of
from byway.core.messages import LANGUAGE
from byway.core.messages import text as message_text
from byway.core.model import Hit, Signal, score_shares
from byway.core.url import host_of

MAX_TITLE_CHARS = 120
MAX_HEADING_CHARS = 80
MAX_CRUMB_CHARS = 40
MAX_CRUMBS = 3
MAX_LISTED_POSITIONS = 12
"""Places in a text that are read out; the drawing has them all."""

#: Controls and line ends become spaces; embeddings, overrides and isolates of text direction go;
#: halves of surrogate pairs become U+FFFD. The plain marks LRM, RLM and ALM stay: they are letters
#: of honest Arabic and Hebrew, and turn nothing around.
SANITIZE_TABLE = (
    dict.fromkeys([*range(0x20), *range(0x7F, 0xA0), 0x2028, 0x2029], " ")
    | dict.fromkeys([*range(0x202A, 0x202F), *range(0x2066, 0x206A)])
    | dict.fromkeys(range(0xD800, 0xE000), "\ufffd")
)
LANGUAGE_TAG_PATTERN = re.compile(r"[a-z]{2,3}(-[a-z0-9]{2,8})*", re.IGNORECASE)


MIN_SIGNAL_SHARE = 0.005
"""Part of a score below which a signal has no line of its own."""


@dataclass(frozen=True, slots=True)
class SignalView:
    """A signal as it is shown: `share` is its part of the score, from -1 to 1.

    The numbers come as text: a page of results has hundreds, and templates are slow at this.
    """

    name: str
    description: str
    value: str
    weight: str
    percent: str
    bar: str
    """How long its bar is, of 100."""
    share: float


@dataclass(frozen=True, slots=True)
class HitView:
    """A hit as it is shown."""

    title: str
    href: str
    """Empty when the URL is not one that may be clicked."""
    crumbs: tuple[str, ...]
    snippet: tuple[tuple[str, bool], ...]
    kind: str
    """What it is, if not a web page: `pdf`, `plain` ..."""
    language: str
    day: date | None
    """When it was published, or else changed."""
    score: float
    signals: tuple[SignalView, ...]
    """Those that count, the most important first."""
    minor_signals: tuple[str, ...] = ()
    """The names of the others."""
    site: str = ""
    """The host, without its port."""
    url: str = ""
    more_from_host: int = 0
    headings: tuple[tuple[str, str], ...] = ()
    """What they say, and where they are."""
    match_counts: tuple[tuple[str, int], ...] = ()
    positions_path: str = ""
    """Where in the text the words stand, as lines of a drawing that is 100 wide and 8 high."""
    positions_text: str = ""
    """The same as numbers."""
    duplicate_of: str = ""
    duplicate_of_crumbs: tuple[str, ...] = ()
    price: str = ""
    icon_host: str = ""
    """The host whose favicon is shown; none if empty."""


def hit_view(hit: Hit, has_icon: Callable[[str], bool] = lambda host: False) -> HitView:
    """A hit, made fit to be shown."""
    crumbs = url_crumbs(hit.url)
    href = http_url(hit.url)
    host = host_of(hit.url) if href else ""
    reasons, without = _reasons(hit.signals)
    return HitView(
        title=truncate(sanitize(hit.title), MAX_TITLE_CHARS) or crumbs[-1],
        href=href,
        crumbs=crumbs,
        snippet=tuple((sanitize(piece, strip=False), marked) for piece, marked in hit.snippet),
        kind=""
        if document_type_of(hit.content_type) in ("", HTML)
        else sanitize(hit.content_type.rpartition("/")[2]),
        language=hit.language if LANGUAGE_TAG_PATTERN.fullmatch(hit.language) else "",
        day=parse_date(hit.iso_date),
        score=finite_or_none(hit.score) or 0.0,
        signals=reasons,
        minor_signals=without,
        site=_host(hit.url),
        url=hit.url if href else "",
        more_from_host=hit.more_from_host,
        headings=tuple(_headings(hit, href)),
        match_counts=hit.match_counts,
        positions_path="".join(f"M{0.5 + 99 * spot:.1f} 0v8" for spot in hit.match_positions),
        positions_text=", ".join(
            f"{100 * spot:.0f} %" for spot in hit.match_positions[:MAX_LISTED_POSITIONS]
        ),
        duplicate_of=http_url(hit.duplicate_of or ""),
        duplicate_of_crumbs=url_crumbs(hit.duplicate_of) if hit.duplicate_of else (),
        price=format_price(hit.product.get("price"), str(hit.product.get("currency", ""))),
        icon_host=host if host and has_icon(host) else "",
    )


def http_url(url: str) -> str:
    """The URL, if it is one that may be clicked; else nothing."""
    return url if url.startswith(("http://", "https://")) else ""


def _headings(hit: Hit, href: str) -> Iterator[tuple[str, str]]:
    base = href.partition("#")[0]
    for heading in hit.headings if base else ():
        text = truncate(sanitize(heading.text), MAX_HEADING_CHARS)
        if text:
            yield text, f"{base}#{quote(heading.anchor.encode('utf-8', 'replace'))}"


def format_price(amount: object, currency: str) -> str:
    """4,990 RUB in English, 4 990 RUB in Russian; nothing if it is no number."""
    if not isinstance(amount, int | float) or not math.isfinite(amount):
        return ""
    text = f"{amount:,.2f}".removesuffix(".00")
    if LANGUAGE.get() == "ru":
        text = text.replace(",", "\u00a0").replace(".", ",")
    return f"{text}\u00a0{sanitize(currency)[:8]}".strip()


def _host(url: str) -> str:
    try:
        return sanitize(urlsplit(url).hostname or "")
    except ValueError:
        return ""


def sanitize(text: str, strip: bool = True) -> str:
    """The text without what cannot be seen and yet does something."""
    text = text.translate(SANITIZE_TABLE)
    return text.strip() if strip else text


def url_crumbs(url: str) -> tuple[str, ...]:
    """The host and the pieces of the path, with the middle of a long path left out."""
    _, slashes, rest = url.partition("://")
    if not slashes:
        return (truncate(sanitize(url), MAX_CRUMB_CHARS),)
    path, mark, query = rest.partition("?")
    host, *pieces = path.split("/")
    pieces = [truncate(sanitize(unquote(piece)), MAX_CRUMB_CHARS) for piece in pieces if piece]
    if len(pieces) > MAX_CRUMBS:
        pieces = [pieces[0], "…", *pieces[1 - MAX_CRUMBS :]]
    if mark:
        pieces.append(truncate(sanitize(unquote("?" + query)), MAX_CRUMB_CHARS))
    return (sanitize(host), *pieces)


def truncate(text: str, max_chars: int) -> str:
    """The text, or its beginning and an ellipsis."""
    return text if len(text) <= max_chars else text[: max_chars - 1].rstrip() + "…"


def parse_date(text: str) -> date | None:
    """The day, if it is one."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def finite_or_none(number: object) -> float | None:
    """The number, if it is one that JSON can carry."""
    if isinstance(number, int | float) and math.isfinite(number):
        return float(number)
    return None


def _reasons(signals: tuple[Signal, ...]) -> tuple[tuple[SignalView, ...], tuple[str, ...]]:
    """The signals, those that count most first, and the names of those that hardly count."""
    each = list(zip(score_shares(signals), signals, strict=True))
    each.sort(key=lambda one: -abs(one[0]))
    counting = [one for one in each if abs(one[0]) >= MIN_SIGNAL_SHARE]
    reasons = tuple(_reason(signal, share) for share, signal in counting)
    return reasons, tuple(_fit(signal.name) for _, signal in each[len(counting) :])


def _reason(signal: Signal, share: float) -> SignalView:
    return SignalView(
        _fit(signal.name),
        _fit(message_text(signal.message)),
        f"{signal.value:.3g}".replace("-", "−"),
        f"{signal.weight:.3g}",
        f"{100 * share:.0f} %".replace("-", "−"),
        f"{100 * abs(share):.1f}",
        share,
    )


@lru_cache(maxsize=256)
def _fit(text: str) -> str:
    """The same few texts, again and again."""
    return sanitize(text)
