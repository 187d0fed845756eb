"""Encoding of outlinks in crawl.db: targets as 32-bit ids, anchor texts as one compressed text.

One row per link would mean thirty times as many rows, and PageRank could not read arrays. Packing
needs no numpy, which would cost a crawl 14 MB.
"""

from array import array
from collections.abc import Mapping, Sequence

import zstandard

from byway.core.model import Link, Neighbour, Url, UrlId

TARGET_TYPECODE = "i"
"""32-bit integers, readable as numpy's int32."""


def pack_links(links: Sequence[Link], url_ids: Mapping[Url, int]) -> tuple[bytes, bytes]:
    """Targets and anchor texts of the links with a known target; nofollow targets are negative."""
    known = [link for link in links if link.target in url_ids]
    signed = [-url_ids[link.target] if link.nofollow else url_ids[link.target] for link in known]
    anchors = "\n".join(" ".join(link.anchor.split()) for link in known)
    return array(TARGET_TYPECODE, signed).tobytes(), zstandard.compress(anchors.encode(), 1)


def unpack_links(targets: bytes, anchors: bytes) -> list[Neighbour]:
    """The links that `pack_links` encoded."""
    signed = array(TARGET_TYPECODE, targets)
    texts = zstandard.decompress(anchors).decode().split("\n")
    return [
        Neighbour(UrlId(abs(number)), text, number < 0)
        for number, text in zip(signed, texts, strict=False)
    ]
