"""Main content detection: the region of a page that holds its prose, without adjacent link lists.

A page may mark it with <main> or <article>. Otherwise, and within it, prose decides: long texts
outside links. We descend from the page to the innermost element that holds most of the prose and
remove siblings of the path: down to the element with the page's title, every block with little
prose; below it, only link lists. When in doubt, a block stays, because removed words cannot be
found.
"""

from collections import Counter
from dataclasses import dataclass
from itertools import islice
from typing import cast

from turbohtml import Element, Node, XPath, XPathString

from byway.extract.formats.html.boilerplate import has_boilerplate_name

# Chosen on every other page of bench/quality/extract, and checked against the losses on
# documentation; .1 more or less of each changes the F1 there by less than .005.
MIN_MAIN_PROSE_SHARE = 0.8
"""Minimum share of a page's prose in its main region."""
MIN_CONTENT_PROSE_SHARE = 0.1
"""A block with this share of the prose is content."""
MIN_PROSE_CHARS, MIN_PROSE_TO_LINK_RATIO = 200, 0.1
"""Minimum prose characters, in total and per link character; pages with fewer are kept whole."""
MIN_LINK_SHARE = 0.06
"""Minimum share of text in links to look for link lists."""
LINK_LIST_SHARE = 0.4
"""Share of a block's text in links above which it is a link list."""
MIN_MAIN_LIST_SHARE = 0.2
"""A link list with this share of a page's text may be its content."""
MAX_DROPPED_TEXT_RATIO = 0.5
"""Maximum ratio of removed plain text to the plain text of the main region."""
MAX_TEASER_PROSE_SHARE = 0.4
"""Share of the prose above which teaser lists are the page's content."""
MIN_TEASER_HEADING_SHARE = 0.6
"""Minimum share of a teaser list's headings that link to other pages."""
MIN_ARTICLE_SHARE = 0.15
"""Minimum share of the text in an <article> that has the page's title."""

PROSE_XPATH = XPath(".//text()[string-length() > 80][not(ancestor::a)]", smart_strings=True)
LIST_TAGS = ("div", "section", "ul", "ol", "table", "dl", "form", "figure", "center")
LEAF_TAGS = ("p", "pre", "li", "ul", "ol", "dl", "blockquote")
MAX_MAIN_CANDIDATES = 200
"""Maximum candidate elements and headings examined."""


@dataclass(frozen=True, slots=True)
class PageRegion:
    """A part of a page with its links and their raw texts."""

    node: Node
    links: list[Element]
    link_texts: list[str]


def region_of(node: Node) -> PageRegion:
    """A node as a region."""
    links = node.select("a")
    return PageRegion(node, links, [link.text for link in links])


def find_main_region(body: Node, title: str) -> PageRegion:
    """The main region of a page; blocks outside its prose are removed from the tree."""
    region = region_of(_marked_main(body, title))
    text_chars, link_chars = _length(region.node.text), _length("".join(region.link_texts))
    has_links = link_chars > MIN_LINK_SHARE * text_chars
    if has_links and _prune(region.node, title, text_chars, link_chars):
        return region_of(region.node)
    return region


def _marked_main(body: Node, title: str) -> Node:
    """The <main> or <article>, if it holds most of the text or the page's title; else the body."""
    marked = body.select("main,[role=main],article")[:MAX_MAIN_CANDIDATES]
    if not marked:
        return body
    articles = [each for each in marked if each.tag == "article" and not has_boilerplate_name(each)]
    text_chars = len(body.text)
    title_ancestors = _title_ancestors(body, title) if articles else set()
    for article in articles:
        if article in title_ancestors and len(article.text) > MIN_ARTICLE_SHARE * text_chars:
            return article
    mains = [each for each in marked if each.tag != "article" or each.attr("role") == "main"]
    longest = max(mains or articles or marked, key=lambda each: len(each.text))
    return longest if len(longest.text) * 2 >= text_chars else body


def _title_ancestors(body: Node, title: str) -> set[Node]:
    """The ancestors of the page's title heading."""
    heading = _title_heading(body, title)
    return set(heading.ancestors) if heading is not None else set()


def _title_heading(body: Node, title: str) -> Element | None:
    """The heading that is the page's title: the one that <title> repeats, or the only <h1>."""
    title = _collapse_spaces(title)
    best, best_text = None, " "
    h1_texts = {}
    for heading in islice(body.iter_elements(("h1", "h2", "h3")), MAX_MAIN_CANDIDATES):
        text = _collapse_spaces(heading.text).rstrip(" ¶#")
        if heading.tag == "h1" and text:
            h1_texts[heading] = text
        if len(text) > len(best_text) and (text in title or (len(title) > 8 and title in text)):
            best, best_text = heading, text
    # `Class Path` is the title of a page about Path; `Path` is the heading of its constructor.
    only_h1, h1_text = next(iter(h1_texts.items())) if len(h1_texts) == 1 else (None, "")
    return only_h1 if best is None or best_text in h1_text else best


