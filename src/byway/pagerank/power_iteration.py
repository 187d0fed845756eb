"""Where is someone who only follows links, or jumps now and then, most likely to be? PageRank.

A node without links passes what it has to all nodes alike.
"""

import logging
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from byway.core.settings.schema import RankSettings
from byway.pagerank.csr_graph import Floats, Reals, SparseGraph

log = logging.getLogger(__name__)

Progress = Callable[[int, float], None]
"""Called after each round with its number and how much the ranks moved."""

NODES_PER_SLICE = 131_072
"""Nodes settled at a time, so that what is worked on stays in the processor's cache."""
FLOAT32_MIN_DELTA = 1e-6
"""While ranks move more than this in all, single precision moves them as well, and faster; its
own errors are a hundredth of that."""


def run_power_iteration(
    graph: SparseGraph,
    node_mask: NDArray[np.bool_],
    settings: RankSettings,
    teleport: Floats | None = None,
    initial_ranks: Floats | None = None,
    progress: Progress | None = None,
) -> Floats:
    """The rank of every node; ranks add up to 1.

    `teleport` is where jumps lead, as shares of one whole; `initial_ranks`, what the ranks are
    thought to be.
    """
    count = int(node_mask.sum())
    if not count:
        return np.zeros(len(node_mask))
    ranks: Floats = (
        node_mask / count if initial_ranks is None else initial_ranks / initial_ranks.sum()
    )
    steps = _PowerIteration(graph, node_mask, settings.damping, teleport)
    for round in range(1, settings.max_iterations + 1):
        moved = steps.iterate(ranks)
        if progress:
            progress(round, moved)
        if moved < settings.tolerance:
            break
    log.info("ranked nodes=%d links=%d rounds=%d moved=%.1e", count, graph.edge_count, round, moved)
    ranks /= ranks.sum()
    return ranks


class _PowerIteration:
    """One round after the other, with the memory that all of them share."""

    def __init__(
        self, links: SparseGraph, nodes: NDArray[np.bool_], damping: float, jump: Floats | None
    ) -> None:
        self._links = links
        self._nodes = nodes
        self._count = int(nodes.sum())
        self._damping = damping
        self._jump = jump
        self._flow = np.empty(len(nodes))
        self._passed: Reals = np.empty(len(nodes))
        if links.prefers_float32:
            self._passed = np.empty(len(nodes), np.float32)

    def iterate(self, ranks: Floats) -> float:
        """Change the ranks by one round; says by how much in all."""
        lost = 0.0
        for part in self._slices():
            share = self._links.inverse_out_degrees[part]
            np.multiply(ranks[part], share * self._damping, out=self._passed[part])
            lost += float(ranks[part][share == 0].sum())
        self._links.propagate(self._passed, self._flow)
        everywhere = self._damping * lost / self._count
        if self._jump is None:
            everywhere += (1 - self._damping) / self._count
        moved = sum(self._settle(ranks[part], part, everywhere) for part in self._slices())
        if moved < FLOAT32_MIN_DELTA and self._passed.dtype != np.float64:
            self._passed = np.empty(len(ranks))
        return moved

    def _settle(self, ranks: Floats, part: slice, everywhere: float) -> float:
        fresh = self._flow[part]
        fresh += everywhere * self._nodes[part]
        if self._jump is not None:
            fresh += (1 - self._damping) * self._jump[part]
        moved = float(np.abs(fresh - ranks).sum())
        ranks[:] = fresh
        return moved

    def _slices(self) -> Iterator[slice]:
        for first in range(0, len(self._nodes), NODES_PER_SLICE):
            yield slice(first, first + NODES_PER_SLICE)
