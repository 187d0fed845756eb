"""Metadata of a page: title, author, canonical URL, publication and modification dates."""

import re
from collections.abc import Iterable, Mapping, Sequence

from turbohtml import Element

from byway.core.model import Page, Url
from byway.core.structured_data import StructuredData, StructuredItem, texts_of, types_of
from byway.core.text import single_line
from byway.core.url import resolve
from byway.extract.dates import plausible_date
from byway.extract.formats.html.dom import Elements, is_html

METADATA_SELECTORS = {tag: tag for tag in ("title", "meta", "time")}
PUBLISHED_META_NAMES = (
    *("article:published_time", "article:published", "datepublished", "citation_publication_date"),
    *("date", "dc.date.issued", "dcterms.issued", "dc.date", "dcterms.date", "dc.date.created"),
    *("dcterms.created", "pubdate", "publishdate", "parsely-pub-date", "sailthru.date"),
)
MODIFIED_META_NAMES = (
    *("article:modified_time", "article:modified", "og:updated_time", "datemodified"),
    *("dcterms.modified", "dc.date.modified", "last-modified", "lastmod", "revised"),
)
AUTHOR_META_NAMES = (
    *("author", "article:author", "dc.creator", "dcterms.creator", "dc.creator.personalname"),
    *("citation_author", "parsely-author", "sailthru.author", "byl"),
)
#: Elements that show the author, most reliable first.
BYLINE_SELECTORS = (
    "[rel~=author]",
    "[itemprop~=author]",
    ".p-author,[class*=byline i],.author-name",
)
ANY_BYLINE_SELECTOR = ",".join(BYLINE_SELECTORS)
BYLINE_PREFIX_PATTERN = re.compile(
    r"^(?:(?:written |posted )?by|von|par|por|di|door|av|autor|автор|текст)\b[\s:]*", re.IGNORECASE
)
#: Text after the name in a byline: editors and dates.
BYLINE_SUFFIX_PATTERN = re.compile(
    r"\s(?:edited|updated|published|posted|[^\W\d]+ \d+, \d{4}|\d).*", re.I
)
MAX_AUTHORS, MAX_AUTHOR_CHARS = 5, 80
#: Structured data items whose author is not the page's.
NON_PAGE_TYPES = {"Review", "Comment", "UserComments", "Rating", "Product", "Answer", "Question"}
CANONICAL_LINK_PATTERN = re.compile(
    r"""<([^<>]*)>[^<>]*;\s*rel\s*=\s*["']?canonical\b""", re.IGNORECASE
)


def meta_of(elements: Elements) -> dict[str, str]:
    """Meta elements by name, property, http-equiv or itemprop; the first of each wins."""
    contents: dict[str, str] = {}
    for element in elements.get("meta", ()):
        content = single_line(element.attr("content"), 4000)
        for key in ("name", "property", "http-equiv", "itemprop"):
            name = element.attr(key)
            if name and content:
                contents.setdefault(name.strip().lower(), content)
    return contents


def title_of(elements: Elements, meta: Mapping[str, str]) -> str:
    """The title of a page, from <title> or OpenGraph."""
    titles = (single_line(each.text) for each in elements.get("title", ()) if is_html(each))
    return next(filter(None, titles), "") or meta.get("og:title", "")[:1000]


def canonical_of(page: Page, elements: Elements, base: Url) -> Url | None:
    """The canonical URL of a page; None if it declares several."""
    hrefs = {
        element.attr("href") or ""
        for element in elements.get("link", ())
        if (element.attr("rel") or "").strip().lower() == "canonical" and _in_head(element)
    }
    if not hrefs:
        hrefs = set(CANONICAL_LINK_PATTERN.findall(page.header("link")[:8000]))
    urls = set(resolve(base, hrefs - {""}).values())
    return urls.pop() if len(urls) == 1 else None


def _in_head(element: Element) -> bool:
    """Whether an element is in <head>: comments in the body must not set the canonical URL."""
    return isinstance(element.parent, Element) and element.parent.tag == "head"


def author_of(candidates: Sequence[Element], meta: Mapping[str, str], data: StructuredData) -> str:
    """The author of a page; several are separated by commas.

    The `candidates` include all elements that `ANY_BYLINE_SELECTOR` finds.
    """
    for name in AUTHOR_META_NAMES:
        if name in meta and (author := _author([meta[name]])):
            return author
    for item in _page_items(data):
        if author := _author(texts_of(_resolve_id(item.get("author"), data))):
            return author
    for selector in BYLINE_SELECTORS if candidates else ():
        byline = next((each for each in candidates if each.matches(selector)), None)
        if byline is not None and (
            author := _author([BYLINE_SUFFIX_PATTERN.sub("", single_line(byline.text))])
        ):
            return author
    return ""


def _author(names: Iterable[str]) -> str:
    """Author names, cleaned: only short names that are not URLs."""
    names_without_prefix = (
        BYLINE_PREFIX_PATTERN.sub("", single_line(name)).strip(" ,|·—-") for name in names
    )
    valid = [
        name
        for name in names_without_prefix
        if 1 < len(name) <= MAX_AUTHOR_CHARS and "://" not in name
    ]
    return ", ".join(list(dict.fromkeys(valid))[:MAX_AUTHORS])


def _page_items(data: StructuredData) -> Iterable[StructuredItem]:
    return (item for item in data.items if types_of(item).isdisjoint(NON_PAGE_TYPES))


def _resolve_id(value: object, data: StructuredData) -> object:
    """The value with bare @id references replaced by the items they refer to."""
    if isinstance(value, list):
        return [_resolve_id(each, data) for each in value[:MAX_AUTHORS]]
    if not isinstance(value, dict) or "name" in value:
        return value
    items = (item for item in data.items if item.get("@id") == value.get("@id"))
    return next(items, value)


def published_date(
    page: Page, elements: Elements, meta: Mapping[str, str], data: StructuredData
) -> str:
    """The publication date of a page, if it declares one."""
    texts = [meta[name] for name in PUBLISHED_META_NAMES if name in meta]
    texts += _dates(data, "datePublished") + _dates(data, "dateCreated")
    times = elements.get("time", ())
    texts += [each.attr("datetime") or "" for each in times if _is_publication_time(each)]
    texts += [each.attr("datetime") or "" for each in times]
    return next(filter(None, (plausible_date(text, page.fetched_at) for text in texts)), "")


def modified_date(page: Page, meta: Mapping[str, str], data: StructuredData) -> str:
    """The modification date of a page, if it or its server declares one."""
    texts = [meta[name] for name in MODIFIED_META_NAMES if name in meta]
    texts += [*_dates(data, "dateModified"), page.header("last-modified")]
    return next(filter(None, (plausible_date(text, page.fetched_at) for text in texts)), "")


def _dates(data: StructuredData, name: str) -> list[str]:
    return [text for item in _page_items(data) for text in texts_of(item.get(name))]


def _is_publication_time(element: Element) -> bool:
    return element.attr("itemprop") == "datePublished" or element.attr("pubdate") is not None
