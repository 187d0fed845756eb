"""What does a page define? The terms of its definition lists, and the names its parts have.

Reference pages put each thing they define in a <dt>, or give its paragraph an id that links can
point at: `os.abort`, `GUC-ARCHIVE-MODE`. Whoever looks for one of these wants that page.
"""

import re
from itertools import islice

from turbohtml import Node

from byway.extract.dom import line

MOST = 2000
"""Names taken from one page: more is noise, or an attack."""
LONGEST = 120
PERMALINKS = " ¶#§🔗"
TELLING = re.compile(r"[^\W\d_]{3}")
"""An id of less than three letters in a row was made by a machine for itself."""


def names_of(region: Node) -> tuple[str, ...]:
    """The names of all that part of a page defines, each once, in the order of the page."""
    found: dict[str, None] = {}
    for element in islice(region.iter_elements(("dt",)), MOST):
        found[line(element.text, LONGEST).rstrip(PERMALINKS)] = None
    for element in islice(region.select("[id]"), MOST):
        name = element.attr("id") or ""
        if TELLING.search(name, 0, LONGEST):
            found[name if name.isascii() and name.isprintable() else line(name)] = None
    found.pop("", None)
    return tuple(islice(found, MOST))
