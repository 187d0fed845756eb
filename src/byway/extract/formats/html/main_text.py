"""Main text of a page without boilerplate, its headings, emphasis, images and defined names.

Reading the main text changes the tree, so everything that needs the whole page is read first.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from turbohtml import Document as Tree
from turbohtml import Element, Node, PlainText, Text

from byway.core.model import Document, Heading, Image, Url
from byway.core.text import single_line, storable_text
from byway.core.url import resolve
from byway.extract.formats.html.boilerplate import remove_boilerplate, remove_empty_headings
from byway.extract.formats.html.capitals import capitals
from byway.extract.formats.html.definitions import CODE_TAGS, PERMALINK_CHARS, defined_names
from byway.extract.formats.html.dom import Elements, body_of, single_lines
from byway.extract.formats.html.links import MAX_LINK_TEXT_CHARS, anchor_text
from byway.extract.formats.html.main_region import PageRegion, find_main_region, region_of

MAX_ITEMS_PER_KIND = 2000
"""Maximum headings, emphasized words, images ... per page: more are noise or an attack."""

MAX_EMPHASIS_CHARS = 200
"""Maximum length of an emphasized phrase; longer emphasis is a bold paragraph."""

HEADING_LEVELS = {f"h{level}": level for level in range(1, 7)}
EMPHASIS_TAGS = ("b", "strong", "i", "em", "mark", "u")
BLOCK_SELECTOR = "p,div,ul,ol,dl,table,h1,h2,h3,h4,h5,h6,pre,section,article,blockquote,figure,form"
#: Inline elements that hold blocks: the renderer would join the text after a block to it.
INLINE_WRAPPER_SELECTOR = (
    f":is(a,span,font,b,i,em,strong,ins,del,u,small,td,th):has(> :is({BLOCK_SELECTOR}))"
)
#: Tags rendered as simpler ones: the renderer would draw tables and number list items.
SIMPLIFIED_TAGS = dict.fromkeys(
    ("table", "thead", "tbody", "tfoot", "tr", "caption", "center", "fieldset", "legend"), "div"
) | {"td": "span", "th": "span", "ol": "ul"}
#: Scanned elements by tag, and their kind.
ELEMENT_KINDS = (
    dict.fromkeys(HEADING_LEVELS, "headings")
    | dict.fromkeys(EMPHASIS_TAGS, "emphasis")
    | dict.fromkeys(SIMPLIFIED_TAGS, "boxes")
    | dict.fromkeys(CODE_TAGS, "codes")
    | {"img": "images", "figure": "figures", "dt": "terms"}
)
SCANNED_TAGS = tuple(ELEMENT_KINDS)
PLAIN_TEXT_OPTIONS = PlainText(layout="strict", bullet="")


def read(
    tree: Tree,
    document: Document,
    base: Url,
    max_chars: int,
    main_selector: str = "",
    drop: Sequence[str] = (),
) -> Document:
    """The document with the main part of its page; the selectors come from a site rule."""
    body = body_of(tree)
    removed = remove_boilerplate(body, drop, guess_by_name=not main_selector)
    if drop:
        remove_empty_headings(body)
    regions = (
        [region_of(node) for node in _outermost(body.select(main_selector))]
        if main_selector
        else []
    )
    if not regions:
        title = tree.find("title")
        regions = [find_main_region(body, title.text if title is not None else "")]
    found = _with_text(document, regions, base, max_chars)
    if found.text:
        return found
    return _with_text(document, [region_of(node) for node in (body, *removed)], base, max_chars)


def _outermost(elements: Sequence[Element]) -> list[Node]:
    """The elements not nested in another one, so that nothing is read twice."""
    element_set = set(elements)
    return [each for each in elements if element_set.isdisjoint(each.ancestors)]


def _with_text(
    document: Document, regions: Sequence[PageRegion], base: Url, max_chars: int
) -> Document:
    headings: list[Heading] = []
    emphasis: dict[str, None] = {}
    links: dict[str, None] = {}
    images: list[Image] = []
    names: dict[str, None] = {}
    texts: list[str] = []
    for region in regions:
        found: Elements = defaultdict(list)
        for element in region.node.iter_elements(SCANNED_TAGS):
            found[ELEMENT_KINDS[element.tag]].append(element)
        headings += _headings(found["headings"])
        # Raw texts first: pages repeat them, and collapsing each costs more than a lookup.
        emphasis |= dict.fromkeys([each.text for each in found["emphasis"]])
        link_texts = region.link_texts
        if not all(link_texts):
            pairs = zip(link_texts, region.links, strict=True)
            link_texts = [text or anchor_text(link) for text, link in pairs]
        links |= dict.fromkeys(link_texts)
        images += _images(found["images"], found["figures"], base)
        names |= dict.fromkeys(defined_names(region.node, found["terms"], found["codes"]))
        # Rendering comes last: it replaces wrappers and tables with plain elements.
        texts.append(_render(region.node, found["boxes"]))
    text = storable_text("\n".join(filter(None, texts))[:max_chars])
    return replace(
        document,
        text=text,
        names=tuple(names)[:MAX_ITEMS_PER_KIND],
        headings=tuple(headings[:MAX_ITEMS_PER_KIND]),
        emphasis=_distinct(
            single_lines([words for words in emphasis if len(words) <= MAX_EMPHASIS_CHARS])
        ),
        capitals=capitals(text),
        link_text=_distinct(single_lines([*links], MAX_LINK_TEXT_CHARS)),
        images=tuple(dict.fromkeys(images))[:MAX_ITEMS_PER_KIND],
    )


def _distinct(texts: Iterable[str]) -> tuple[str, ...]:
    distinct = dict.fromkeys(texts)
    distinct.pop("", None)
    return tuple(distinct)[:MAX_ITEMS_PER_KIND]


def _headings(elements: Sequence[Element]) -> list[Heading]:
    texts = single_lines([element.text for element in elements])
    return [
        Heading(HEADING_LEVELS[element.tag], heading, _anchor(element))
        for element, text in zip(elements, texts, strict=True)
        if (heading := text.rstrip(PERMALINK_CHARS))
    ]


def _anchor(heading: Element) -> str:
    """The link target of a heading: its id, an id inside it, or the id of its section."""
    id = heading.attr("id")
    if id:
        return single_line(id)
    inner = heading.select_one("[id],a[name]")
    if inner is not None:
        return single_line(inner.attr("id") or inner.attr("name"))
    parent = heading.parent
    if isinstance(parent, Element) and parent.find() == heading:
        return single_line(parent.attr("id"))
    return ""


def _images(images: Iterable[Element], figures: Iterable[Element], base: Url) -> list[Image]:
    """Images with a description: `alt` text or a caption."""
    descriptions: dict[str, str] = {}
    for element in images:
        source = element.attr("src") or element.attr("data-src")
        if source and not source.startswith("data:"):
            descriptions.setdefault(source, single_line(element.attr("alt")))
    for figure in figures:
        caption, picture = figure.find("figcaption"), figure.find("img")
        source = picture.attr("src") if picture is not None else None
        if caption is not None and source in descriptions:
            descriptions[source] = f"{descriptions[source]} {single_line(caption.text)}".strip()
    described = {source: text for source, text in descriptions.items() if text}
    if not described:
        return []
    return [Image(url, described[source]) for source, url in resolve(base, described).items()]


def _render(region: Node, boxes: Iterable[Element]) -> str:
    """The text of a region: a line for each paragraph, list item and table row."""
    for element in region.select(INLINE_WRAPPER_SELECTOR):
        element.tag = "div"
    for element in boxes:
        simple_tag = SIMPLIFIED_TAGS.get(element.tag)
        if simple_tag == "span":
            element.insert_after(Text(" "))
        if simple_tag:
            element.tag = simple_tag
    return _collapse_spaces(region.to_text(PLAIN_TEXT_OPTIONS))


def _collapse_spaces(text: str) -> str:
    """Text without empty lines and repeated spaces."""
    for space in ("\t", "\xa0", "\r", "\f"):
        if space in text:
            text = text.replace(space, " ")
    lines = filter(None, map(str.strip, text.split("\n")))
    # Most lines need no change; splitting each one took a tenth of a page's time.
    return "\n".join([" ".join(line.split()) if "  " in line else line for line in lines])
