"""How do the links of a page lie in crawl.db? Targets as 32-bit numbers, anchors as one text.

A row for each link would be thirty times as many rows, and PageRank would have to read them one
by one; so it reads arrays. A crawl packs them without numpy, which would cost it 14 MB.
"""

from array import array
from collections.abc import Mapping, Sequence

import zstandard

from byway.core.model import Link, Neighbour, Url, UrlId

TARGET_TYPECODE = "i"
"""The kind of array: 32-bit numbers, as numpy's int32 reads them."""


def pack_links(links: Sequence[Link], url_ids: Mapping[Url, int]) -> tuple[bytes, bytes]:
    """Targets and anchors of the links whose target has a number; nofollow is a minus sign."""
    known = [link for link in links if link.target in url_ids]
    signed = [-url_ids[link.target] if link.nofollow else url_ids[link.target] for link in known]
    anchors = "\n".join(" ".join(link.anchor.split()) for link in known)
    return array(TARGET_TYPECODE, signed).tobytes(), zstandard.compress(anchors.encode(), 1)


def unpack_links(targets: bytes, anchors: bytes) -> list[Neighbour]:
    """What `pack_links` packed."""
    signed = array(TARGET_TYPECODE, targets)
    texts = zstandard.decompress(anchors).decode().split("\n")
    return [
        Neighbour(UrlId(abs(number)), text, number < 0)
        for number, text in zip(signed, texts, strict=False)
    ]
