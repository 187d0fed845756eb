"""Which hits say the same as a better one? They are left out, or shown as its duplicates."""

from collections.abc import Sequence

import numpy as np

from byway.core.model.candidates import Candidates
from byway.core.text.simhash import MAX_DUPLICATE_DISTANCE_BITS


def find_duplicates(
    candidates: Candidates, order: Sequence[int], block_size: int
) -> dict[int, int]:
    """For rows that say the same as another: that one's row. `order` has the best row first.

    A page that calls another one its own, and is found beside it, is that one's duplicate. Of
    others that are alike the best stays, so what is left out depends on what was asked. Rows of a
    later block say nothing about earlier ones: more candidates must not change the first page.
    """
    found = find_noncanonical(candidates, block_size)
    rows = np.array([row for row in order if row not in found], np.int64)
    texts = candidates.duplicate_hashes[rows].view(np.uint64)
    near = np.bitwise_count(texts[:, None] ^ texts[None, :]) <= MAX_DUPLICATE_DISTANCE_BITS
    near &= (texts != 0)[:, None]
    np.fill_diagonal(near, False)
    for place in np.flatnonzero(near.any(axis=1)):
        row = int(rows[place])
        better = [int(rows[other]) for other in np.flatnonzero(near[place, :place])]
        kept = [other for other in better if other not in found]
        if kept:
            found[row] = kept[0]
    return found


def find_noncanonical(candidates: Candidates, block_size: int) -> dict[int, int]:
    """For rows that call another page their own, which is found too: that one's row."""
    elsewhere = np.flatnonzero(candidates.canonical_hashes != candidates.url_hashes)
    if not len(elsewhere):
        return {}
    places = {own: row for row, own in enumerate(candidates.url_hashes.tolist())}
    pairs = ((int(row), places.get(int(candidates.canonical_hashes[row]))) for row in elsewhere)
    return {
        row: other
        for row, other in pairs
        if other is not None and other // block_size <= row // block_size
    }
