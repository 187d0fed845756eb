"""Names that a page defines: terms of definition lists, ids, and leading <code> elements.

Reference pages put each name they define in a <dt>, give its paragraph an id that links can target
(`os.abort`, `GUC-ARCHIVE-MODE`), or begin a paragraph, list item or table row with the name in
<code>. A query for one of these names should find that page.
"""

import re
from collections.abc import Sequence
from itertools import islice

from turbohtml import Element, Node

from byway.core.text import single_line
from byway.extract.formats.html.dom import single_lines

MAX_NAMES = 2000
"""Maximum names taken from one page: more are noise or an attack."""
MAX_NAME_CHARS = 120
PERMALINK_CHARS = " ¶#§🔗"
MEANINGFUL_ID_PATTERN = re.compile(r"[^\W\d_]{3}")
"""Three letters in a row: ids without them are generated."""

CODE_TAGS = ("code", "dfn", "kbd", "samp", "tt")
BLOCK_TAGS = frozenset({"li", "p"})
WRAPPER_TAGS = frozenset({"a", "b", "em", "span", "strong"})
"""Inline elements that may wrap a leading name."""
NAME_PATTERN = re.compile(r"[^\W\d][\w.$:-]*(?:\(\))?")
"""A single name, not an example such as `count('*')` or a value such as `4`."""


def defined_names(
    region: Node, terms: Sequence[Element], codes: Sequence[Element]
) -> tuple[str, ...]:
    """The distinct names that a region defines: `terms`, ids, and `codes` that begin a block."""
    names: dict[str, None] = {}
    for term in single_lines([element.text for element in terms[:MAX_NAMES]], MAX_NAME_CHARS):
        names[term.rstrip(PERMALINK_CHARS)] = None
    for element in islice(region.select("[id]"), MAX_NAMES):
        name = element.attr("id") or ""
        if (len(name) > 2 and name[:3].isalpha()) or MEANINGFUL_ID_PATTERN.search(
            name, 0, MAX_NAME_CHARS
        ):
            is_plain = name.isascii() and name.isprintable() and " " not in name
            is_clean = is_plain and len(name) <= MAX_NAME_CHARS
            names[name if is_clean else single_line(name, MAX_NAME_CHARS)] = None
    for element in codes[:MAX_NAMES]:
        name = element.text.strip()
        if len(name) <= MAX_NAME_CHARS and NAME_PATTERN.fullmatch(name) and _begins_block(element):
            names[name] = None
    names.pop("", None)
    return tuple(islice(names, MAX_NAMES))


def _begins_block(element: Element) -> bool:
    """Whether an element begins a block; in a table row, only the first cell counts."""
    parent = element.parent if _is_first_child(element) else None
    if not isinstance(parent, Element):
        return False
    if parent.tag in WRAPPER_TAGS:
        return _begins_block(parent)
    grandparent = parent.parent
    cell = grandparent if parent.tag == "p" and isinstance(grandparent, Element) else parent
    if cell.tag in ("td", "th"):
        return not any(isinstance(before, Element) for before in cell.previous_siblings)
    return parent.tag in BLOCK_TAGS


def _is_first_child(element: Element) -> bool:
    before = element.previous_sibling
    while before is not None and not before.text.strip():
        before = before.previous_sibling
    return before is None
