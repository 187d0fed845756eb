"""Where in its site is a page? The way to it, as the page shows it: Home › Shoes › Boots."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from turbohtml import Element, Node, Text

from byway.extract.formats.html.dom import single_line
from byway.extract.formats.html.structured_data import StructuredData, StructuredItem, texts_of

MAX_BREADCRUMBS, MAX_BREADCRUMB_CHARS = 12, 120
"""Steps of a way, and characters of a step; longer ones are menus."""

MAX_SCANNED_NODES, MAX_STEP_DEPTH = 1000, 12
"""Pieces of a page that are looked at for steps, and how deep a step may be in them."""

#: How sites mark their breadcrumbs, the surest first.
BREADCRUMB_SELECTORS = (
    "nav[aria-label*=bread i],[role=navigation][aria-label*=bread i]",
    "ol[class*=breadcrumb i],ul[class*=breadcrumb i],nav[class*=breadcrumb i]",
    "[class*=breadcrumb i],[id*=breadcrumb i],[class*=bread-crumb i],[itemprop=breadcrumb]",
    ".crumbs,#crumbs,.pathway",
)
#: What all of these have in common; asking for each of them on every page took twice the time.
ANY_BREADCRUMB_SELECTOR = (
    "[class*=crumb i],[id*=crumb i],[aria-label*=bread i],[itemprop=breadcrumb],.pathway"
)
DATA_VOCABULARY_TYPE = "http://data-vocabulary.org/Breadcrumb"
STEP_TAGS = ("a", "li", "td")
HIDDEN_TAGS = ("script", "style", "template", "select")
#: What stands between two steps.
SEPARATOR_PATTERN = re.compile(r"(?:^|\s)(?:[>»›→▸▶❯|]+|::)(?=\s|$)|[›→▸▶❯]")
SEPARATOR_CHARS = " >›→▸▶❯|/\\:·•-–‹<←"


def breadcrumbs_of(candidates: Sequence[Element], data: StructuredData) -> tuple[str, ...]:
    """The names of the steps that lead to a page, the first being the site's own.

    They are looked for among the `candidates` elements of a page, at least all that
    `ANY_BREADCRUMB_SELECTOR` finds.
    """
    if not (candidates or data.items):
        return ()
    described: tuple[str, ...] = ()
    for found in _described(data):
        steps = clean_steps([step for step in found if "://" not in step])
        if len(steps) > 1:
            return steps
        described = described or steps
    for selector in BREADCRUMB_SELECTORS:
        surest = next((each for each in candidates if each.matches(selector)), None)
        if surest is not None and len(steps := clean_steps(visible_steps(surest))) > 1:
            return steps
    return described


def visible_steps(element: Element) -> list[str]:
    """The steps in an element: one for each link, list item, or piece between two arrows."""
    steps: list[str] = []
    last: Node | None = None
    for text in islice(element.descendants, MAX_SCANNED_NODES):
        if not isinstance(text, Text) or not text.data.strip():
            continue
        around = _step(text, element)
        if around is not None and around.tag in HIDDEN_TAGS:
            continue
        if around is not None and around == last:
            steps[-1] += f" {text.data}"
        elif around is not None and around.tag == "a":
            steps.append(text.data)
        else:
            steps += [piece for piece in SEPARATOR_PATTERN.split(text.data) if piece.strip()]
        last = around
        if len(steps) > 3 * MAX_BREADCRUMBS:
            break
    return steps


def _step(text: Text, whole: Element) -> Element | None:
    """The link or item that a text is in."""
    for around in islice(text.ancestors, MAX_STEP_DEPTH):
        if around == whole or not isinstance(around, Element):
            return None
        if around.tag in HIDDEN_TAGS or around.tag in STEP_TAGS:
            return around
    return None


def _described(data: StructuredData) -> Iterator[list[str]]:
    """Ways that structured data gives."""
    for thing in data.items_of_type("BreadcrumbList"):
        yield _listed(thing)
    for thing in data.items:
        inner = thing.get("breadcrumb")
        if isinstance(inner, dict):
            yield _listed(inner)
    yield [
        title
        for thing in data.items_of_type(DATA_VOCABULARY_TYPE)
        for title in texts_of(thing.get("title"))
    ]


def _listed(thing: StructuredItem) -> list[str]:
    items = thing.get("itemListElement")
    steps = items if isinstance(items, list) else [items]
    ordered = sorted((each for each in steps if isinstance(each, dict)), key=_position)
    names = [texts_of(each) or texts_of(each.get("item")) for each in ordered]
    return [texts[0] for texts in names if texts]


def _position(step: StructuredItem) -> float:
    try:
        return float(str(step.get("position")))
    except ValueError:
        return 0.0


def clean_steps(steps: list[str]) -> tuple[str, ...]:
    """Steps without the arrows between them; none where there are too many."""
    names = (
        single_line(step).removeprefix("»").removesuffix(" »").strip(SEPARATOR_CHARS)
        for step in steps
    )
    found = [name for name in names if name and len(name) <= MAX_BREADCRUMB_CHARS]
    kept = [name for place, name in enumerate(found) if not place or found[place - 1] != name]
    return tuple(kept) if len(kept) <= MAX_BREADCRUMBS else ()
