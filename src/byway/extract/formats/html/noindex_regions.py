"""Which parts of a page does it keep from search engines? Those between marks that some agreed on.

<noindex>…</noindex>
<!--noindex-->…<!--/noindex-->
<!--googleoff: index-->…<!--googleon: index-->
"""

import re
from collections.abc import Iterable

from turbohtml import Comment, Element, Node, Text

NOINDEX_TAG = "noindex"
END_COMMENTS = {"noindex": "/noindex", "googleoff:index": "googleon:index"}
"""The comments that begin a region, and those that end it."""

START_COMMENT_PATTERN = re.compile(rb"!--\s*(?:noindex|googleoff)", re.IGNORECASE)
"""In the bytes of every page with such comments: few have any, and comments are slow to find."""
MAX_SCANNED_MARKS = 1000
"""Exclamation marks that are looked at one by one; pages with more are scripts, mostly."""


def remove_noindex_regions(page: Node, candidates: Iterable[Element], body: bytes) -> None:
    """Take what is not to be indexed out of a page with these bytes.

    Its elements of that name are among the `candidates`.
    """
    for element in candidates:
        if element.tag == NOINDEX_TAG:
            element.decompose()
    if _may_have_comments(body):
        for node in _between_comments(page):
            node.extract()


def _may_have_comments(body: bytes) -> bool:
    """Are there such comments in these bytes? A byte as rare as `!` is found at once."""
    place = body.find(b"!")
    for _ in range(MAX_SCANNED_MARKS):
        if place < 0 or START_COMMENT_PATTERN.match(body, place):
            return place >= 0
        place = body.find(b"!", place + 1)
    return START_COMMENT_PATTERN.search(body, max(place, 0)) is not None


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
            elif not end and said in END_COMMENTS:
                end, region = END_COMMENTS[said], []
        elif end and (isinstance(node, Text) or (isinstance(node, Element) and node.tag == "img")):
            region.append(node)
    return found
