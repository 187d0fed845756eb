"""Regions of a page that are excluded from indexing, in three common notations.

<noindex>…</noindex>
<!--noindex-->…<!--/noindex-->
<!--googleoff: index-->…<!--googleon: index-->
"""

import re
from collections.abc import Iterable

from turbohtml import Comment, Element, Node, Text

NOINDEX_TAG = "noindex"
END_COMMENTS = {"noindex": "/noindex", "googleoff:index": "googleon:index"}
"""Start comments of a region and their end comments."""

START_COMMENT_PATTERN = re.compile(rb"!--\s*(?:noindex|googleoff)", re.IGNORECASE)
"""Start of a noindex comment in the raw bytes; few pages have one, and tree searches are slow."""
MAX_SCANNED_MARKS = 1000
"""Maximum exclamation marks tried one by one; pages with more are mostly scripts."""


def remove_noindex_regions(page: Node, candidates: Iterable[Element], body: bytes) -> None:
    """Remove the excluded regions from a tree; `candidates` include all <noindex> elements."""
    for element in candidates:
        if element.tag == NOINDEX_TAG:
            element.decompose()
    if _may_have_comments(body):
        for node in _between_comments(page):
            node.extract()


def _may_have_comments(body: bytes) -> bool:
    """Whether the raw bytes may contain noindex comments; searching for the rare `!` is fast."""
    position = body.find(b"!")
    for _ in range(MAX_SCANNED_MARKS):
        if position < 0 or START_COMMENT_PATTERN.match(body, position):
            return position >= 0
        position = body.find(b"!", position + 1)
    return START_COMMENT_PATTERN.search(body, max(position, 0)) is not None


def _between_comments(page: Node) -> list[Text | Element]:
    """Texts and images between noindex comments; a region without an end is ignored."""
    nodes: list[Text | Element] = []
    region: list[Text | Element] = []
    end = ""
    for node in page.descendants:
        if isinstance(node, Comment):
            comment = "".join(node.data.split()).lower()
            if end and comment == end:
                nodes += region
                end = ""
            elif not end and comment in END_COMMENTS:
                end, region = END_COMMENTS[comment], []
        elif end and (isinstance(node, Text) or (isinstance(node, Element) and node.tag == "img")):
            region.append(node)
    return nodes
