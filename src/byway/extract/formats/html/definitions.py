"""What does a page define? The terms of its definition lists, and the names its parts have.

Reference pages put each thing they define in a <dt>, give its paragraph an id that links can point
at (`os.abort`, `GUC-ARCHIVE-MODE`), or begin a paragraph, an item or a row of a table with its name
in <code>. Whoever looks for one of these wants that page.
"""

import re
from collections.abc import Sequence
from itertools import islice

from turbohtml import Element, Node

from byway.extract.formats.html.dom import single_line, single_lines

MAX_NAMES = 2000
"""Names taken from one page: more is noise, or an attack."""
MAX_NAME_CHARS = 120
PERMALINK_CHARS = " ¶#§🔗"
MEANINGFUL_ID_PATTERN = re.compile(r"[^\W\d_]{3}")
"""An id of less than three letters in a row was made by a machine for itself."""

CODE_TAGS = ("code", "dfn", "kbd", "samp", "tt")
BLOCK_TAGS = frozenset({"li", "p"})
WRAPPER_TAGS = frozenset({"a", "b", "em", "span", "strong"})
"""What may stand around a name that a block begins with."""
NAME_PATTERN = re.compile(r"[^\W\d][\w.$:-]*(?:\(\))?")
"""A name is one word: `count('*')` is an example, and `4` a value."""


def defined_names(
    region: Node, terms: Sequence[Element], codes: Sequence[Element]
) -> tuple[str, ...]:
    """The names of all that part of a page defines, each once.

    They are its `terms`, what has an id, and those of its pieces of code that a block begins with.
    """
    found: dict[str, None] = {}
    for term in single_lines([element.text for element in terms[:MAX_NAMES]], MAX_NAME_CHARS):
        found[term.rstrip(PERMALINK_CHARS)] = None
    for element in islice(region.select("[id]"), MAX_NAMES):
        name = element.attr("id") or ""
        if (len(name) > 2 and name[:3].isalpha()) or MEANINGFUL_ID_PATTERN.search(
            name, 0, MAX_NAME_CHARS
        ):
            plain = len(name) <= MAX_NAME_CHARS and name.isascii() and name.isprintable()
            found[name if plain and " " not in name else single_line(name, MAX_NAME_CHARS)] = None
    for element in codes[:MAX_NAMES]:
        name = element.text.strip()
        if len(name) <= MAX_NAME_CHARS and NAME_PATTERN.fullmatch(name) and _begins(element):
            found[name] = None
    found.pop("", None)
    return tuple(islice(found, MAX_NAMES))


def _begins(element: Element) -> bool:
    """Is it the first thing that a block says? Of a row, only the first cell gives a name."""
    outer = element.parent if _is_first(element) else None
    if not isinstance(outer, Element):
        return False
    if outer.tag in WRAPPER_TAGS:
        return _begins(outer)
    above = outer.parent
    cell = above if outer.tag == "p" and isinstance(above, Element) else outer
    if cell.tag in ("td", "th"):
        return not any(isinstance(before, Element) for before in cell.previous_siblings)
    return outer.tag in BLOCK_TAGS


def _is_first(element: Element) -> bool:
    before = element.previous_sibling
    while before is not None and not before.text.strip():
        before = before.previous_sibling
    return before is None
