"""Power iteration: computes PageRank.

The rank of a node without links (a dangling node) is distributed to all nodes.
"""

import logging
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from byway.core.settings.schema import RankSettings
from byway.pagerank.csr_graph import Floats, Reals, SparseGraph

log = logging.getLogger(__name__)

Progress = Callable[[int, float], None]
"""Called after each iteration with its number and the total change in rank."""

NODES_PER_SLICE = 131_072
"""Nodes updated at a time, few enough to stay in the CPU cache."""
FLOAT32_MIN_DELTA = 1e-6
"""While the total change is greater, single precision is as good and faster; its rounding errors
are a hundredth of that."""


def run_power_iteration(
    graph: SparseGraph,
    node_mask: NDArray[np.bool_],
    settings: RankSettings,
    teleport: Floats | None = None,
    initial_ranks: Floats | None = None,
    progress: Progress | None = None,
) -> Floats:
    """The rank of every node; ranks add up to 1.

    `teleport` is the teleport distribution, uniform if None; `initial_ranks` is a first estimate.
    """
    count = int(node_mask.sum())
    if not count:
        return np.zeros(len(node_mask))
    ranks: Floats = (
        node_mask / count if initial_ranks is None else initial_ranks / initial_ranks.sum()
    )
    state = _PowerIteration(graph, node_mask, settings.damping, teleport)
    for iteration in range(1, settings.max_iterations + 1):
        delta = state.iterate(ranks)
        if progress:
            progress(iteration, delta)
        if delta < settings.tolerance:
            break
    log.info(
        "ranked nodes=%d links=%d iterations=%d delta=%.1e",
        count,
        graph.edge_count,
        iteration,
        delta,
    )
    ranks /= ranks.sum()
    return ranks


class _PowerIteration:
    """The buffers and parameters that all iterations share."""

    def __init__(
        self,
        graph: SparseGraph,
        node_mask: NDArray[np.bool_],
        damping: float,
        teleport: Floats | None,
    ) -> None:
        self._graph = graph
        self._node_mask = node_mask
        self._count = int(node_mask.sum())
        self._damping = damping
        self._teleport = teleport
        self._inflow = np.empty(len(node_mask))
        self._contributions: Reals = np.empty(len(node_mask))
        if graph.prefers_float32:
            self._contributions = np.empty(len(node_mask), np.float32)

    def iterate(self, ranks: Floats) -> float:
        """Update the ranks by one iteration; return their total change."""
        dangling = 0.0
        for part in self._slices():
            share = self._graph.inverse_out_degrees[part]
            np.multiply(ranks[part], share * self._damping, out=self._contributions[part])
            dangling += float(ranks[part][share == 0].sum())
        self._graph.propagate(self._contributions, self._inflow)
        uniform = self._damping * dangling / self._count
        if self._teleport is None:
            uniform += (1 - self._damping) / self._count
        delta = sum(self._update(ranks[part], part, uniform) for part in self._slices())
        if delta < FLOAT32_MIN_DELTA and self._contributions.dtype != np.float64:
            self._contributions = np.empty(len(ranks))
        return delta

    def _update(self, ranks: Floats, part: slice, uniform: float) -> float:
        """Set the ranks of a slice of nodes, adding `uniform` to each; return the total change."""
        updated = self._inflow[part]
        updated += uniform * self._node_mask[part]
        if self._teleport is not None:
            updated += (1 - self._damping) * self._teleport[part]
        delta = float(np.abs(updated - ranks).sum())
        ranks[:] = updated
        return delta

    def _slices(self) -> Iterator[slice]:
        for first in range(0, len(self._node_mask), NODES_PER_SLICE):
            yield slice(first, first + NODES_PER_SLICE)
