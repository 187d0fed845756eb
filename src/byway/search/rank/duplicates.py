"""Near-duplicate hits: pages that share a canonical URL or a SimHash with a better hit."""

from collections.abc import Sequence

import numpy as np

from byway.core.model.candidates import Candidates
from byway.core.text.simhash import MAX_DUPLICATE_DISTANCE_BITS


def find_duplicates(
    candidates: Candidates, order: Sequence[int], block_size: int
) -> dict[int, int]:
    """Duplicate rows, each with the row it duplicates. `order` has the best row first.

    A page is a duplicate of its canonical page if both match. Of other near-duplicates the best
    one stays, so the choice depends on the query. Rows of a later block never affect earlier
    blocks: more candidates must not change the first page of results.
    """
    duplicates = find_noncanonical(candidates, block_size)
    rows = np.array([row for row in order if row not in duplicates], np.int64)
    hashes = candidates.duplicate_hashes[rows].view(np.uint64)
    near = np.bitwise_count(hashes[:, None] ^ hashes[None, :]) <= MAX_DUPLICATE_DISTANCE_BITS
    near &= (hashes != 0)[:, None]
    np.fill_diagonal(near, False)
    for place in np.flatnonzero(near.any(axis=1)):
        row = int(rows[place])
        better = [int(rows[other]) for other in np.flatnonzero(near[place, :place])]
        originals = [other for other in better if other not in duplicates]
        if originals:
            duplicates[row] = originals[0]
    return duplicates


def find_noncanonical(candidates: Candidates, block_size: int) -> dict[int, int]:
    """Rows whose canonical URL is another candidate, each with that candidate's row."""
    noncanonical = np.flatnonzero(candidates.canonical_hashes != candidates.url_hashes)
    if not len(noncanonical):
        return {}
    row_by_hash = {own: row for row, own in enumerate(candidates.url_hashes.tolist())}
    pairs = (
        (int(row), row_by_hash.get(int(candidates.canonical_hashes[row]))) for row in noncanonical
    )
    return {
        row: other
        for row, other in pairs
        if other is not None and other // block_size <= row // block_size
    }
