"""Compiled inner loops over edges. Import this module lazily: it takes a third of a second.

Indices are unsigned, which saves a check for negative indices per edge. The loops release the GIL
so that threads run in parallel.
"""

import numpy as np
from numpy.typing import NDArray

from byway.core.numba import jit

Numbers = NDArray[np.uint32]
Pointers = NDArray[np.int64]
Floats = NDArray[np.float64]
Reals = NDArray[np.float32] | NDArray[np.float64]


@jit
def count_keys(keys: Numbers, counts: Numbers) -> None:
    """Add the number of occurrences of each key to `counts`; keys out of range are skipped."""
    for i in range(len(keys)):
        if keys[i] < len(counts):
            counts[keys[i]] += np.uint32(1)


@jit
def count_in_out_degrees(
    sources: Numbers, keys: Numbers, link_kinds: int, in_degrees: Numbers, out_degrees: Numbers
) -> tuple[int, int]:
    """Count edges by key and by source; return the number out of range and the highest id."""
    out_of_range, highest = 0, np.uint32(0)
    kinds = np.uint32(link_kinds)
    max_nodes = np.uint32(len(out_degrees) // link_kinds)
    for i in range(len(keys)):
        source, key = sources[i], keys[i]
        highest = max(highest, source, key)
        if key < len(in_degrees) and source < max_nodes:
            in_degrees[key] += np.uint32(1)
            row = source if kinds == 1 else source * kinds + key % kinds
            out_degrees[row] += np.uint32(1)
        else:
            out_of_range += 1
    return out_of_range, int(highest)


@jit
def place_in_rows(sources: Numbers, keys: Numbers, free: Numbers, rows: Numbers) -> None:
    """Put each source into the row of its key; `free` holds each row's next free slot."""
    for i in range(len(keys)):
        # A file may change while it is read; the checks keep writes within `rows`.
        if keys[i] < len(free) and free[keys[i]] < len(rows):
            at = free[keys[i]]
            rows[at] = sources[i]
            free[keys[i]] = at + np.uint32(1)


@jit
def count_blocks(keys: Numbers, block_of: NDArray[np.uint16], shift: int, counts: Pointers) -> None:
    """Add the number of keys in each block to `counts`; a block has stripes of 2**shift rows."""
    for i in range(len(keys)):
        stripe = keys[i] >> np.uint32(shift)
        if stripe < len(block_of):
            counts[block_of[stripe]] += 1


@jit
def split_by_block(
    sources: Numbers,
    keys: Numbers,
    block_of: NDArray[np.uint16],
    shift: int,
    free: Pointers,
    into_sources: Numbers,
    into_keys: Numbers,
) -> None:
    """Sort edges by the block of their key; `free` holds the start of each block's edges."""
    for i in range(len(keys)):
        stripe = keys[i] >> np.uint32(shift)
        if stripe < len(block_of):
            at = free[block_of[stripe]]
            into_sources[at] = sources[i]
            into_keys[at] = keys[i]
            free[block_of[stripe]] = at + 1


@jit
def _is_clean(row: Numbers, target: np.uint32, keep_self: bool, size: int) -> bool:
    """Whether the sources are in range and strictly increasing, hence unique.

    Edges sorted by source pass this check, which is far faster than looking up each source.
    """
    if len(row) == 0:
        return True
    clean = bool(row[len(row) - 1] < size)
    for at in range(1, len(row)):
        clean &= row[at - 1] < row[at]
    if not keep_self:
        for source in row:
            clean &= source != target
    return clean


@jit
def compact_rows(
    pointers: Pointers,
    rows: Numbers,
    first_row: int,
    link_kinds: int,
    keep_self: bool,
    keep_repeated: bool,
    last_seen: Numbers,
    out_degrees: Numbers,
) -> None:
    """Remove excluded edges from the rows and from `out_degrees` of their source and kind.

    `last_seen` holds the last row (plus one) of each source, so that no sorting is needed.
    """
    end = 0
    start = pointers[0]
    for row in range(len(pointers) - 1):
        target = np.uint32((first_row + row) // link_kinds)
        stop = pointers[row + 1]
        if _is_clean(rows[start:stop], target, keep_self, len(last_seen)):
            for at in range(start, stop if end < start else start):
                rows[end + at - start] = rows[at]
            end += stop - start
        else:
            mark = np.uint32(first_row + row + 1)
            kind = np.uint32((first_row + row) % link_kinds)
            for at in range(start, stop):
                source = rows[at]
                if source >= len(last_seen):
                    continue
                if (keep_self or source != target) and (keep_repeated or last_seen[source] != mark):
                    last_seen[source] = mark
                    rows[end] = source
                    end += 1
                else:
                    out_degrees[source * np.uint32(link_kinds) + kind] -= np.uint32(1)
        start = stop
        pointers[row + 1] = end


@jit
def gather(
    pointers: Pointers, rows: Numbers, contributions: Reals, weights: Floats, inflow: Reals
) -> None:
    """The inflow of each node: the sum over its rows, weighted by link kind."""
    kinds = len(weights)
    for node in range(len(inflow)):
        total = 0.0
        for kind in range(kinds):
            row = node * kinds + kind
            row_sum = 0.0
            for at in range(pointers[row], pointers[row + 1]):
                row_sum += contributions[rows[at]]
            total += weights[kind] * row_sum
        inflow[node] = total
