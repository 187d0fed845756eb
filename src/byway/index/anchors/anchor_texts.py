"""Anchor texts of a page's outgoing links, keyed by hash so they can be removed on re-crawl."""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import blake2b

import numpy as np
import zstandard

from byway.core.model import Neighbour, UrlId

MAX_ANCHOR_CHARS = 200
GENERIC_ANCHOR_PATTERN = re.compile(
    r"(?i)\W*(next|prev(ious)?|back|home|up|top|here|click here|more|read more|index|contents|link"
    r"|skip to .*|https?://.*|\d+|вперед|назад|далее|главная|здесь|weiter|zurück|hier|mehr)?\W*"
)
"""Anchor texts that do not describe their target: navigation, numbers, URLs."""
ANCHOR_CACHE_SIZE = 20_000
"""Maximum number of anchor texts with a cached hash: pages of one site share most texts."""

AnchorKey = tuple[int, int]
"""The id of the linked page, and the hash of the anchor text."""
NO_PACKED_KEYS = np.zeros(0, np.uint32)


@dataclass(frozen=True, slots=True)
class AnchorTexts:
    """The anchor texts of one page, link by link."""

    keys: tuple[AnchorKey, ...] = ()
    texts: tuple[str, ...] = ()

    def to_bytes(self) -> bytes:
        """Pack the keys into compressed bytes; empty if there are none."""
        pairs = np.array(self.keys, np.uint32).tobytes()
        return zstandard.compress(pairs, 1) if pairs else b""


@dataclass(frozen=True, slots=True)
class AnchorChanges:
    """Anchors gained and lost by the links of a batch of pages."""

    added: Counter[AnchorKey] = field(default_factory=Counter)
    removed: Counter[AnchorKey] = field(default_factory=Counter)
    texts: dict[AnchorKey, str] = field(default_factory=dict)
    packed_by_source: dict[UrlId, bytes] = field(default_factory=dict)
    """The new packed keys of each page whose anchors have changed."""

    def record(self, source: UrlId, current: AnchorTexts, previous: bytes) -> None:
        """Add the difference between a page's current anchors and its packed previous ones."""
        packed = current.to_bytes()
        if packed == previous:
            return
        self.packed_by_source[source] = packed
        self.texts.update(zip(current.keys, current.texts, strict=True))
        if not previous:
            self.added.update(current.keys)
            return
        now, before = Counter(current.keys), Counter(_unpack(previous))
        self.added.update(now - before)
        self.removed.update(before - now)


def collect_anchor_texts(source: UrlId, links: Iterable[Neighbour]) -> AnchorTexts:
    """The descriptive anchor texts of a page's links."""
    keys: list[AnchorKey] = []
    texts: list[str] = []
    for id, anchor, nofollow in links:
        text, text_hash = _text_and_hash(anchor)
        if text and not nofollow and id != source:
            keys.append((id, text_hash))
            texts.append(text)
    return AnchorTexts(tuple(keys), tuple(texts))


def _unpack(packed: bytes) -> list[AnchorKey]:
    pairs = np.frombuffer(zstandard.decompress(packed), np.uint32) if packed else NO_PACKED_KEYS
    return [(target, text_hash) for target, text_hash in pairs.reshape(-1, 2).tolist()]


@lru_cache(ANCHOR_CACHE_SIZE)
def _text_and_hash(anchor: str) -> tuple[str, int]:
    """The anchor text and its 32-bit hash; empty if it does not describe the target."""
    text = anchor[:MAX_ANCHOR_CHARS]
    if GENERIC_ANCHOR_PATTERN.fullmatch(text):
        return "", 0
    return text, int.from_bytes(blake2b(text.encode(), digest_size=4).digest())
