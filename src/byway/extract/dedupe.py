"""Do two pages say the same? Each gets 64 bits; pages that say nearly the same share nearly all.

>>> from byway.text import terms
>>> said = simhash(terms("the cat sat on the mat and looked at the dog " * 9))
>>> distance(said, simhash(terms("the cat sat on the mat and looked at the dog " * 9 + "twice")))
1
"""

from collections.abc import Iterable, Sequence
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from byway.model import UrlId
from byway.ports import Ids

Hashes = NDArray[np.uint64]

NEAR = 3
"""Bits in which two pages may differ and still say the same.

Of 1,480,060 pairs of pages of 50 words or more, out of the Python and PostgreSQL manuals and our
village, one was this near, and that is a page with its print version. One word changed was found
in 98 % of these pages, a date put in in 94 %, a line added at the foot in 89 %.
"""

SALT = 10_101
"""Changing it changes every hash. With ten others, 0 to 5 pairs of unlike pages were near."""

ENOUGH = 12
"""A word or pair counts this often at most: without, long pages are as alike as their `the`s.

Swept 2–32 and no limit: below 8 small edits of short pages are lost, above 16 strangers are found.
"""

BITS = 64
MASK = (1 << BITS) - 1


SKETCHED = 2000
"""Characters that a sketch looks at."""


def simhash(terms: Sequence[str], numbers: bool = True) -> int:
    """64 bits, signed as databases like them, that say what a text says; 0 if it says nothing.

    Without its numbers, every month of an empty calendar says the same.
    """
    if not numbers:
        terms = [term for term in terms if not term[:1].isdigit()]
    if not terms:
        return 0
    # Encoded in one go, since that is twice as fast; crc32 is the same everywhere and for ever.
    written = "\n".join(terms).encode("utf-8", "surrogatepass").split(b"\n")
    codes = np.fromiter(map(crc32, written), np.uint64, len(written))
    words = _mixed(codes + np.uint64(SALT))
    pairs = _mixed(_mixed(words[:-1]) + words[1:])
    # Words twice: the pairs alone lose short pages over one changed word.
    votes = 2 * _votes(words) + _votes(pairs)
    return int.from_bytes(np.packbits(votes > 0).tobytes(), signed=True)


def sketch(text: str) -> int:
    """A simhash of how a text begins, numbers apart: cheap, and enough to tell a trap by."""
    return simhash(text[:SKETCHED].lower().split(), numbers=False)


def distance(one: int, other: int) -> int:
    """In how many bits two hashes differ, of 64."""
    return ((one ^ other) & MASK).bit_count()


class NearDuplicates:
    """Which known page says the same as this one? All within `NEAR` are found, and no others.

    Four pieces of 16 bits: if at most three bits differ, one piece is the same in both. So for
    each piece there is a list of the pages by its value, and only those that share one are
    compared. What was added since the lists were made is compared one by one. Takes 1 MB and 32
    to 48 bytes a page; answers in about 25 µs where a million pages are known.
    """

    PIECES = 4
    LOOSE = 16_384
    """Pages compared one by one before the lists are made anew, which takes 50 ms a million."""

    def __init__(self, ids: Iterable[int] = (), hashes: Iterable[int] = ()) -> None:
        self._ids: Ids = np.array(list(ids), dtype=np.int64)
        self._hashes: Hashes = np.array(list(hashes), dtype=np.int64).view(np.uint64)
        if len(self._ids) != len(self._hashes):
            raise ValueError("as many hashes as ids, please")
        self._count = len(self._ids)
        self._arrange()

    def __len__(self) -> int:
        return int(np.count_nonzero(self._ids[: self._count]))

    def add(self, id: UrlId, hash: int) -> None:
        """Know this page from now on.

        A page that has a near duplicate need not be added: thousands of copies would all be
        compared each time.
        """
        if self._count == len(self._ids):
            room = max(1024, self._count)
            self._ids = np.concatenate((self._ids, np.zeros(room, np.int64)))
            self._hashes = np.concatenate((self._hashes, np.zeros(room, np.uint64)))
        self._ids[self._count] = id
        self._hashes[self._count] = hash & MASK
        self._count += 1
        if self._count - self._arranged > self.LOOSE:
            self._arrange()

    def remove(self, id: UrlId) -> None:
        """Forget a page, as when it comes to say something else."""
        self._ids[: self._count][self._ids[: self._count] == id] = 0

    def nearest(self, hash: int) -> UrlId | None:
        """The known page that is nearest, and of those the one added first; None if none is near.

        A page may find itself: remove it first.
        """
        asked = np.uint64(hash & MASK)
        rows = self._sharing(asked)
        rows = rows[self._ids[rows] != 0]
        apart = np.bitwise_count(self._hashes[rows] ^ asked)
        near = apart <= NEAR
        if not near.any():
            return None
        rows, apart = rows[near], apart[near]
        return UrlId(int(self._ids[rows[apart == apart.min()].min()]))

    def _sharing(self, asked: np.uint64) -> NDArray[np.int32]:
        """The rows of all pages that share a piece with `asked`, and of all loose ones near it."""
        apart = np.bitwise_count(self._hashes[self._arranged : self._count] ^ asked)
        found = [(np.flatnonzero(apart <= NEAR) + self._arranged).astype(np.int32)]
        for piece, value in enumerate(_pieces(np.array([asked]))[:, 0].tolist()):
            start, end = self._starts[piece, value : value + 2]
            found.append(self._rows[piece, start:end])
        return np.concatenate(found)

    def _arrange(self) -> None:
        """Make the lists: the rows ordered by each piece, and where each of its values begins."""
        self._arranged = self._count
        pieces = _pieces(self._hashes[: self._count])
        self._rows = np.empty(pieces.shape, np.int32)
        self._starts = np.zeros((self.PIECES, (1 << 16) + 1), np.int32)
        for number, values in enumerate(pieces):
            self._rows[number] = np.argsort(values, kind="stable")
            np.cumsum(np.bincount(values, minlength=1 << 16), out=self._starts[number, 1:])


def _pieces(hashes: Hashes) -> NDArray[np.uint16]:
    """Each hash in four pieces: one row for each piece."""
    return np.ascontiguousarray(hashes).view(np.uint16).reshape(-1, NearDuplicates.PIECES).T


def _mixed(hashes: Hashes) -> Hashes:
    """The hashes with every bit spread over all others: the end of splitmix64."""
    hashes = hashes + np.uint64(0x9E3779B97F4A7C15)
    hashes = (hashes ^ (hashes >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    hashes = (hashes ^ (hashes >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return hashes ^ (hashes >> np.uint64(31))


def _votes(hashes: Hashes) -> NDArray[np.int64]:
    """For each bit: in how many hashes it is 1, less those in which it is 0."""
    ordered = np.sort(hashes)
    # In order, a value that also stands `ENOUGH` places before has been counted often enough.
    later = ordered[ENOUGH:]
    counted = np.concatenate((ordered[:ENOUGH], later[later != ordered[: len(later)]]))
    bits = np.unpackbits(counted.astype(">u8").view(np.uint8)).reshape(-1, BITS)
    ones: NDArray[np.int64] = bits.sum(axis=0, dtype=np.int64)
    return 2 * ones - len(counted)
