"""HTML reader: parses a page once and collects its document, links and robots permission."""

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from turbohtml import Document as Tree
from turbohtml import Element

from byway.core.model import Document, ExtractionResult, Page, Url
from byway.core.model.document import FILTERS_KEY
from byway.core.text import single_line
from byway.core.verticals import ParsedPage, Vertical
from byway.extract.formats import ReaderContext
from byway.extract.formats.html import (
    breadcrumbs,
    links,
    main_text,
    metadata,
    noindex_regions,
    structured_data,
)
from byway.extract.formats.html.dom import Elements, combine_selectors, parse_html, select_by_tag
from byway.extract.indexable import robots_meta_permission
from byway.extract.language import language_of
from byway.extract.site_rules.rule import SiteRule, extract_values, move_document_fields

log = logging.getLogger(__name__)

XHTML_MEDIA_TYPE = "application/xhtml+xml"
MAX_CANONICAL_CHARS = 2000
TAG_SELECTORS = {**links.LINK_SELECTORS, **metadata.METADATA_SELECTORS, "script": "script"}
MARKUP_SELECTORS = (
    structured_data.STRUCTURED_DATA_SELECTOR,
    metadata.ANY_BYLINE_SELECTOR,
    breadcrumbs.ANY_BREADCRUMB_SELECTOR,
    noindex_regions.NOINDEX_TAG,
)


@dataclass(frozen=True, slots=True)
class _ParsedPage:
    """A page with its tree, selected elements and matching site rule."""

    page: Page
    tree: Tree
    elements: Elements
    marked: list[Element]
    """The elements that `_markup_selector` finds."""
    meta: Mapping[str, str]
    base: Url
    rule: SiteRule


def read_html(page: Page, body: bytes, context: ReaderContext) -> ExtractionResult:
    """Read an HTML or XHTML page."""
    settings = context.settings
    parsed = _parse(page, body, context)
    rule, tree, base = parsed.rule, parsed.tree, parsed.base
    canonical = metadata.canonical_of(page, parsed.elements, base)
    outlinks = links.outlinks(tree, parsed.elements, page.url, base, settings.max_links)
    outlinks = rule.filter_links(links.with_canonical(outlinks, page.url, canonical), tree, base)
    permission = robots_meta_permission(
        (element.attr("name") or "", element.attr("content") or "")
        for element in parsed.elements.get("meta", ())
    )
    document = replace(
        _described_document(parsed, context.verticals),
        canonical=single_line(canonical, MAX_CANONICAL_CHARS),
    )
    # The following steps change the tree.
    if settings.skip_noindex_regions:
        noindex_regions.remove_noindex_regions(tree, parsed.marked, body)
    document = main_text.read(tree, document, base, settings.max_text_chars, rule.main, rule.drop)
    language = language_of(_language_tags(page, tree, parsed.meta), document.text)
    title = document.title or next((heading.text for heading in document.headings), "")
    extracted = ExtractionResult(
        document=replace(document, title=title, language=language),
        links=outlinks,
        feeds=links.feed_urls(parsed.elements, base),
        follow_links=permission.follow_links,
        may_index=permission.may_index,
    )
    return move_document_fields(extracted) if rule.fields else extracted


@lru_cache(maxsize=8)
def _markup_selector(*vertical_selectors: str) -> str:
    """Selector for structured data, bylines, breadcrumbs, noindex regions and vertical markup.

    Most pages have none of them, and one pass over the tree is cheaper than five.
    """
    return combine_selectors(*MARKUP_SELECTORS, *filter(None, vertical_selectors))


def _parse(page: Page, body: bytes, context: ReaderContext) -> _ParsedPage:
    tree = parse_html(body, page.header("content-type"), _is_xhtml(page))
    elements = select_by_tag(tree, TAG_SELECTORS)
    return _ParsedPage(
        page=page,
        tree=tree,
        elements=elements,
        marked=tree.select(_markup_selector(*(each.selector for each in context.verticals))),
        meta=metadata.meta_of(elements),
        base=links.base_url(elements, page.url),
        rule=next((rule for rule in context.rules if rule.matches(page.url, tree)), SiteRule()),
    )


def _described_document(parsed: _ParsedPage, verticals: Sequence[Vertical]) -> Document:
    """The document without its main text: title, dates, breadcrumbs, structured data ..."""
    page, tree, elements, meta = parsed.page, parsed.tree, parsed.elements, parsed.meta
    marked = parsed.marked
    has_markup = any(each.matches(structured_data.STRUCTURED_DATA_SELECTOR) for each in marked)
    data = structured_data.read(tree, elements, parsed.base, has_markup)
    breadcrumb_names = breadcrumbs.breadcrumbs_of(marked, data)
    rule_title = parsed.rule.title_of(tree)
    title = rule_title or metadata.title_of(elements, meta)
    description = meta.get("description") or meta.get("og:description", "")
    rule_fields = extract_values(parsed.rule, tree, page.fetched_at)
    structured = {"structured": data.stored_data} if data.stored_data else {}
    content = ParsedPage(
        url=page.url,
        tree=tree,
        data=data,
        rule_fields=rule_fields,
        rule_title=rule_title,
        title=title,
        description=description,
        breadcrumbs=breadcrumb_names,
    )
    return Document(
        url=page.url,
        id=page.id,
        title=title,
        description=description,
        keywords=meta.get("keywords") or meta.get("news_keywords", ""),
        content_type=XHTML_MEDIA_TYPE if _is_xhtml(page) else "text/html",
        author=metadata.author_of(marked, meta, data),
        breadcrumbs=breadcrumb_names,
        published=metadata.published_date(page, elements, meta, data),
        modified=metadata.modified_date(page, meta, data),
        attributes={**rule_fields, **structured, **dict(_records(content, verticals, marked))},
    )


def _records(
    content: ParsedPage, verticals: Sequence[Vertical], marked: Sequence[Element]
) -> Iterator[tuple[str, Mapping[str, object]]]:
    """The page's vertical records, by noun."""
    for vertical in verticals:
        selector = vertical.selector
        has_markup = bool(selector) and any(each.matches(selector) for each in marked)
        try:
            record = vertical.extract(replace(content, has_markup=has_markup))
        except MemoryError:
            raise  # the pool replaces the worker
        except Exception:
            log.exception("vertical failed name=%s url=%s", vertical.name, content.url)
            continue
        if record is not None:
            filters = record.get(FILTERS_KEY)
            own_filters = filters if isinstance(filters, Mapping) else {}
            yield vertical.noun, {**record, FILTERS_KEY: {"is": vertical.noun, **own_filters}}


def _is_xhtml(page: Page) -> bool:
    return page.content_type == XHTML_MEDIA_TYPE


def _language_tags(page: Page, tree: Tree, meta: Mapping[str, str]) -> list[str]:
    """Declared languages, most specific first."""
    root = tree.root
    tags = [root.attr("lang"), root.attr("xml:lang")] if root is not None else []
    tags += [page.header("content-language"), meta.get("content-language")]
    return [tag for tag in tags if tag]
