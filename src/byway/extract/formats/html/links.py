"""Links of a page: hyperlinks, frames, redirects and feeds, each target once."""

from collections.abc import Iterator, Sequence
from itertools import islice

from turbohtml import Document, Element

from byway.core.media_types import HTML, document_type_of
from byway.core.model import Link, Url
from byway.core.text import single_line
from byway.core.url import resolve, site_of
from byway.extract.formats.html.dom import Elements, single_lines

LINK_SELECTORS = {
    "a": "a[href]",
    "link": "link[rel]:not([rel=stylesheet], [rel=icon])",  # most <link> elements are these
} | {tag: tag for tag in ("area", "frame", "iframe", "base")}

MAX_LINK_TEXT_CHARS = 300
FOLLOWED_RELS = {"alternate", "next", "prev"}
"""`rel` values of <link> that point to pages."""

FEED_TYPES = ("application/rss+xml", "application/atom+xml")


def base_url(elements: Elements, url: Url) -> Url:
    """The base URL of relative links: the href of <base>, or the page's URL."""
    for element in elements.get("base", ()):
        href = element.attr("href")
        if href is not None:
            return resolve(url, [href]).get(href, url)
    return url


def outlinks(
    document: Document, elements: Elements, url: Url, base: Url, max_links: int
) -> tuple[Link, ...]:
    """The outgoing links of a page: each target once, excluding the page itself."""
    by_href = _anchor_links(elements.get("a", ()), max_links)
    for href, anchor, nofollow in _other_links(document, elements):
        href = href.partition("#")[0].strip()
        if href and len(by_href) < max_links:
            by_href[href] = _merge_links(by_href.get(href), anchor, nofollow)
    by_target: dict[Url, tuple[str, bool]] = {}
    for href, target in resolve(base, by_href).items():
        link, previous = by_href[href], by_target.get(target)
        by_target[target] = link if previous is None else _merge_links(previous, *link)
    by_target.pop(url, None)
    return tuple([Link(target, text, nofollow) for target, (text, nofollow) in by_target.items()])


def with_canonical(links: tuple[Link, ...], url: Url, canonical: Url | None) -> tuple[Link, ...]:
    """The links plus the canonical URL, if it is another page of the same site."""
    if canonical is None or canonical == url or site_of(canonical) != site_of(url):
        return links
    is_linked = any(link.target == canonical for link in links)
    return links if is_linked else (*links, Link(canonical))


def _anchor_links(elements: Sequence[Element], max_links: int) -> dict[str, tuple[str, bool]]:
    """Anchor text and nofollow of the <a> elements, by href."""
    hrefs = [(element.attr("href") or "").partition("#")[0].strip() for element in elements]
    firsts = dict(zip(reversed(hrefs), reversed(elements), strict=True))
    distinct_hrefs = list(islice(filter(None, dict.fromkeys(hrefs)), max_links))
    texts = single_lines([firsts[href].text for href in distinct_hrefs], MAX_LINK_TEXT_CHARS)
    by_href = {
        href: (words or anchor_text(firsts[href]), _is_nofollow(firsts[href]))
        for href, words in zip(distinct_hrefs, texts, strict=True)
    }
    # Pages repeat links: repeats matter only if the first has no text or is nofollow.
    incomplete = {href for href, (words, nofollow) in by_href.items() if nofollow or not words}
    for href, element in zip(hrefs, elements, strict=True) if incomplete else ():
        if href in incomplete:
            by_href[href] = _merge_links(by_href[href], anchor_text(element), _is_nofollow(element))
    return by_href


def feed_urls(elements: Elements, base: Url) -> tuple[Url, ...]:
    """The RSS and Atom feeds that a page declares."""
    hrefs = [
        element.attr("href") or ""
        for element in elements.get("link", ())
        if (element.attr("type") or "").lower() in FEED_TYPES
        and "alternate" in (element.attr("rel") or "").lower()
    ]
    return tuple(dict.fromkeys(resolve(base, hrefs).values()))


def _merge_links(first: tuple[str, bool] | None, anchor: str, nofollow: bool) -> tuple[str, bool]:
    """Merge two links to one page: the first anchor text, and nofollow only if both have it."""
    if first is None:
        return anchor, nofollow
    return first[0] or anchor, first[1] and nofollow


def _other_links(document: Document, elements: Elements) -> Iterator[tuple[str, str, bool]]:
    """Links from elements other than <a>: href, text and nofollow."""
    for element in elements.get("area", ()):
        yield (
            element.attr("href") or "",
            single_line(element.attr("alt")),
            _is_nofollow(element),
        )
    for tag in ("frame", "iframe"):
        for element in elements.get(tag, ()):
            yield (
                element.attr("src") or "",
                single_line(element.attr("title"), MAX_LINK_TEXT_CHARS),
                False,
            )
    for element in elements.get("link", ()):
        if _links_to_page(element):
            yield (
                element.attr("href") or "",
                single_line(element.attr("title"), MAX_LINK_TEXT_CHARS),
                False,
            )
    if any("refresh" in (meta.attr("http-equiv") or "").lower() for meta in elements["meta"]):
        refresh = document.meta_refresh()
        if refresh:
            yield refresh[1], "", False


def anchor_text(element: Element) -> str:
    """The text of a link, or the alt text of its image if it has none."""
    words = single_line(element.text, MAX_LINK_TEXT_CHARS)
    if words:
        return words
    picture = element.find("img")
    alt = picture.attr("alt") if picture is not None else None
    return single_line(
        alt or element.attr("aria-label") or element.attr("title"), MAX_LINK_TEXT_CHARS
    )


def _is_nofollow(element: Element) -> bool:
    rel = element.attr("rel")
    return rel is not None and "nofollow" in rel.lower().split()


def _links_to_page(element: Element) -> bool:
    rels = set((element.attr("rel") or "").lower().split())
    if not rels & FOLLOWED_RELS or "stylesheet" in rels:
        return False
    # Feeds and print versions are alternates too, but not pages we read.
    return document_type_of((element.attr("type") or "text/html").lower()) == HTML
