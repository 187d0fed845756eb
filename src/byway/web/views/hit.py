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

from byway.core.model import Hit, Signal, shares
from byway.core.url import host_of
from byway.web.i18n import READER

LONGEST_TITLE = 120
LONGEST_HEADING = 80
LONGEST_PIECE = 40
MOST_PIECES = 3
MOST_SAID = 12
"""Places in a text that are read out; the drawing has them all."""

#: Controls and line ends become spaces; embeddings, overrides and isolates of text direction go;
#: halves of surrogate pairs become U+FFFD. The plain marks LRM, RLM and ALM stay: they are letters
#: of honest Arabic and Hebrew, and turn nothing around.
FIT = (
    dict.fromkeys([*range(0x20), *range(0x7F, 0xA0), 0x2028, 0x2029], " ")
    | dict.fromkeys([*range(0x202A, 0x202F), *range(0x2066, 0x206A)])
    | dict.fromkeys(range(0xD800, 0xE000), "\ufffd")
)
LANGUAGE = re.compile(r"[a-z]{2,3}(-[a-z0-9]{2,8})*", re.IGNORECASE)
WEB_PAGES = {"", "text/html", "application/xhtml+xml"}


LEAST_SHARE = 0.005
"""Part of a score below which a signal has no line of its own."""


@dataclass(frozen=True, slots=True)
class Reason:
    """A signal as it is shown: `share` is its part of the score, from -1 to 1.

    The numbers come as text: a page of results has hundreds, and templates are slow at this.
    """

    name: str
    sentence: str
    value: str
    weight: str
    percent: str
    bar: str
    """How long its bar is, of 100."""
    share: float


@dataclass(frozen=True, slots=True)
class Shown:
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
    reasons: tuple[Reason, ...]
    """Those that count, the most important first."""
    without: tuple[str, ...] = ()
    """The names of the others."""
    site: str = ""
    """The host, without its port."""
    url: str = ""
    more: int = 0
    headings: tuple[tuple[str, str], ...] = ()
    """What they say, and where they are."""
    places: tuple[tuple[str, int], ...] = ()
    spots: str = ""
    """Where in the text the words stand, as lines of a drawing that is 100 wide and 8 high."""
    spots_said: str = ""
    """The same as numbers."""
    same_as: str = ""
    same_as_crumbs: tuple[str, ...] = ()
    price: str = ""
    icon: str = ""
    """The host whose favicon is shown; none if empty."""


def show(hit: Hit, has_icon: Callable[[str], bool] = lambda host: False) -> Shown:
    """A hit, made fit to be shown."""
    crumbs = crumbs_of(hit.url)
    href = web_address(hit.url)
    host = host_of(hit.url) if href else ""
    reasons, without = _reasons(hit.signals)
    return Shown(
        title=cut(clean(hit.title), LONGEST_TITLE) or crumbs[-1],
        href=href,
        crumbs=crumbs,
        snippet=tuple((clean(piece, strip=False), marked) for piece, marked in hit.snippet),
        kind="" if hit.content_type in WEB_PAGES else clean(hit.content_type.rpartition("/")[2]),
        language=hit.language if LANGUAGE.fullmatch(hit.language) else "",
        day=day_of(hit.day),
        score=finite(hit.score) or 0.0,
        reasons=reasons,
        without=without,
        site=_host(hit.url),
        url=hit.url if href else "",
        more=hit.more,
        headings=tuple(_headings(hit, href)),
        places=hit.places,
        spots="".join(f"M{0.5 + 99 * spot:.1f} 0v8" for spot in hit.spots),
        spots_said=", ".join(f"{100 * spot:.0f} %" for spot in hit.spots[:MOST_SAID]),
        same_as=web_address(hit.duplicate_of or ""),
        same_as_crumbs=crumbs_of(hit.duplicate_of) if hit.duplicate_of else (),
        price=price_of(hit.product.get("price"), str(hit.product.get("currency", ""))),
        icon=host if host and has_icon(host) else "",
    )


def web_address(url: str) -> str:
    """The URL, if it is one that may be clicked; else nothing."""
    return url if url.startswith(("http://", "https://")) else ""


def _headings(hit: Hit, href: str) -> Iterator[tuple[str, str]]:
    base = href.partition("#")[0]
    for heading in hit.headings if base else ():
        text = cut(clean(heading.text), LONGEST_HEADING)
        if text:
            yield text, f"{base}#{quote(heading.anchor.encode('utf-8', 'replace'))}"


def price_of(amount: object, currency: str) -> str:
    """4,990 RUB in English, 4 990 RUB in Russian; nothing if it is no number."""
    if not isinstance(amount, int | float) or not math.isfinite(amount):
        return ""
    text = f"{amount:,.2f}".removesuffix(".00")
    if READER.get().language == "ru":
        text = text.replace(",", "\u00a0").replace(".", ",")
    return f"{text}\u00a0{clean(currency)[:8]}".strip()


def _host(url: str) -> str:
    try:
        return clean(urlsplit(url).hostname or "")
    except ValueError:
        return ""


def clean(text: str, strip: bool = True) -> str:
    """The text without what cannot be seen and yet does something."""
    text = text.translate(FIT)
    return text.strip() if strip else text


def crumbs_of(url: str) -> tuple[str, ...]:
    """The host and the pieces of the path, with the middle of a long path left out."""
    _, slashes, rest = url.partition("://")
    if not slashes:
        return (cut(clean(url), LONGEST_PIECE),)
    path, mark, query = rest.partition("?")
    host, *pieces = path.split("/")
    pieces = [cut(clean(unquote(piece)), LONGEST_PIECE) for piece in pieces if piece]
    if len(pieces) > MOST_PIECES:
        pieces = [pieces[0], "…", *pieces[1 - MOST_PIECES :]]
    if mark:
        pieces.append(cut(clean(unquote("?" + query)), LONGEST_PIECE))
    return (clean(host), *pieces)


def cut(text: str, longest: int) -> str:
    """The text, or its beginning and an ellipsis."""
    return text if len(text) <= longest else text[: longest - 1].rstrip() + "…"


def day_of(text: str) -> date | None:
    """The day, if it is one."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def finite(number: object) -> float | None:
    """The number, if it is one that JSON can carry."""
    if isinstance(number, int | float) and math.isfinite(number):
        return float(number)
    return None


def _reasons(signals: tuple[Signal, ...]) -> tuple[tuple[Reason, ...], tuple[str, ...]]:
    """The signals, those that count most first, and the names of those that hardly count."""
    each = list(zip(shares(signals), signals, strict=True))
    each.sort(key=lambda one: -abs(one[0]))
    counting = [one for one in each if abs(one[0]) >= LEAST_SHARE]
    reasons = tuple(_reason(signal, share) for share, signal in counting)
    return reasons, tuple(_fit(signal.name) for _, signal in each[len(counting) :])


def _reason(signal: Signal, share: float) -> Reason:
    return Reason(
        _fit(signal.name),
        _fit(signal.sentence),
        f"{signal.value:.3g}".replace("-", "−"),
        f"{signal.weight:.3g}",
        f"{100 * share:.0f} %".replace("-", "−"),
        f"{100 * abs(share):.1f}",
        share,
    )


@lru_cache(maxsize=256)
def _fit(text: str) -> str:
    """The same few texts, again and again."""
    return clean(text)
