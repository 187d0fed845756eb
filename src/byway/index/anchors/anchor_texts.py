"""What do the links of a page say? Names of other pages; each has a sign, to be taken back by."""

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
"""Texts that say where a link leads from here, and nothing of what is there."""
ANCHOR_CACHE_SIZE = 20_000
"""Texts whose sign is not worked out again: pages of one site mostly say the same."""

AnchorKey = tuple[int, int]
"""A page that a link leads to, and the sign of what the link says."""
NO_PACKED_KEYS = np.zeros(0, np.uint32)


@dataclass(frozen=True, slots=True)
class AnchorTexts:
    """What the links of one page say, link by link."""

    keys: tuple[AnchorKey, ...] = ()
    texts: tuple[str, ...] = ()

    def to_bytes(self) -> bytes:
        """The pages and the signs as few bytes; none if nothing is said."""
        pairs = np.array(self.keys, np.uint32).tobytes()
        return zstandard.compress(pairs, 1) if pairs else b""


@dataclass(frozen=True, slots=True)
class AnchorChanges:
    """What the links of some pages say and did not say before, and the other way round."""

    added: Counter[AnchorKey] = field(default_factory=Counter)
    removed: Counter[AnchorKey] = field(default_factory=Counter)
    texts: dict[AnchorKey, str] = field(default_factory=dict)
    packed_by_source: dict[UrlId, bytes] = field(default_factory=dict)
    """What each page says that says something else now, packed."""

    def record(self, source: UrlId, current: AnchorTexts, previous: bytes) -> None:
        """This is what its links say now, and what they said before, packed."""
        packed = current.to_bytes()
        if packed == previous:
            return
        self.packed_by_source[source] = packed
        self.texts.update(zip(current.keys, current.texts, strict=True))
        if not previous:
            self.added.update(current.keys)
            return
        now, then = Counter(current.keys), Counter(_unpacked(previous))
        self.added.update(now - then)
        self.removed.update(then - now)


def collect_anchor_texts(source: UrlId, links: Iterable[Neighbour]) -> AnchorTexts:
    """What these links of a page say that is worth remembering."""
    names: list[AnchorKey] = []
    texts: list[str] = []
    for id, anchor, nofollow in links:
        text, sign = _signed(anchor)
        if text and not nofollow and id != source:
            names.append((id, sign))
            texts.append(text)
    return AnchorTexts(tuple(names), tuple(texts))


def _unpacked(packed: bytes) -> list[AnchorKey]:
    pairs = np.frombuffer(zstandard.decompress(packed), np.uint32) if packed else NO_PACKED_KEYS
    return [(target, sign) for target, sign in pairs.reshape(-1, 2).tolist()]


@lru_cache(ANCHOR_CACHE_SIZE)
def _signed(anchor: str) -> tuple[str, int]:
    """What a link says of where it leads, and 32 bits that are its own; nothing if it is empty."""
    text = anchor[:MAX_ANCHOR_CHARS]
    if GENERIC_ANCHOR_PATTERN.fullmatch(text):
        return "", 0
    return text, int.from_bytes(blake2b(text.encode(), digest_size=4).digest())
