"""Who is linked to from elsewhere? For each host, the links, pages and hosts that lead there."""

import numpy as np
from numpy.typing import NDArray

from byway.core.arrays import distinct
from byway.core.ports import Cited
from byway.pagerank.host_graph import Votes

Ints = NDArray[np.int32]


class Citations:
    """Takes links in chunks, all of a page in one, and counts them by the host they lead to."""

    def __init__(self, hosts: int) -> None:
        self._links = np.zeros(hosts, np.int64)
        self._pages = np.zeros(hosts, np.int64)

    def add(self, sources: Ints, own: Ints, hosts: Ints) -> None:
        """Take these links: their pages, the hosts of those, and the hosts they lead to."""
        away = own != hosts
        sources, hosts = sources[away], hosts[away]
        self._links += np.bincount(hosts, minlength=len(self._links))
        pairs = distinct(sources.astype(np.int64) << 32 | hosts)
        self._pages += np.bincount(pairs & 0xFFFFFFFF, minlength=len(self._pages))

    def counted(self, votes: Votes) -> Cited:
        """All that was counted; `votes` are those of hosts for hosts."""
        _, targets = votes.all()
        return Cited(self._links, self._pages, np.bincount(targets, minlength=len(self._links)))
