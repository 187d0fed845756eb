"""Where on a page is what it says? The region that holds the prose, without the lists beside it.

A page may say so with <main> or <article>. Otherwise, and within it, prose tells: long pieces of
text that are no link. We follow it down from the whole page, and on the way take out what stands
beside it: as far as the page's title everything that has little prose, below only what is nearly
all links. When in doubt a block stays, because words that are lost cannot be found.
"""

from collections import Counter
from dataclasses import dataclass
from itertools import islice
from typing import cast

from turbohtml import Element, Node, XPath, XPathString

from byway.extract.formats.html.boilerplate import has_boilerplate_name

# The figures were chosen on every other page of bench/quality/extract, beside a look at what
# documentation loses; .1 more or less of each changes the F1 there by less than .005.
MIN_MAIN_PROSE_SHARE = 0.8
"""The share of the prose of a page that its main region has at least."""
MIN_CONTENT_PROSE_SHARE = 0.1
"""A block with this share of it is no furniture."""
MIN_PROSE_CHARS, MIN_PROSE_TO_LINK_RATIO = 200, 0.1
"""Characters, and how many for one of links: with less the page is a list, and all of it counts."""
MIN_LINK_SHARE = 0.06
"""With less of the text in links there is no list of links worth looking for."""
LINK_LIST_SHARE = 0.4
"""The share of a block's text that is links above which it is a list of links."""
MIN_MAIN_LIST_SHARE = 0.2
"""A list of links with this share of a page's text may be what the page is for."""
MAX_DROPPED_TEXT_RATIO = 0.5
"""How many times the plain text of the main region may be around it."""
MAX_TEASER_PROSE_SHARE = 0.4
"""The share of the prose above which lists of other pages are what the page is for."""
MIN_TEASER_HEADING_SHARE = 0.6
"""The share of the headings of a block that lead to other pages, which makes it such a list."""
MIN_ARTICLE_SHARE = 0.15
"""The share of the text that an <article> has, if it is the one with the page's title."""

PROSE_XPATH = XPath(".//text()[string-length() > 80][not(ancestor::a)]", smart_strings=True)
LIST_TAGS = ("div", "section", "ul", "ol", "table", "dl", "form", "figure", "center")
LEAF_TAGS = ("p", "pre", "li", "ul", "ol", "dl", "blockquote")
MAX_MAIN_CANDIDATES = 200
"""Elements that call themselves the main one which are looked at."""


@dataclass(frozen=True, slots=True)
class PageRegion:
    """A part of a page, and the links in it with their raw texts, which whoever reads it needs."""

    node: Node
    links: list[Element]
    link_texts: list[str]


def region_of(node: Node) -> PageRegion:
    """A part of a page as it is."""
    links = node.select("a")
    return PageRegion(node, links, [link.text for link in links])


def find_main_region(body: Node, title: str) -> PageRegion:
    """The main region of a page; what stands beside its prose is taken out of the tree."""
    region = region_of(_named(body, title))
    whole, linked = _length(region.node.text), _length("".join(region.link_texts))
    if linked > MIN_LINK_SHARE * whole and _narrow(region.node, title, whole, linked):
        return region_of(region.node)
    return region


def _named(body: Node, title: str) -> Node:
    """The part that says it is the main one, if it holds most of the text or the page's title."""
    named = body.select("main,[role=main],article")[:MAX_MAIN_CANDIDATES]
    if not named:
        return body
    articles = [each for each in named if each.tag == "article" and not has_boilerplate_name(each)]
    whole = len(body.text)
    above = _above(body, title) if articles else set()
    for article in articles:
        if article in above and len(article.text) > MIN_ARTICLE_SHARE * whole:
            return article
    mains = [each for each in named if each.tag != "article" or each.attr("role") == "main"]
    longest = max(mains or articles or named, key=lambda each: len(each.text))
    return longest if len(longest.text) * 2 >= whole else body


def _above(body: Node, title: str) -> set[Node]:
    """All that the heading of a page is in."""
    heading = _heading(body, title)
    return set(heading.ancestors) if heading is not None else set()


def _heading(body: Node, title: str) -> Element | None:
    """The heading that is the page's title: the one that <title> repeats, or the only <h1>."""
    title = _squashed(title)
    best, said = None, " "
    tops = {}
    for heading in islice(body.iter_elements(("h1", "h2", "h3")), MAX_MAIN_CANDIDATES):
        text = _squashed(heading.text).rstrip(" ¶#")
        if heading.tag == "h1" and text:
            tops[heading] = text
        if len(text) > len(said) and (text in title or (len(title) > 8 and title in text)):
            best, said = heading, text
    # `Class Path` is the title of a page about Path, and `Path` that of its constructor.
    top, words = next(iter(tops.items())) if len(tops) == 1 else (None, "")
    return top if best is None or said in words else best


