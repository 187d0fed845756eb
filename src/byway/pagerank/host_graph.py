"""Host graph (one edge per pair of hosts or sites) and citation counts of hosts."""

import numpy as np
from numpy.typing import NDArray

from byway.core.arrays import sorted_unique
from byway.core.ports import HostCitations

Ints = NDArray[np.int32]
Pairs = NDArray[np.int64]

EDGES_BEFORE_MERGE = 4_000_000
"""Edges collected before duplicates are removed."""


class HostGraph:
    """Collects links in chunks and keeps one edge per pair of hosts."""

    def __init__(self) -> None:
        self._chunks: list[Pairs] = []
        self._unmerged = 0

    def add(self, sources: NDArray[np.integer], targets: NDArray[np.integer]) -> None:
        """Add links between these hosts; links within a host do not count."""
        is_external = sources != targets
        pairs = sources[is_external].astype(np.int64) << 32 | targets[is_external]
        self._chunks.append(sorted_unique(pairs))
        self._unmerged += len(self._chunks[-1])
        if self._unmerged > EDGES_BEFORE_MERGE:
            self._chunks = [self._merge()]
            # The remaining edges are unique: merge again after as many new ones.
            self._unmerged = 0

    def edges(self) -> tuple[Pairs, Pairs]:
        """Sources and targets of all edges."""
        pairs = self._merge()
        return pairs >> 32, pairs & 0xFFFFFFFF

    def _merge(self) -> Pairs:
        return sorted_unique(np.concatenate(self._chunks or [np.zeros(0, np.int64)]))


class Citations:
    """Counts links by target host; the links of one page must come in one chunk."""

    def __init__(self, hosts: int) -> None:
        self._links = np.zeros(hosts, np.int64)
        self._pages = np.zeros(hosts, np.int64)

    def add(self, sources: Ints, source_hosts: Ints, target_hosts: Ints) -> None:
        """Count links, given their source pages, source hosts and target hosts."""
        is_external = source_hosts != target_hosts
        sources, target_hosts = sources[is_external], target_hosts[is_external]
        self._links += np.bincount(target_hosts, minlength=len(self._links))
        pairs = sorted_unique(sources.astype(np.int64) << 32 | target_hosts)
        self._pages += np.bincount(pairs & 0xFFFFFFFF, minlength=len(self._pages))

    def totals(self, host_graph: HostGraph) -> HostCitations:
        """For each host, the counts of incoming links, pages and hosts, from other hosts only."""
        _, targets = host_graph.edges()
        return HostCitations(
            self._links, self._pages, np.bincount(targets, minlength=len(self._links))
        )
