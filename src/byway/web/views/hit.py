"""Hit view: title, URL, snippet and signals of a hit, formatted and sanitized."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from urllib.parse import quote, unquote, urlsplit

from byway.core.display import (
    LANGUAGE_TAG_PATTERN,
    finite_or_none,
    http_url,
    parse_date,
    sanitize,
    truncate,
)
from byway.core.media_types import HTML, document_type_of
from byway.core.messages import decimal, t
from byway.core.messages import text as message_text
from byway.core.model import Hit, Signal, score_shares
from byway.core.url import host_of

MAX_TITLE_CHARS = 120
MAX_HEADING_CHARS = 80
MAX_CRUMB_CHARS = 40
MAX_CRUMBS = 3
MAX_LISTED_POSITIONS = 12
"""Match positions listed for screen readers; the drawing shows all."""

MIN_SIGNAL_SHARE = 0.005
"""Minimum share of the score for a signal to have its own row."""


@dataclass(frozen=True, slots=True)
class SignalView:
    """A signal, formatted: `share` is its share of the score, from -1 to 1.

    The numbers are text: a result page has hundreds, and formatting them in templates is slow.
    """

    name: str
    description: str
    value: str
    weight: str
    percent: str
    bar: str
    """The length of its bar, out of 100."""
    share: float


@dataclass(frozen=True, slots=True)
class HitView:
    """A hit, formatted for templates."""

    title: str
    href: str
    """Empty unless the URL is http or https."""
    crumbs: tuple[str, ...]
    snippet: tuple[tuple[str, bool], ...]
    document_type: str
    """The document type (`pdf`, `text`); empty for HTML, the usual one."""
    language: str
    day: date | None
    """The publication date, or else the modification date."""
    score: float
    signals: tuple[SignalView, ...]
    """The signals, in descending order of their share of the score."""
    minor_signals: tuple[str, ...] = ()
    """The names of signals with a negligible share."""
    site: str = ""
    """The host, without its port."""
    url: str = ""
    more_from_host: int = 0
    headings: tuple[tuple[str, str], ...] = ()
    """The texts and URLs of matching headings."""
    match_counts: tuple[tuple[str, int], ...] = ()
    positions_path: str = ""
    """Match positions in the text, as an SVG path that is 100 wide and 8 high."""
    positions_text: str = ""
    """Match positions in the text, as percentages."""
    duplicate_of: str = ""
    duplicate_of_crumbs: tuple[str, ...] = ()
    badges: tuple[str, ...] = ()
    """A short summary of each of its records, such as the price."""
    icon_host: str = ""
    """The host whose favicon is shown, if any."""


def hit_view(
    hit: Hit,
    has_icon: Callable[[str], bool] = lambda host: False,
    badges: tuple[str, ...] = (),
) -> HitView:
    """The view of a hit."""
    crumbs = url_crumbs(hit.url)
    href = http_url(hit.url)
    host = host_of(hit.url) if href else ""
    document_type = document_type_of(hit.content_type)
    signals, minor_signals = _signal_views(hit.signals)
    return HitView(
        title=truncate(sanitize(hit.title), MAX_TITLE_CHARS) or crumbs[-1],
        href=href,
        crumbs=crumbs,
        snippet=tuple((sanitize(piece, strip=False), marked) for piece, marked in hit.snippet),
        document_type="" if document_type == HTML else sanitize(document_type),
        language=hit.language if LANGUAGE_TAG_PATTERN.fullmatch(hit.language) else "",
        day=parse_date(hit.iso_date),
        score=finite_or_none(hit.score) or 0.0,
        signals=signals,
        minor_signals=minor_signals,
        site=_host(hit.url),
        url=hit.url if href else "",
        more_from_host=hit.more_from_host,
        headings=tuple(_headings(hit, href)),
        match_counts=hit.match_counts,
        positions_path="".join(f"M{0.5 + 99 * spot:.1f} 0v8" for spot in hit.match_positions),
        positions_text=", ".join(
            f"{100 * spot:.0f}{t('units.percent')}"
            for spot in hit.match_positions[:MAX_LISTED_POSITIONS]
        ),
        duplicate_of=http_url(hit.duplicate_of or ""),
        duplicate_of_crumbs=url_crumbs(hit.duplicate_of) if hit.duplicate_of else (),
        badges=badges,
        icon_host=host if host and has_icon(host) else "",
    )


def _headings(hit: Hit, href: str) -> Iterator[tuple[str, str]]:
    base = href.partition("#")[0]
    for heading in hit.headings if base else ():
        text = truncate(sanitize(heading.text), MAX_HEADING_CHARS)
        if text:
            yield text, f"{base}#{quote(heading.anchor.encode('utf-8', 'replace'))}"


def _host(url: str) -> str:
    try:
        return sanitize(urlsplit(url).hostname or "")
    except ValueError:
        return ""


def url_crumbs(url: str) -> tuple[str, ...]:
    """The host and the segments of the path; the middle of a long path is left out."""
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


def _signal_views(signals: tuple[Signal, ...]) -> tuple[tuple[SignalView, ...], tuple[str, ...]]:
    """The signals in descending order of share, and the names of those with a negligible share."""
    ranked = sorted(zip(score_shares(signals), signals, strict=True), key=_by_share)
    major = [(share, signal) for share, signal in ranked if abs(share) >= MIN_SIGNAL_SHARE]
    views = tuple(_signal_view(signal, share) for share, signal in major)
    return views, tuple(_sanitize_cached(signal.name) for _, signal in ranked[len(major) :])


def _by_share(pair: tuple[float, Signal]) -> float:
    return -abs(pair[0])


def _signal_view(signal: Signal, share: float) -> SignalView:
    return SignalView(
        name=_sanitize_cached(signal.name),
        description=_sanitize_cached(message_text(signal.message)),
        value=decimal(signal.value, ".3g").replace("-", "−"),
        weight=decimal(signal.weight, ".3g"),
        percent=f"{100 * share:.0f}{t('units.percent')}".replace("-", "−"),
        bar=f"{100 * abs(share):.1f}",
        share=share,
    )


@lru_cache(maxsize=256)
def _sanitize_cached(text: str) -> str:
    """`sanitize` with a cache: the names and descriptions of signals repeat."""
    return sanitize(text)