def _narrow(region: Node, title: str, whole: int, linked: int) -> bool:
    """Take out what stands beside the way from a region down to its prose, if anything."""
    weights, prose = _weights(region)
    if prose < MIN_PROSE_CHARS or prose < MIN_PROSE_TO_LINK_RATIO * linked:
        return False
    changed = False
    above = _above(region, title)
    node, below, plain = region, False, whole - linked
    for child in _way(region, weights, MIN_MAIN_PROSE_SHARE * prose):
        if not below and child not in above and node in above:
            below, whole = True, _length(node.text)
        beside = [each for each in node.children if isinstance(each, Element) and each != child]
        sizes = [(_length(each.text), _linked(each)) for each in beside]
        around = sum(size - links for size, links in sizes)
        if not below and around > MAX_DROPPED_TEXT_RATIO * max(plain - around, 1):
            break
        plain -= around
        for each, (size, links) in zip(beside, sizes, strict=True):
            if each in above or each.tag == "pre":
                continue
            dense = links > LINK_LIST_SHARE * size
            share = weights[each]
            if below:
                little = (
                    share < MIN_CONTENT_PROSE_SHARE * prose and size < MIN_MAIN_LIST_SHARE * whole
                )
                gone = dense and little and each.tag in LIST_TAGS
            else:
                gone = dense or (
                    share < MIN_CONTENT_PROSE_SHARE * prose and each.find("pre") is None
                )
            if gone:
                each.decompose()
                changed = True
        node = child
    return _without_teasers(node, weights, prose) or changed


def _without_teasers(node: Node, weights: Counter[Node], prose: int) -> bool:
    """Take out lists of other pages, unless they are most of what there is."""
    lists = [each for each in node.children if isinstance(each, Element) and each.tag in LIST_TAGS]
    teasers = [each for each in lists if _teases(each)]
    if sum(weights[each] for each in teasers) > MAX_TEASER_PROSE_SHARE * prose:
        return False
    for each in teasers:
        each.decompose()
    return bool(teasers)


def _teases(block: Element) -> bool:
    """Is it a list of other pages, each with a heading that leads there?"""
    headings = block.select("h2,h3,h4,h5")
    if len(headings) < 3:
        return False
    return sum(map(_leads_away, headings)) > MIN_TEASER_HEADING_SHARE * len(headings)


def _leads_away(heading: Element) -> bool:
    """Is all of a heading a link to another page?"""
    around = heading.closest("a")
    links = [around] if around is not None else heading.select("a")
    least = MIN_MAIN_PROSE_SHARE * _length(heading.text)
    return any(
        "#" not in (link.attr("href") or "#") and _length(link.text) >= least for link in links
    )


def _weights(region: Node) -> tuple[Counter[Node], int]:
    """How much prose each element in a region holds, and all of it."""
    own: Counter[Node] = Counter()
    for text in cast(list[XPathString], PROSE_XPATH(region)):
        own[text.getparent()] += _length(text)
    weights: Counter[Node] = Counter()
    for element, length in own.items():
        if length:
            node: Node | None = element
            while node is not None and node != region:
                weights[node] += length
                node = node.parent
    return weights, own.total()


def _way(region: Node, weights: Counter[Node], most: float) -> list[Element]:
    """The elements that hold most of the prose, from the outermost to the innermost.

    Each holds more than half of it, so each but the first is inside another.
    """
    holders = {node for node, weight in weights.items() if weight >= most}
    node = next(iter(holders - {each.parent for each in holders}), None)
    way: list[Element] = []
    while node is not None and node != region:
        if isinstance(node, Element):
            way.append(node)
        node = node.parent
    way.reverse()
    leaf = next((place for place, each in enumerate(way) if each.tag in LEAF_TAGS), len(way))
    return way[:leaf]


def _linked(node: Node) -> int:
    """How many characters of a text are links."""
    return _length("".join([link.text for link in node.select("a")]))


def _length(text: str) -> int:
    """The characters of a text without white space, of which some pages have more than words."""
    return len(text) - text.count(" ") - text.count("\n") - text.count("\t")


def _squashed(text: str) -> str:
    return " ".join(text[:500].split()).lower()
