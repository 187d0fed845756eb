"""Which links are no opinion of their page? Those of menus, which most pages of a host have.

A footer that names the licence on a thousand pages says as much for it as one link does.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from byway.core.model import UrlState
from byway.core.model.candidates import Ids
from byway.core.ports import LinkGraph
from byway.pagerank.host_ids import HostMap

Ints = NDArray[np.int32]
Flags = NDArray[np.bool_]

SITEWIDE_MIN_SHARE = 0.5
"""A link is of a menu when this share of the host's pages has it ..."""
MIN_HOST_PAGES = 20
"""... and the host has so many pages: of fewer, most may well agree on something."""
MAX_SAMPLED_PAGES_PER_HOST = 64
"""Pages of a host that are looked at: a menu that half of them have is not missed by much."""
PAGES_PER_BATCH = 20_000
"""Pages whose links are looked at together."""


class SitewideLinks:
    """Where the menus of each host lead."""

    def __init__(self, host_map: HostMap, hosts: Ints, targets: Ints) -> None:
        """`targets` are those of the menus of `hosts`, side by side."""
        self._web = host_map
        own = host_map.host_ids[targets] == hosts
        # Most menus lead to pages of their own host, and a flag for each finds those fastest.
        self._own = _flags(targets[own], len(host_map.host_ids))
        self._other = _flags(targets[~own], len(host_map.host_ids))
        self._pairs = np.sort(_pairs(hosts[~own], targets[~own]))

    def are_sitewide(self, sources: Ints, targets: Ints) -> Flags:
        """Which of these links are of a menu."""
        hosts = self._web.host_ids[sources]
        found: Flags = self._own[targets] & (hosts == self._web.host_ids[targets])
        maybe = np.flatnonzero(self._other[targets] & ~found)
        pairs = _pairs(hosts[maybe], targets[maybe])
        places = np.minimum(np.searchsorted(self._pairs, pairs), max(0, len(self._pairs) - 1))
        if len(self._pairs):
            found[maybe] = self._pairs[places] == pairs
        return found


def find_sitewide_links(graph: LinkGraph, host_map: HostMap) -> SitewideLinks:
    """Find the menus, by the links of a few pages of each host."""
    found = [np.zeros(0, np.int64)]
    for pages in _samples(graph, host_map):
        asked = np.bincount(host_map.host_ids[pages])
        sources, targets = graph.edges_from(pages)
        known = targets < len(host_map.host_ids)
        sources, targets = sources[known], host_map.redirect_targets[targets[known]]
        pairs, counts = np.unique(_pairs(host_map.host_ids[sources], targets), return_counts=True)
        found.append(pairs[counts >= SITEWIDE_MIN_SHARE * asked[pairs >> 32]])
    all = np.concatenate(found)
    return SitewideLinks(
        host_map, (all >> 32).astype(np.int32), (all & 0xFFFFFFFF).astype(np.int32)
    )


def _samples(graph: LinkGraph, web: HostMap) -> Iterator[Ids]:
    """Some visited pages of every host that has enough, all of a host together."""
    pages = graph.ids_in_state(UrlState.KEPT, UrlState.LINKS_ONLY)
    pages = pages[pages < len(web.host_ids)]
    pages = pages[np.argsort(web.host_ids[pages], kind="stable")]
    hosts = web.host_ids[pages]
    counts = np.bincount(hosts)
    place = np.arange(len(hosts)) - (np.cumsum(counts) - counts)[hosts]
    step = -(-counts[hosts] // MAX_SAMPLED_PAGES_PER_HOST)
    pages = pages[(place % step == 0) & (counts[hosts] >= MIN_HOST_PAGES)]
    first = 0
    while first < len(pages):
        last = min(first + PAGES_PER_BATCH, len(pages))
        host = web.host_ids[pages[last - 1]]
        while last < len(pages) and web.host_ids[pages[last]] == host:
            last += 1
        yield pages[first:last]
        first = last


def _pairs(hosts: Ints, targets: Ints) -> Ids:
    return hosts.astype(np.int64) << 32 | targets


def _flags(numbers: Ints, size: int) -> Flags:
    flags = np.zeros(size, bool)
    flags[numbers] = True
    return flags
