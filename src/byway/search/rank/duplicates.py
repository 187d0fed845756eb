"""Which hits say the same as a better one? They are left out, or shown as its duplicates."""

from collections.abc import Sequence

import numpy as np

from byway.core.model.candidates import Candidates
from byway.core.text.simhash import NEAR


def duplicates(candidates: Candidates, order: Sequence[int], block: int) -> dict[int, int]:
    """For rows that say the same as another: that one's row. `order` has the best row first.

    A page that calls another one its own, and is found beside it, is that one's duplicate. Of
    others that are alike the best stays, so what is left out depends on what was asked. Rows of a
    later block say nothing about earlier ones: more candidates must not change the first page.
    """
    found = not_canonical(candidates, block)
    rows = np.array([row for row in order if row not in found], np.int64)
    texts = candidates.alike[rows].view(np.uint64)
    near = np.bitwise_count(texts[:, None] ^ texts[None, :]) <= NEAR
    near &= (texts != 0)[:, None]
    np.fill_diagonal(near, False)
    for place in np.flatnonzero(near.any(axis=1)):
        row = int(rows[place])
        better = [int(rows[other]) for other in np.flatnonzero(near[place, :place])]
        kept = [other for other in better if other not in found]
        if kept:
            found[row] = kept[0]
    return found


def not_canonical(candidates: Candidates, block: int) -> dict[int, int]:
    """For rows that call another page their own, which is found too: that one's row."""
    elsewhere = np.flatnonzero(candidates.canonical != candidates.own)
    if not len(elsewhere):
        return {}
    places = {own: row for row, own in enumerate(candidates.own.tolist())}
    pairs = ((int(row), places.get(int(candidates.canonical[row]))) for row in elsewhere)
    return {
        row: other for row, other in pairs if other is not None and other // block <= row // block
    }
