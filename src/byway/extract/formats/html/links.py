"""Where does a page lead? Its hyperlinks, each target once."""

from collections.abc import Iterator, Sequence
from itertools import islice

from turbohtml import Document, Element

from byway.core.media_types import HTML, document_type_of
from byway.core.model import Link, Url
from byway.core.url import resolve, site_of
from byway.extract.formats.html.dom import Elements, single_line, single_lines

LINK_SELECTORS = {
    "a": "a[href]",
    "link": "link[rel]:not([rel=stylesheet], [rel=icon])",  # most are for the looks of a page
} | {tag: tag for tag in ("area", "frame", "iframe", "base")}

MAX_LINK_TEXT_CHARS = 300
FOLLOWED_RELS = {"alternate", "next", "prev"}
"""Kinds of <link> that lead to pages."""

FEED_TYPES = ("application/rss+xml", "application/atom+xml")


def base_url(elements: Elements, url: Url) -> Url:
    """The URL that relative links start from: the page's own, unless a <base> says otherwise."""
    for element in elements.get("base", ()):
        href = element.attr("href")
        if href is not None:
            return resolve(url, [href]).get(href, url)
    return url


def outlinks(
    document: Document, elements: Elements, url: Url, base: Url, max_links: int
) -> tuple[Link, ...]:
    """The links of a page: no target twice, none to itself, `max_links` at most."""
    by_href = _anchors(elements.get("a", ()), max_links)
    for href, anchor, nofollow in _others(document, elements):
        href = href.partition("#")[0].strip()
        if href and len(by_href) < max_links:
            by_href[href] = _merged(by_href.get(href), anchor, nofollow)
    by_target: dict[Url, tuple[str, bool]] = {}
    for href, target in resolve(base, by_href).items():
        said, known = by_href[href], by_target.get(target)
        by_target[target] = said if known is None else _merged(known, *said)
    by_target.pop(url, None)
    return tuple([Link(target, anchor, no) for target, (anchor, no) in by_target.items()])


def with_canonical(links: tuple[Link, ...], url: Url, canonical: Url | None) -> tuple[Link, ...]:
    """The same, and the page that this one says it stands for, if that is on its own site."""
    if canonical is None or canonical == url or site_of(canonical) != site_of(url):
        return links
    known = any(link.target == canonical for link in links)
    return links if known else (*links, Link(canonical))


def _anchors(elements: Sequence[Element], most: int) -> dict[str, tuple[str, bool]]:
    """The links made with <a>: their words, and whether they are nofollow, by what they say."""
    hrefs = [(element.attr("href") or "").partition("#")[0].strip() for element in elements]
    firsts = dict(zip(reversed(hrefs), reversed(elements), strict=True))
    chosen = list(islice(filter(None, dict.fromkeys(hrefs)), most))
    texts = single_lines([firsts[href].text for href in chosen], MAX_LINK_TEXT_CHARS)
    by_href = {
        href: (words or anchor_text(firsts[href]), _nofollow(firsts[href]))
        for href, words in zip(chosen, texts, strict=True)
    }
    # Pages link to the same few places over and over; most links teach us nothing new.
    untold = {href for href, (words, nofollow) in by_href.items() if nofollow or not words}
    for href, element in zip(hrefs, elements, strict=True) if untold else ():
        if href in untold:
            by_href[href] = _merged(by_href[href], anchor_text(element), _nofollow(element))
    return by_href


def feed_urls(elements: Elements, base: Url) -> tuple[Url, ...]:
    """The RSS and Atom feeds that a page names in its head."""
    hrefs = [
        element.attr("href") or ""
        for element in elements.get("link", ())
        if (element.attr("type") or "").lower() in FEED_TYPES
        and "alternate" in (element.attr("rel") or "").lower()
    ]
    return tuple(dict.fromkeys(resolve(base, hrefs).values()))


def _merged(known: tuple[str, bool] | None, anchor: str, nofollow: bool) -> tuple[str, bool]:
    """Of two links to one page: the first anchor there is, and nofollow only if both say so."""
    if known is None:
        return anchor, nofollow
    return known[0] or anchor, known[1] and nofollow


def _others(document: Document, elements: Elements) -> Iterator[tuple[str, str, bool]]:
    """Links that are not made with <a>."""
    for element in elements.get("area", ()):
        yield (
            element.attr("href") or "",
            single_line(element.attr("alt")),
            _nofollow(element),
        )
    for tag in ("frame", "iframe"):
        for element in elements.get(tag, ()):
            yield (
                element.attr("src") or "",
                single_line(element.attr("title"), MAX_LINK_TEXT_CHARS),
                False,
            )
    for element in elements.get("link", ()):
        if _leads_to_a_page(element):
            yield (
                element.attr("href") or "",
                single_line(element.attr("title"), MAX_LINK_TEXT_CHARS),
                False,
            )
    if any("refresh" in (each.attr("http-equiv") or "").lower() for each in elements["meta"]):
        refresh = document.meta_refresh()
        if refresh:
            yield refresh[1], "", False


def anchor_text(element: Element) -> str:
    """The words of a link; those of a picture in it, when it has no others."""
    words = single_line(element.text, MAX_LINK_TEXT_CHARS)
    if words:
        return words
    picture = element.find("img")
    alt = picture.attr("alt") if picture is not None else None
    return single_line(
        alt or element.attr("aria-label") or element.attr("title"), MAX_LINK_TEXT_CHARS
    )


def _nofollow(element: Element) -> bool:
    rel = element.attr("rel")
    return rel is not None and "nofollow" in rel.lower().split()


def _leads_to_a_page(element: Element) -> bool:
    kinds = set((element.attr("rel") or "").lower().split())
    if not kinds & FOLLOWED_RELS or "stylesheet" in kinds:
        return False
    # Feeds and printer formats are alternates too, and not pages we read.
    return document_type_of((element.attr("type") or "text/html").lower()) == HTML
