"""Which parts of a page does it keep from search engines? Those between marks that some agreed on.

<noindex>…</noindex>
<!--noindex-->…<!--/noindex-->
<!--googleoff: index-->…<!--googleon: index-->
"""

import re
from collections.abc import Iterable

from turbohtml import Comment, Element, Node, Text

TAG = "noindex"
ENDS = {"noindex": "/noindex", "googleoff:index": "googleon:index"}
"""The comments that begin a region, and those that end it."""

BEGINNING = re.compile(rb"!--\s*(?:noindex|googleoff)", re.IGNORECASE)
"""In the bytes of every page with such comments: few have any, and comments are slow to find."""
FEW = 1000
"""Exclamation marks that are looked at one by one; pages with more are scripts, mostly."""


def leave_out(page: Node, marked: Iterable[Element], body: bytes) -> None:
    """Take what is not to be indexed out of a page with these bytes.

    Its elements of that name are among the `marked`.
    """
    for element in marked:
        if element.tag == TAG:
            element.decompose()
    if _may_have_comments(body):
        for node in _between_comments(page):
            node.extract()


def _may_have_comments(body: bytes) -> bool:
    """Are there such comments in these bytes? A byte as rare as `!` is found at once."""
    place = body.find(b"!")
    for _ in range(FEW):
        if place < 0 or BEGINNING.match(body, place):
            return place >= 0
        place = body.find(b"!", place + 1)
    return BEGINNING.search(body, max(place, 0)) is not None


def _between_comments(page: Node) -> list[Text | Element]:
    """Words and pictures in such regions; one that never ends is none, lest all words be lost."""
    found: list[Text | Element] = []
    region: list[Text | Element] = []
    end = ""
    for node in page.descendants:
        if isinstance(node, Comment):
            said = "".join(node.data.split()).lower()
            if end and said == end:
                found += region
                end = ""
            elif not end and said in ENDS:
                end, region = ENDS[said], []
        elif end and (isinstance(node, Text) or (isinstance(node, Element) and node.tag == "img")):
            region.append(node)
    return found
