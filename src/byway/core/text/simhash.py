"""SimHash for near-duplicate detection: similar texts have hashes that differ in few bits.

>>> from byway.core.text import terms
>>> text = "the cat sat on the mat and looked at the dog " * 9
>>> hamming_distance(simhash(terms(text)), simhash(terms(text + "twice")))
1
"""

from collections.abc import Sequence
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

Hashes = NDArray[np.uint64]

MAX_DUPLICATE_DISTANCE_BITS = 3
"""Maximum Hamming distance between near duplicates in search results.

Traps have `MAX_TRAP_DUPLICATE_BITS` in `crawl/traps/pattern_budget.py`.
Among 1,480,060 pairs of pages with 50 words or more, from the Python and PostgreSQL manuals and the
village, only one was this close: a page and its print version. After changing one word, 98 % of
these pages were still near duplicates; after inserting a date 94 %, after adding a last line 89 %.
"""

HASH_SALT = 10_101
"""The salt of all hashes. Ten other values gave 0 to 5 false near duplicates."""

MAX_TERM_VOTES = 12
"""Maximum votes per term or bigram: without it, long pages match by their stop words.

Tested from 2 to 32, and without a limit: below 8, small edits to short pages are missed; above 16,
unrelated pages match.
"""

MIN_SIMHASH_WORDS = 50
"""Minimum length for near duplicates: short texts are too often similar."""

MIN_EXACT_HASH_WORDS = 8
"""Minimum length for exact duplicates, which must also have the same title."""

HASH_BITS = 64
HASH_MASK = (1 << HASH_BITS) - 1


def simhash(terms: Sequence[str], include_numbers: bool = True) -> int:
    """The SimHash of a text as a signed 64-bit integer; 0 for an empty text.

    Without `include_numbers`, all months of an empty calendar have the same hash.
    """
    if not include_numbers:
        terms = [term for term in terms if not term[:1].isdigit()]
    if not terms:
        return 0
    # Encoding all terms at once is twice as fast; crc32 is stable across platforms and versions.
    written = "\n".join(terms).encode("utf-8", "surrogatepass").split(b"\n")
    codes = np.fromiter(map(crc32, written), np.uint64, len(written))
    words = _mix(codes + np.uint64(HASH_SALT))
    pairs = _mix(_mix(words[:-1]) + words[1:])
    # Terms count twice: with bigrams alone, one changed word separates short pages.
    votes = 2 * _votes(words) + _votes(pairs)
    return int.from_bytes(np.packbits(votes > 0).tobytes(), signed=True)


def duplicate_hash(terms: Sequence[str], title: Sequence[str] = ()) -> int:
    """The hash for comparing pages; 0 if the page is too short to be a duplicate.

    Short pages are duplicates only if their title and all words are equal.
    """
    if len(terms) >= MIN_SIMHASH_WORDS:
        return simhash(terms)
    return exact_hash(terms, title) if len(terms) >= MIN_EXACT_HASH_WORDS else 0


def exact_hash(terms: Sequence[str], title: Sequence[str]) -> int:
    """A hash of the title and of the words in order."""
    hash = HASH_SALT
    for term in (*title, "", *terms):
        code = crc32(term.encode("utf-8", "surrogatepass"))
        hash = _mix_one(hash ^ code)
    return hash - (hash >> (HASH_BITS - 1) << HASH_BITS)


def hamming_distance(one: int, other: int) -> int:
    """The number of bits in which two hashes differ."""
    return ((one ^ other) & HASH_MASK).bit_count()


def _mix(hashes: Hashes) -> Hashes:
    """Mix all bits of the hashes with the splitmix64 finalizer."""
    hashes = hashes + np.uint64(0x9E3779B97F4A7C15)
    hashes = (hashes ^ (hashes >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    hashes = (hashes ^ (hashes >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return hashes ^ (hashes >> np.uint64(31))


def _mix_one(key: int) -> int:
    """Mix the bits of one hash, without the overhead of an array."""
    key = (key + 0x9E3779B97F4A7C15) & HASH_MASK
    key = ((key ^ (key >> 30)) * 0xBF58476D1CE4E5B9) & HASH_MASK
    key = ((key ^ (key >> 27)) * 0x94D049BB133111EB) & HASH_MASK
    return key ^ (key >> 31)


def _votes(hashes: Hashes) -> NDArray[np.int64]:
    """For each bit, the number of hashes with a 1 minus the number with a 0."""
    ordered = np.sort(hashes)
    # In sorted order, a value equal to the one `MAX_TERM_VOTES` places before is over the limit.
    later = ordered[MAX_TERM_VOTES:]
    voting = np.concatenate((ordered[:MAX_TERM_VOTES], later[later != ordered[: len(later)]]))
    bits = np.unpackbits(voting.astype(">u8").view(np.uint8)).reshape(-1, HASH_BITS)
    ones: NDArray[np.int64] = bits.sum(axis=0, dtype=np.int64)
    return 2 * ones - len(voting)


PREFIX_SIMHASH_CHARS = 2000
"""Number of characters that `prefix_simhash` covers."""


def prefix_simhash(text: str) -> int:
    """The SimHash of the beginning of a text, ignoring numbers, for trap detection."""
    return simhash(text[:PREFIX_SIMHASH_CHARS].lower().split(), include_numbers=False)
