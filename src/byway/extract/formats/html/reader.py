"""From HTML to a document. The page is parsed once; everything else looks at that tree."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from turbohtml import Document as Tree
from turbohtml import Element

from byway.core.model import Document, ExtractionResult, Page, Url
from byway.core.settings.schema import ExtractSettings
from byway.extract.formats.html import (
    breadcrumbs,
    links,
    main_text,
    metadata,
    noindex_regions,
    structured_data,
)
from byway.extract.formats.html.dom import (
    Elements,
    combine_selectors,
    parse_html,
    select_by_tag,
    single_line,
)
from byway.extract.formats.html.main_text import Article
from byway.extract.language.detect import language_of
from byway.extract.site_rules.rule import SiteRule, extract_values, move_document_fields
from byway.products.reader import PRICE_SELECTOR, extract_product
from byway.products.record import PRODUCT_ATTRIBUTE
from byway.products.vocabulary.lookup import ProductVocabulary

TAG_SELECTORS = {**links.LINK_SELECTORS, **metadata.METADATA_SELECTORS, "script": "script"}
#: Things, bylines, breadcrumbs, prices, and what is not for us. Most pages have none, and one look
#: is cheaper than five.
MARKUP_SELECTOR = combine_selectors(
    structured_data.STRUCTURED_DATA_SELECTOR,
    metadata.ANY_BYLINE_SELECTOR,
    breadcrumbs.ANY_BREADCRUMB_SELECTOR,
    PRICE_SELECTOR,
    noindex_regions.NOINDEX_TAG,
)


@dataclass(frozen=True, slots=True)
class _ParsedPage:
    """A page as it came: its tree, what a look at that found, and the rule for it."""

    page: Page
    tree: Tree
    elements: Elements
    marked: list[Element]
    meta: Mapping[str, str]
    base: Url
    rule: SiteRule


@dataclass(frozen=True, slots=True)
class _PageMetadata:
    """What a page says about itself, to people and to machines."""

    title: str
    description: str
    author: str
    breadcrumbs: tuple[str, ...]
    published: str
    modified: str
    languages: Sequence[str]
    attributes: Mapping[str, object]


def read(
    page: Page,
    body: bytes,
    settings: ExtractSettings,
    rules: Sequence[SiteRule],
    vocabulary: ProductVocabulary | None = None,
) -> ExtractionResult:
    """Read a page of HTML; `vocabulary` is that of goods, if not ours alone."""
    whole = _whole(page, body, rules)
    rule, tree, base = whole.rule, whole.tree, whole.base
    canonical = metadata.canonical_of(page, whole.elements, base)
    outlinks = links.outlinks(tree, whole.elements, page.url, base, settings.max_links)
    outlinks = rule.filter_links(links.with_canonical(outlinks, page.url, canonical), tree, base)
    permission = metadata.robots_meta_permission(
        whole.elements
    ) & metadata.robots_header_permission(page)
    facts = _facts(whole, vocabulary)
    # From here on the tree is taken apart.
    if settings.skip_noindex_regions:
        noindex_regions.remove_noindex_regions(tree, whole.marked, body)
    main = main_text.read(tree, base, settings.max_text_chars, rule.main, rule.drop)
    extracted = ExtractionResult(
        document=_document(whole, facts, main, single_line(canonical, 2000)),
        links=outlinks,
        feeds=links.feed_urls(whole.elements, base),
        follow_links=permission.follow,
        may_index=permission.keep,
    )
    return move_document_fields(extracted) if rule.fields else extracted


def _whole(page: Page, body: bytes, rules: Sequence[SiteRule]) -> _ParsedPage:
    tree = parse_html(body, page.header("content-type"), _is_xhtml(page))
    elements = select_by_tag(tree, TAG_SELECTORS)
    return _ParsedPage(
        page,
        tree,
        elements,
        marked=tree.select(MARKUP_SELECTOR),
        meta=metadata.meta_of(elements),
        base=links.base_url(elements, page.url),
        rule=next((rule for rule in rules if rule.matches(page.url, tree)), SiteRule()),
    )


def _facts(whole: _ParsedPage, vocabulary: ProductVocabulary | None) -> _PageMetadata:
    page, tree, elements, meta = whole.page, whole.tree, whole.elements, whole.meta
    marked = whole.marked
    described = any(each.matches(structured_data.STRUCTURED_DATA_SELECTOR) for each in marked)
    data = structured_data.read(tree, elements, whole.base, described)
    way = breadcrumbs.breadcrumbs_of(marked, data)
    named = whole.rule.title_of(tree)
    title = named or metadata.title_of(elements, meta)
    description = meta.get("description") or meta.get("og:description", "")
    attributes = extract_values(whole.rule, tree, page.fetched_at)
    if data.stored_data:
        attributes["structured"] = data.stored_data
    priced = any(each.matches(PRICE_SELECTOR) for each in marked)
    product = extract_product(
        tree, data, attributes, priced, named, title, description, way, vocabulary
    )
    if product is not None:
        attributes[PRODUCT_ATTRIBUTE] = product
    return _PageMetadata(
        title=title,
        description=description,
        author=metadata.author_of(marked, meta, data),
        breadcrumbs=way,
        published=metadata.published_date(page, elements, meta, data),
        modified=metadata.modified_date(page, meta, data),
        languages=_language_tags(page, tree, meta),
        attributes=attributes,
    )


def _document(whole: _ParsedPage, facts: _PageMetadata, main: Article, canonical: str) -> Document:
    page, meta = whole.page, whole.meta
    return Document(
        url=page.url,
        id=page.id,
        title=facts.title or next((heading.text for heading in main.headings), ""),
        text=main.text,
        description=facts.description,
        keywords=meta.get("keywords") or meta.get("news_keywords", ""),
        headings=main.headings,
        emphasis=main.emphasis,
        capitals=main.capitals,
        link_text=main.link_text,
        names=main.names,
        images=main.images,
        content_type="application/xhtml+xml" if _is_xhtml(page) else "text/html",
        language=language_of(facts.languages, main.text),
        author=facts.author,
        breadcrumbs=facts.breadcrumbs,
        published=facts.published,
        modified=facts.modified,
        canonical=canonical,
        attributes=facts.attributes,
    )


def _is_xhtml(page: Page) -> bool:
    return page.content_type == "application/xhtml+xml"


def _language_tags(page: Page, tree: Tree, meta: Mapping[str, str]) -> list[str]:
    """What the page says it is written in, the most particular first."""
    root = tree.root
    said = [root.attr("lang"), root.attr("xml:lang")] if root is not None else []
    said += [page.header("content-language"), meta.get("content-language")]
    return [tag for tag in said if tag]
