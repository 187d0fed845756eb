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

LONGEST = 200
EMPTY = re.compile(
    r"(?i)\W*(next|prev(ious)?|back|home|up|top|here|click here|more|read more|index|contents|link"
    r"|skip to .*|https?://.*|\d+|вперед|назад|далее|главная|здесь|weiter|zurück|hier|mehr)?\W*"
)
"""Texts that say where a link leads from here, and nothing of what is there."""
REMEMBERED = 20_000
"""Texts whose sign is not worked out again: pages of one site mostly say the same."""

Named = tuple[int, int]
"""A page that a link leads to, and the sign of what the link says."""
NOTHING = np.zeros(0, np.uint32)


@dataclass(frozen=True, slots=True)
class Said:
    """What the links of one page say, link by link."""

    names: tuple[Named, ...] = ()
    texts: tuple[str, ...] = ()

    def packed(self) -> bytes:
        """The pages and the signs as few bytes; none if nothing is said."""
        pairs = np.array(self.names, np.uint32).tobytes()
        return zstandard.compress(pairs, 1) if pairs else b""


@dataclass(frozen=True, slots=True)
class Change:
    """What the links of some pages say and did not say before, and the other way round."""

    more: Counter[Named] = field(default_factory=Counter)
    less: Counter[Named] = field(default_factory=Counter)
    texts: dict[Named, str] = field(default_factory=dict)
    said: dict[UrlId, bytes] = field(default_factory=dict)
    """What each page says that says something else now, packed."""

    def take(self, source: UrlId, said: Said, before: bytes) -> None:
        """This is what its links say now, and what they said before, packed."""
        packed = said.packed()
        if packed == before:
            return
        self.said[source] = packed
        self.texts.update(zip(said.names, said.texts, strict=True))
        if not before:
            self.more.update(said.names)
            return
        now, then = Counter(said.names), Counter(_unpacked(before))
        self.more.update(now - then)
        self.less.update(then - now)


def said_by(source: UrlId, links: Iterable[Neighbour]) -> Said:
    """What these links of a page say that is worth remembering."""
    names: list[Named] = []
    texts: list[str] = []
    for id, anchor, nofollow in links:
        text, sign = _signed(anchor)
        if text and not nofollow and id != source:
            names.append((id, sign))
            texts.append(text)
    return Said(tuple(names), tuple(texts))


def _unpacked(packed: bytes) -> list[Named]:
    pairs = np.frombuffer(zstandard.decompress(packed), np.uint32) if packed else NOTHING
    return [(target, sign) for target, sign in pairs.reshape(-1, 2).tolist()]


@lru_cache(REMEMBERED)
def _signed(anchor: str) -> tuple[str, int]:
    """What a link says of where it leads, and 32 bits that are its own; nothing if it is empty."""
    text = anchor[:LONGEST]
    if EMPTY.fullmatch(text):
        return "", 0
    return text, int.from_bytes(blake2b(text.encode(), digest_size=4).digest())
