"""From HTML to a document. The page is parsed once; everything else looks at that tree."""

from collections.abc import Mapping, Sequence

from turbohtml import Document as Tree

from byway.extract import article, breadcrumbs, links, metadata, structured, unindexed
from byway.extract.dom import by_tag, line, parsed
from byway.extract.language import language_of
from byway.extract.products import product_on
from byway.extract.sites.rule import Rule, filled, values
from byway.model import Document, Extracted, Page
from byway.products.record import ATTRIBUTE
from byway.products.vocabulary import Vocabulary
from byway.settings import ExtractSettings

TAGS = (*links.TAGS, *metadata.TAGS, "script")
#: Things, bylines and breadcrumbs. Most pages have none, and one look is cheaper than three.
MARKED = f"{structured.MARKED},{metadata.ANY_BYLINE},{breadcrumbs.ANY}"


def read(
    page: Page,
    body: bytes,
    settings: ExtractSettings,
    rules: Sequence[Rule],
    vocabulary: Vocabulary | None = None,
) -> Extracted:
    """Read a page of HTML; `vocabulary` is that of goods, if not ours alone."""
    xhtml = page.content_type == "application/xhtml+xml"
    tree = parsed(body, page.header("content-type"), xhtml)
    elements = by_tag(tree, TAGS)
    meta = metadata.meta_of(elements)
    base = links.base_of(elements, page.url)
    rule = next((rule for rule in rules if rule.matches(page.url, tree)), Rule())
    canonical = metadata.canonical_of(page, elements, base)
    outlinks = links.outlinks(tree, elements, page.url, base, settings.max_links)
    outlinks = rule.followed(links.with_canonical(outlinks, page.url, canonical), tree, base)
    feeds = links.feeds(elements, base)
    marked = tree.select(MARKED)
    data = structured.read(tree, elements, base, bool(marked))
    attributes = values(rule, tree, page.fetched_at)
    if data.record:
        attributes["structured"] = data.record
    named = rule.title_of(tree)
    title = named or metadata.title_of(elements, meta)
    author = metadata.author_of(marked, meta, data)
    way = breadcrumbs.breadcrumbs_of(marked, data)
    description = meta.get("description") or meta.get("og:description", "")
    product = product_on(tree, data, attributes, named, title, description, way, vocabulary)
    if product is not None:
        attributes[ATTRIBUTE] = product
    published = metadata.published_on(page, elements, meta, data)
    tags = _language_tags(page, tree, meta)
    # From here on the tree is taken apart.
    if settings.noindex_regions:
        unindexed.leave_out(tree, body)
    main = article.read(tree, base, settings.max_text, rule.main, rule.drop)
    permission = metadata.permitted(elements) & metadata.permitted_by_headers(page)
    extracted = Extracted(
        document=Document(
            url=page.url,
            id=page.id,
            title=title or next((heading.text for heading in main.headings), ""),
            text=main.text,
            description=description,
            keywords=meta.get("keywords") or meta.get("news_keywords", ""),
            headings=main.headings,
            emphasis=main.emphasis,
            capitals=main.capitals,
            link_text=main.link_text,
            names=main.names,
            images=main.images,
            content_type="application/xhtml+xml" if xhtml else "text/html",
            language=language_of(tags, main.text),
            author=author,
            breadcrumbs=way,
            published=published,
            modified=metadata.modified_on(page, meta, data),
            canonical=line(canonical, 2000),
            attributes=attributes,
        ),
        links=outlinks,
        feeds=feeds,
        follow=permission.follow,
        keep=permission.keep,
    )
    return filled(extracted) if rule.fields else extracted


def _language_tags(page: Page, tree: Tree, meta: Mapping[str, str]) -> list[str]:
    """What the page says it is written in, the most particular first."""
    root = tree.root
    said = [root.attr("lang"), root.attr("xml:lang")] if root is not None else []
    said += [page.header("content-language"), meta.get("content-language")]
    return [tag for tag in said if tag]
