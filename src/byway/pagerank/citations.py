"""Who is linked to from elsewhere? For each host, the links, pages and hosts that lead there."""

import numpy as np
from numpy.typing import NDArray

from byway.core.arrays import sorted_unique
from byway.core.ports import HostCitations
from byway.pagerank.host_graph import HostGraph

Ints = NDArray[np.int32]


class Citations:
    """Takes links in chunks, all of a page in one, and counts them by the host they lead to."""

    def __init__(self, hosts: int) -> None:
        self._links = np.zeros(hosts, np.int64)
        self._pages = np.zeros(hosts, np.int64)

    def add(self, sources: Ints, source_hosts: Ints, target_hosts: Ints) -> None:
        """Take these links: their pages, the hosts of those, and the hosts they lead to."""
        away = source_hosts != target_hosts
        sources, target_hosts = sources[away], target_hosts[away]
        self._links += np.bincount(target_hosts, minlength=len(self._links))
        pairs = sorted_unique(sources.astype(np.int64) << 32 | target_hosts)
        self._pages += np.bincount(pairs & 0xFFFFFFFF, minlength=len(self._pages))

    def totals(self, host_graph: HostGraph) -> HostCitations:
        """All that was counted; `host_graph` are those of hosts for hosts."""
        _, targets = host_graph.edges()
        return HostCitations(
            self._links, self._pages, np.bincount(targets, minlength=len(self._links))
        )
