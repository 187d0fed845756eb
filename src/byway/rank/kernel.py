"""The inner loops over edges, compiled. Import it late: this takes a third of a second.

Numbers that are indices are unsigned, so that no check for negative ones is made for each edge.
Everything here gives up Python's lock, so that threads really run side by side.
"""

import numpy as np
from numpy.typing import NDArray

from byway.compiled import compiled

Numbers = NDArray[np.uint32]
Pointers = NDArray[np.int64]
Reals = NDArray[np.float32] | NDArray[np.float64]


@compiled
def count(keys: Numbers, counts: Numbers) -> None:
    """Add to `counts` how often each key occurs; those that are too high are left out."""
    for i in range(len(keys)):
        if keys[i] < len(counts):
            counts[keys[i]] += np.uint32(1)


@compiled
def mark(numbers: Numbers, there: NDArray[np.bool_]) -> int:
    """Note which numbers are there; return how many are too high for that."""
    beyond = 0
    for i in range(len(numbers)):
        if numbers[i] < len(there):
            there[numbers[i]] = True
        else:
            beyond += 1
    return beyond


@compiled
def place_in_rows(sources: Numbers, keys: Numbers, free: Numbers, rows: Numbers) -> None:
    """Put each source into the row that its key names; `free` is the next free place of each."""
    for i in range(len(keys)):
        # A file may change while it is read; whatever it says, nothing else is overwritten.
        if keys[i] < len(free) and free[keys[i]] < len(rows):
            at = free[keys[i]]
            rows[at] = sources[i]
            free[keys[i]] = at + np.uint32(1)


@compiled
def count_blocks(keys: Numbers, block_of: NDArray[np.uint16], shift: int, counts: Pointers) -> None:
    """Add to `counts` how many keys are in each block; a block is some stripes of 2**shift rows."""
    for i in range(len(keys)):
        stripe = keys[i] >> np.uint32(shift)
        if stripe < len(block_of):
            counts[block_of[stripe]] += 1


@compiled
def split(
    sources: Numbers,
    keys: Numbers,
    block_of: NDArray[np.uint16],
    shift: int,
    free: Pointers,
    into_sources: Numbers,
    into_keys: Numbers,
) -> None:
    """Sort edges by the block of their key; `free` is where each block's edges start."""
    for i in range(len(keys)):
        stripe = keys[i] >> np.uint32(shift)
        if stripe < len(block_of):
            at = free[block_of[stripe]]
            into_sources[at] = sources[i]
            into_keys[at] = keys[i]
            free[block_of[stripe]] = at + 1


@compiled
def squeeze(
    pointers: Pointers,
    rows: Numbers,
    first: int,
    lanes: int,
    keep_self: bool,
    keep_repeated: bool,
    seen: Numbers,
    out: Numbers,
) -> None:
    """Close up rows over what does not count; count each source's links in its lane of `out`.

    `seen` says in which row (plus one) a source was met last, so that nothing need be sorted.
    """
    end = 0
    start = pointers[0]
    for row in range(len(pointers) - 1):
        mark = np.uint32(first + row + 1)
        target = np.uint32((first + row) // lanes)
        lane = np.uint32((first + row) % lanes)
        stop = pointers[row + 1]
        for at in range(start, stop):
            source = rows[at]
            if source >= len(seen):
                continue
            if (keep_self or source != target) and (keep_repeated or seen[source] != mark):
                seen[source] = mark
                rows[end] = source
                end += 1
                out[source * np.uint32(lanes) + lane] += np.uint32(1)
        start = stop
        pointers[row + 1] = end


@compiled
def gather(
    pointers: Pointers, rows: Numbers, passed: Reals, lanes: int, within: float, flow: Reals
) -> None:
    """What arrives at each node: the sum over its row, the second lane counted `within` times."""
    for node in range(len(flow)):
        total = 0.0
        for at in range(pointers[node * lanes], pointers[node * lanes + 1]):
            total += passed[rows[at]]
        if lanes == 2:
            inside = 0.0
            for at in range(pointers[node * 2 + 1], pointers[node * 2 + 2]):
                inside += passed[rows[at]]
            total += within * inside
        flow[node] = total
