"""What does a page say, once its furniture is put aside? The main text and what stands out in it.

Looking at a page here changes its tree, so this comes after everything that needs it whole.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from turbohtml import Document, Element, Node, PlainText, Text

from byway.core.model import Heading, Image, Url
from byway.core.text import storable_text
from byway.core.url import resolve
from byway.extract.formats.html.boilerplate import remove_boilerplate, remove_empty_headings
from byway.extract.formats.html.capitals import capitals
from byway.extract.formats.html.definitions import CODE_TAGS, defined_names
from byway.extract.formats.html.dom import Elements, body_of, single_line, single_lines
from byway.extract.formats.html.links import MAX_LINK_TEXT_CHARS, anchor_text
from byway.extract.formats.html.main_region import PageRegion, find_main_region, region_of

MAX_ITEMS_PER_KIND = 2000
"""Headings, emphasised words, images ... taken from one page: more is noise, or an attack."""

MAX_EMPHASIS_CHARS = 200
"""Emphasis longer than this is a whole paragraph in bold, which emphasises nothing."""

HEADING_LEVELS = {f"h{level}": level for level in range(1, 7)}
EMPHASIS_TAGS = ("b", "strong", "i", "em", "mark", "u")
BLOCK_SELECTOR = "p,div,ul,ol,dl,table,h1,h2,h3,h4,h5,h6,pre,section,article,blockquote,figure,form"
#: Inline elements that hold blocks. The renderer would glue what follows such a block to it.
INLINE_WRAPPER_SELECTOR = (
    f":is(a,span,font,b,i,em,strong,ins,del,u,small,td,th):has(> :is({BLOCK_SELECTOR}))"
)
#: What is rendered as something simpler: the renderer would draw tables, and number the items.
SIMPLIFIED_TAGS = dict.fromkeys(
    ("table", "thead", "tbody", "tfoot", "tr", "caption", "center", "fieldset", "legend"), "div"
) | {"td": "span", "th": "span", "ol": "ul"}
#: The elements that are looked at, and what for.
ELEMENT_KINDS = (
    dict.fromkeys(HEADING_LEVELS, "headings")
    | dict.fromkeys(EMPHASIS_TAGS, "emphasis")
    | dict.fromkeys(SIMPLIFIED_TAGS, "boxes")
    | dict.fromkeys(CODE_TAGS, "codes")
    | {"img": "images", "figure": "figures", "dt": "terms"}
)
SCANNED_TAGS = tuple(ELEMENT_KINDS)
PLAIN_TEXT_OPTIONS = PlainText(layout="strict", bullet="")
PERMALINK_CHARS = " ¶#§🔗"


@dataclass(frozen=True, slots=True)
class Article:
    """The main part of a page."""

    text: str = ""
    headings: tuple[Heading, ...] = ()
    emphasis: tuple[str, ...] = ()
    capitals: tuple[str, ...] = ()
    link_text: tuple[str, ...] = ()
    images: tuple[Image, ...] = ()
    names: tuple[str, ...] = ()


def read(
    document: Document, base: Url, max_chars: int, main_selector: str = "", drop: Sequence[str] = ()
) -> Article:
    """The main part of a page; a site's rule may say where that is, and what to drop of it."""
    body = body_of(document)
    removed = remove_boilerplate(body, drop, guess_by_name=not main_selector)
    if drop:
        remove_empty_headings(body)
    regions = (
        [region_of(each) for each in _outermost(body.select(main_selector))]
        if main_selector
        else []
    )
    if not regions:
        title = document.find("title")
        regions = [find_main_region(body, title.text if title is not None else "")]
    article = _article(regions, base, max_chars)
    if not article.text:
        article = _article([region_of(each) for each in (body, *removed)], base, max_chars)
    return article


def _outermost(elements: Sequence[Element]) -> list[Node]:
    """Those that are in none of the others, so that nothing is read twice."""
    chosen = set(elements)
    return [each for each in elements if chosen.isdisjoint(each.ancestors)]


def _article(regions: Sequence[PageRegion], base: Url, most: int) -> Article:
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
        # Raw texts first: pages repeat them, and tidying each one up costs more than a look-up.
        emphasis |= dict.fromkeys([each.text for each in found["emphasis"]])
        said = region.link_texts
        if not all(said):
            said = [
                text or anchor_text(each) for text, each in zip(said, region.links, strict=True)
            ]
        links |= dict.fromkeys(said)
        images += _images(found["images"], found["figures"], base)
        names |= dict.fromkeys(defined_names(region.node, found["terms"], found["codes"]))
        # Rendering comes last: it turns wrappers and tables into plain boxes.
        texts.append(_rendered(region.node, found["boxes"]))
    text = storable_text("\n".join(filter(None, texts))[:most])
    return Article(
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
    found = dict.fromkeys(texts)
    found.pop("", None)
    return tuple(found)[:MAX_ITEMS_PER_KIND]


def _headings(elements: Sequence[Element]) -> list[Heading]:
    texts = single_lines([element.text for element in elements])
    return [
        Heading(HEADING_LEVELS[element.tag], said, _anchor(element))
        for element, text in zip(elements, texts, strict=True)
        if (said := text.rstrip(PERMALINK_CHARS))
    ]


def _anchor(heading: Element) -> str:
    """The id that leads to a heading: its own, one inside it, or that of the section it opens."""
    own = heading.attr("id")
    if own:
        return single_line(own)
    inner = heading.select_one("[id],a[name]")
    if inner is not None:
        return single_line(inner.attr("id") or inner.attr("name"))
    parent = heading.parent
    if isinstance(parent, Element) and parent.find() == heading:
        return single_line(parent.attr("id"))
    return ""


def _images(images: Iterable[Element], figures: Iterable[Element], base: Url) -> list[Image]:
    """Pictures the page says something of, in their `alt` text or in a caption."""
    said: dict[str, str] = {}
    for element in images:
        source = element.attr("src") or element.attr("data-src")
        if source and not source.startswith("data:"):
            said.setdefault(source, single_line(element.attr("alt")))
    for figure in figures:
        caption, picture = figure.find("figcaption"), figure.find("img")
        source = picture.attr("src") if picture is not None else None
        if caption is not None and source in said:
            said[source] = f"{said[source]} {single_line(caption.text)}".strip()
    told = {source: text for source, text in said.items() if text}
    if not told:
        return []
    return [Image(url, told[source]) for source, url in resolve(base, told).items()]


def _rendered(region: Node, boxes: Iterable[Element]) -> str:
    """The text of a region as a reader sees it: a line for each paragraph, item and row."""
    for element in region.select(INLINE_WRAPPER_SELECTOR):
        element.tag = "div"
    for element in boxes:
        box = SIMPLIFIED_TAGS.get(element.tag)
        if box == "span":
            element.insert_after(Text(" "))
        if box:
            element.tag = box
    return _tidy(region.to_text(PLAIN_TEXT_OPTIONS))


def _tidy(text: str) -> str:
    """Without empty lines, and with one space where there are several."""
    for odd in ("\t", "\xa0", "\r", "\f"):
        if odd in text:
            text = text.replace(odd, " ")
    lines = filter(None, map(str.strip, text.split("\n")))
    # Most lines are tidy as they come; taking each of them apart took a tenth of a page's time.
    return "\n".join([" ".join(line.split()) if "  " in line else line for line in lines])
