"""Breadcrumbs of a page: Home › Shoes › Boots."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from turbohtml import Element, Node, Text

from byway.core.structured_data import StructuredData, StructuredItem, texts_of
from byway.core.text import single_line

MAX_BREADCRUMBS, MAX_BREADCRUMB_CHARS = 12, 120
"""Maximum breadcrumbs per page and characters in each; longer lists are menus."""

MAX_SCANNED_NODES, MAX_STEP_DEPTH = 1000, 12
"""Maximum nodes searched for steps, and nesting depth of a step."""

#: Elements that hold breadcrumbs, most reliable first.
BREADCRUMB_SELECTORS = (
    "nav[aria-label*=bread i],[role=navigation][aria-label*=bread i]",
    "ol[class*=breadcrumb i],ul[class*=breadcrumb i],nav[class*=breadcrumb i]",
    "[class*=breadcrumb i],[id*=breadcrumb i],[class*=bread-crumb i],[itemprop=breadcrumb]",
    ".crumbs,#crumbs,.pathway",
)
#: A superset of these: trying each one on every page took twice as long.
ANY_BREADCRUMB_SELECTOR = (
    "[class*=crumb i],[id*=crumb i],[aria-label*=bread i],[itemprop=breadcrumb],.pathway"
)
DATA_VOCABULARY_TYPE = "http://data-vocabulary.org/Breadcrumb"
STEP_TAGS = ("a", "li", "td")
HIDDEN_TAGS = ("script", "style", "template", "select")
#: Separators between steps.
SEPARATOR_PATTERN = re.compile(r"(?:^|\s)(?:[>»›→▸▶❯|]+|::)(?=\s|$)|[›→▸▶❯]")
SEPARATOR_CHARS = " >›→▸▶❯|/\\:·•-–‹<←"


def breadcrumbs_of(candidates: Sequence[Element], data: StructuredData) -> tuple[str, ...]:
    """The breadcrumbs of a page, starting at the site's home page.

    The `candidates` include all elements that `ANY_BREADCRUMB_SELECTOR` finds.
    """
    if not (candidates or data.items):
        return ()
    declared: tuple[str, ...] = ()
    for declared_steps in _declared_lists(data):
        steps = clean_steps([step for step in declared_steps if "://" not in step])
        if len(steps) > 1:
            return steps
        declared = declared or steps
    for selector in BREADCRUMB_SELECTORS:
        container = next((each for each in candidates if each.matches(selector)), None)
        if container is not None and len(steps := clean_steps(visible_steps(container))) > 1:
            return steps
    return declared


def visible_steps(element: Element) -> list[str]:
    """The breadcrumbs in an element: its links, its list items, or the text between separators."""
    steps: list[str] = []
    last: Node | None = None
    for text in islice(element.descendants, MAX_SCANNED_NODES):
        if not isinstance(text, Text) or not text.data.strip():
            continue
        parent = _step(text, element)
        if parent is not None and parent.tag in HIDDEN_TAGS:
            continue
        if parent is not None and parent == last:
            steps[-1] += f" {text.data}"
        elif parent is not None and parent.tag == "a":
            steps.append(text.data)
        else:
            steps += [piece for piece in SEPARATOR_PATTERN.split(text.data) if piece.strip()]
        last = parent
        if len(steps) > 3 * MAX_BREADCRUMBS:
            break
    return steps


def _step(text: Text, container: Element) -> Element | None:
    """The link or list item that contains a text node."""
    for parent in islice(text.ancestors, MAX_STEP_DEPTH):
        if parent == container or not isinstance(parent, Element):
            return None
        if parent.tag in HIDDEN_TAGS or parent.tag in STEP_TAGS:
            return parent
    return None


def _declared_lists(data: StructuredData) -> Iterator[list[str]]:
    """Breadcrumbs in structured data."""
    for item in data.items_of_type("BreadcrumbList"):
        yield _list_steps(item)
    for item in data.items:
        inner = item.get("breadcrumb")
        if isinstance(inner, dict):
            yield _list_steps(inner)
    yield [
        title
        for item in data.items_of_type(DATA_VOCABULARY_TYPE)
        for title in texts_of(item.get("title"))
    ]


def _list_steps(item: StructuredItem) -> list[str]:
    items = item.get("itemListElement")
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
    """Remove separators from breadcrumbs; return none if there are too many."""
    names = (
        single_line(step).removeprefix("»").removesuffix(" »").strip(SEPARATOR_CHARS)
        for step in steps
    )
    short_names = [name for name in names if name and len(name) <= MAX_BREADCRUMB_CHARS]
    distinct = [
        name
        for index, name in enumerate(short_names)
        if not index or short_names[index - 1] != name
    ]
    return tuple(distinct) if len(distinct) <= MAX_BREADCRUMBS else ()
