"""Where in a sorted array stands all that begins like one of many prefixes?"""

import numpy as np
from numpy.typing import NDArray


def prefix_ranges(
    values: NDArray[np.generic],
    lower_bounds: NDArray[np.generic],
    upper_bounds: NDArray[np.generic],
    sorter: NDArray[np.int64] | None = None,
) -> list[slice]:
    """Those that lie from a first to a last one, and that one too; nothing twice.

    What begins alike lies side by side, so two stretches are apart or one is in the other.
    """
    starts = np.searchsorted(values, lower_bounds, sorter=sorter)
    ends = np.searchsorted(values, upper_bounds, "right", sorter)
    some = np.flatnonzero(ends > starts)
    order = some[np.lexsort((-ends[some], starts[some]))]
    starts, ends = starts[order], ends[order]
    reached = np.maximum.accumulate(ends)
    kept = np.ones(len(order), bool)
    kept[1:] = ends[1:] > reached[:-1]
    return [slice(*pair) for pair in zip(starts[kept].tolist(), ends[kept].tolist(), strict=True)]
