"""Do two pages say the same? Each gets 64 bits; pages that say nearly the same share nearly all.

>>> from byway.core.text import terms
>>> said = simhash(terms("the cat sat on the mat and looked at the dog " * 9))
>>> distance(said, simhash(terms("the cat sat on the mat and looked at the dog " * 9 + "twice")))
1
"""

from collections.abc import Sequence
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

Hashes = NDArray[np.uint64]

MAX_DUPLICATE_DISTANCE_BITS = 3
"""Bits in which two pages may differ and still say the same.

Of 1,480,060 pairs of pages of 50 words or more, out of the Python and PostgreSQL manuals and our
village, one was this near, and that is a page with its print version. One word changed was found
in 98 % of these pages, a date put in in 94 %, a line added at the foot in 89 %.
"""

HASH_SALT = 10_101
"""Changing it changes every hash. With ten others, 0 to 5 pairs of unlike pages were near."""

MAX_TERM_VOTES = 12
"""A word or pair counts this often at most: without, long pages are as alike as their `the`s.

Swept 2–32 and no limit: below 8 small edits of short pages are lost, above 16 strangers are found.
"""

MIN_SIMHASH_WORDS = 50
"""Words from which a page may be near another: captions are soon alike."""

MIN_EXACT_HASH_WORDS = 8
"""Words from which a page with few is the same as one that says exactly this, and is called so."""

HASH_BITS = 64
HASH_MASK = (1 << HASH_BITS) - 1


def simhash(terms: Sequence[str], include_numbers: bool = True) -> int:
    """64 bits, signed as databases like them, that say what a text says; 0 if it says nothing.

    Without its numbers, every month of an empty calendar says the same.
    """
    if not include_numbers:
        terms = [term for term in terms if not term[:1].isdigit()]
    if not terms:
        return 0
    # Encoded in one go, since that is twice as fast; crc32 is the same everywhere and for ever.
    written = "\n".join(terms).encode("utf-8", "surrogatepass").split(b"\n")
    codes = np.fromiter(map(crc32, written), np.uint64, len(written))
    words = _mixed(codes + np.uint64(HASH_SALT))
    pairs = _mixed(_mixed(words[:-1]) + words[1:])
    # Words twice: the pairs alone lose short pages over one changed word.
    votes = 2 * _votes(words) + _votes(pairs)
    return int.from_bytes(np.packbits(votes > 0).tobytes(), signed=True)


def duplicate_hash(terms: Sequence[str], title: Sequence[str] = ()) -> int:
    """What to compare pages by: near ones say nearly the same; 0 if this one says too little.

    Those of few words are near only if all of them are the same, and the title, too.
    """
    if len(terms) >= MIN_SIMHASH_WORDS:
        return simhash(terms)
    return exact_hash(terms, title) if len(terms) >= MIN_EXACT_HASH_WORDS else 0


def exact_hash(terms: Sequence[str], title: Sequence[str]) -> int:
    """64 bits that are others for other words, or for the same in another order."""
    said = HASH_SALT
    for term in (*title, "", *terms):
        code = crc32(term.encode("utf-8", "surrogatepass"))
        said = _mixed_one(said ^ code)
    return said - (said >> (HASH_BITS - 1) << HASH_BITS)


def hamming_distance(one: int, other: int) -> int:
    """In how many bits two hashes differ, of 64."""
    return ((one ^ other) & HASH_MASK).bit_count()


def _mixed(hashes: Hashes) -> Hashes:
    """The hashes with every bit spread over all others: the end of splitmix64."""
    hashes = hashes + np.uint64(0x9E3779B97F4A7C15)
    hashes = (hashes ^ (hashes >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    hashes = (hashes ^ (hashes >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return hashes ^ (hashes >> np.uint64(31))


def _mixed_one(key: int) -> int:
    """The same for one hash, without the cost of an array."""
    key = (key + 0x9E3779B97F4A7C15) & HASH_MASK
    key = ((key ^ (key >> 30)) * 0xBF58476D1CE4E5B9) & HASH_MASK
    key = ((key ^ (key >> 27)) * 0x94D049BB133111EB) & HASH_MASK
    return key ^ (key >> 31)


def _votes(hashes: Hashes) -> NDArray[np.int64]:
    """For each bit: in how many hashes it is 1, less those in which it is 0."""
    ordered = np.sort(hashes)
    # In order, a value that also stands `MAX_TERM_VOTES` places before has been counted often
    # enough.
    later = ordered[MAX_TERM_VOTES:]
    counted = np.concatenate((ordered[:MAX_TERM_VOTES], later[later != ordered[: len(later)]]))
    bits = np.unpackbits(counted.astype(">u8").view(np.uint8)).reshape(-1, HASH_BITS)
    ones: NDArray[np.int64] = bits.sum(axis=0, dtype=np.int64)
    return 2 * ones - len(counted)


# Is this page like those around it? A sketch of how it begins, to tell a trap by.


PREFIX_SIMHASH_CHARS = 2000
"""Characters that a sketch looks at."""


def prefix_simhash(text: str) -> int:
    """A simhash of how a text begins, numbers apart: cheap, and enough to tell a trap by."""
    return simhash(text[:PREFIX_SIMHASH_CHARS].lower().split(), include_numbers=False)
