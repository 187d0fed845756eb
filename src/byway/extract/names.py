"""What does a page define? The terms of its definition lists, and the names its parts have.

Reference pages put each thing they define in a <dt>, or give its paragraph an id that links can
point at: `os.abort`, `GUC-ARCHIVE-MODE`. Whoever looks for one of these wants that page.
"""

import re
from collections.abc import Sequence
from itertools import islice

from turbohtml import Element, Node

from byway.extract.dom import line

MOST = 2000
"""Names taken from one page: more is noise, or an attack."""
LONGEST = 120
PERMALINKS = " ¶#§🔗"
TELLING = re.compile(r"[^\W\d_]{3}")
"""An id of less than three letters in a row was made by a machine for itself."""


def names_of(region: Node, terms: Sequence[Element]) -> tuple[str, ...]:
    """The names of all that part of a page defines, each once: its `terms`, then what has an id."""
    found: dict[str, None] = {}
    for element in terms[:MOST]:
        found[line(element.text, LONGEST).rstrip(PERMALINKS)] = None
    for element in islice(region.select("[id]"), MOST):
        name = element.attr("id") or ""
        if TELLING.search(name, 0, LONGEST):
            plain = len(name) <= LONGEST and name.isascii() and name.isprintable()
            found[name if plain and " " not in name else line(name, LONGEST)] = None
    found.pop("", None)
    return tuple(islice(found, MOST))