def _prune(region: Node, title: str, text_chars: int, link_chars: int) -> bool:
    """Remove boilerplate on the path from a region to its prose; return whether there was any."""
    prose_by_node, prose = _prose_chars(region)
    if prose < MIN_PROSE_CHARS or prose < MIN_PROSE_TO_LINK_RATIO * link_chars:
        return False
    changed = False
    title_ancestors = _title_ancestors(region, title)
    node, below_title, plain_chars = region, False, text_chars - link_chars
    for child in _path_to_prose(region, prose_by_node, MIN_MAIN_PROSE_SHARE * prose):
        if not below_title and child not in title_ancestors and node in title_ancestors:
            below_title, text_chars = True, _length(node.text)
        siblings = [each for each in node.children if isinstance(each, Element) and each != child]
        sizes = [(_length(each.text), _link_chars(each)) for each in siblings]
        plain_around = sum(size - links for size, links in sizes)
        max_plain_around = MAX_DROPPED_TEXT_RATIO * max(plain_chars - plain_around, 1)
        if not below_title and plain_around > max_plain_around:
            break
        plain_chars -= plain_around
        for block, (size, links) in zip(siblings, sizes, strict=True):
            if block in title_ancestors or block.tag == "pre":
                continue
            is_link_list = links > LINK_LIST_SHARE * size
            has_little_prose = prose_by_node[block] < MIN_CONTENT_PROSE_SHARE * prose
            if below_title:
                is_small = size < MIN_MAIN_LIST_SHARE * text_chars
                is_removed = (
                    is_link_list and has_little_prose and is_small and block.tag in LIST_TAGS
                )
            else:
                is_removed = is_link_list or (has_little_prose and block.find("pre") is None)
            if is_removed:
                block.decompose()
                changed = True
        node = child
    return _remove_teasers(node, prose_by_node, prose) or changed


def _remove_teasers(node: Node, prose_by_node: Counter[Node], prose: int) -> bool:
    """Remove teaser lists, unless they hold much of the prose; return whether there were any."""
    lists = [each for each in node.children if isinstance(each, Element) and each.tag in LIST_TAGS]
    teasers = [block for block in lists if _is_teaser_list(block)]
    if sum(prose_by_node[block] for block in teasers) > MAX_TEASER_PROSE_SHARE * prose:
        return False
    for block in teasers:
        block.decompose()
    return bool(teasers)


def _is_teaser_list(block: Element) -> bool:
    """Whether a block lists other pages, each under a heading that links to it."""
    headings = block.select("h2,h3,h4,h5")
    if len(headings) < 3:
        return False
    return sum(map(_links_away, headings)) > MIN_TEASER_HEADING_SHARE * len(headings)


def _links_away(heading: Element) -> bool:
    """Whether the whole heading is a link to another page."""
    enclosing = heading.closest("a")
    links = [enclosing] if enclosing is not None else heading.select("a")
    min_chars = MIN_MAIN_PROSE_SHARE * _length(heading.text)
    return any(
        "#" not in (link.attr("href") or "#") and _length(link.text) >= min_chars for link in links
    )


def _prose_chars(region: Node) -> tuple[Counter[Node], int]:
    """Characters of prose in each element of a region, and in total."""
    chars_by_parent: Counter[Node] = Counter()
    for text in cast(list[XPathString], PROSE_XPATH(region)):
        chars_by_parent[text.getparent()] += _length(text)
    totals: Counter[Node] = Counter()
    for element, length in chars_by_parent.items():
        if length:
            node: Node | None = element
            while node is not None and node != region:
                totals[node] += length
                node = node.parent
    return totals, chars_by_parent.total()


def _path_to_prose(region: Node, prose_by_node: Counter[Node], min_prose: float) -> list[Element]:
    """The elements that hold most of the prose, from the outermost to the innermost.

    Each holds more than half of the prose, so each lies inside the previous one.
    """
    holders = {node for node, prose in prose_by_node.items() if prose >= min_prose}
    node = next(iter(holders - {each.parent for each in holders}), None)
    path: list[Element] = []
    while node is not None and node != region:
        if isinstance(node, Element):
            path.append(node)
        node = node.parent
    path.reverse()
    leaf = next((index for index, each in enumerate(path) if each.tag in LEAF_TAGS), len(path))
    return path[:leaf]


def _link_chars(node: Node) -> int:
    """Characters of link text in a node."""
    return _length("".join([link.text for link in node.select("a")]))


def _length(text: str) -> int:
    """The number of non-whitespace characters."""
    return len(text) - text.count(" ") - text.count("\n") - text.count("\t")


def _collapse_spaces(text: str) -> str:
    return " ".join(text[:500].split()).lower()
