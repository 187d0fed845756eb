"""Sitewide links: links in menus and footers, found on most pages of a host.

A license link in the footer of a thousand pages counts as one link.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from byway.core.model import UrlState
from byway.core.model.candidates import Ids
from byway.core.ports import LinkGraph
from byway.pagerank.host_graph import HostMap

Ints = NDArray[np.int32]
Flags = NDArray[np.bool_]

SITEWIDE_MIN_SHARE = 0.5
"""Minimum share of a host's pages with a link for the link to be sitewide."""
MIN_HOST_PAGES = 20
"""Minimum pages of a host with sitewide links: with fewer, most may share a link by chance."""
MAX_SAMPLED_PAGES_PER_HOST = 64
"""Maximum pages sampled per host: enough to estimate a share of one half."""
PAGES_PER_BATCH = 20_000
"""Pages whose links are read together."""


class SitewideLinks:
    """The targets of the sitewide links of each host."""

    def __init__(self, host_map: HostMap, hosts: Ints, targets: Ints) -> None:
        """`hosts` and `targets` are parallel arrays with one entry per sitewide link."""
        self._host_map = host_map
        is_internal = host_map.host_ids[targets] == hosts
        # Most sitewide links stay on their own host; a flag per page finds them fastest.
        self._internal = _flags(targets[is_internal], len(host_map.host_ids))
        self._external = _flags(targets[~is_internal], len(host_map.host_ids))
        self._pairs = np.sort(_pairs(hosts[~is_internal], targets[~is_internal]))

    def are_sitewide(self, sources: Ints, targets: Ints) -> Flags:
        """Whether each of these links is sitewide."""
        hosts = self._host_map.host_ids[sources]
        found: Flags = self._internal[targets] & (hosts == self._host_map.host_ids[targets])
        possible = np.flatnonzero(self._external[targets] & ~found)
        pairs = _pairs(hosts[possible], targets[possible])
        positions = np.minimum(np.searchsorted(self._pairs, pairs), max(0, len(self._pairs) - 1))
        if len(self._pairs):
            found[possible] = self._pairs[positions] == pairs
        return found


def find_sitewide_links(graph: LinkGraph, host_map: HostMap) -> SitewideLinks:
    """Find sitewide links in a sample of the pages of each host."""
    found = [np.zeros(0, np.int64)]
    for pages in _sample_pages(graph, host_map):
        sample_sizes = np.bincount(host_map.host_ids[pages])
        sources, targets = graph.edges_from(pages)
        known = targets < len(host_map.host_ids)
        sources, targets = sources[known], host_map.redirect_targets[targets[known]]
        pairs, counts = np.unique(_pairs(host_map.host_ids[sources], targets), return_counts=True)
        found.append(pairs[counts >= SITEWIDE_MIN_SHARE * sample_sizes[pairs >> 32]])
    pairs = np.concatenate(found)
    hosts, targets = (pairs >> 32).astype(np.int32), (pairs & 0xFFFFFFFF).astype(np.int32)
    return SitewideLinks(host_map, hosts, targets)


def _sample_pages(graph: LinkGraph, host_map: HostMap) -> Iterator[Ids]:
    """Batches of sampled visited pages of hosts with enough pages; no host spans two batches."""
    pages = graph.ids_in_state(UrlState.KEPT, UrlState.LINKS_ONLY)
    pages = pages[pages < len(host_map.host_ids)]
    pages = pages[np.argsort(host_map.host_ids[pages], kind="stable")]
    hosts = host_map.host_ids[pages]
    counts = np.bincount(hosts)
    position = np.arange(len(hosts)) - (np.cumsum(counts) - counts)[hosts]
    step = -(-counts[hosts] // MAX_SAMPLED_PAGES_PER_HOST)
    pages = pages[(position % step == 0) & (counts[hosts] >= MIN_HOST_PAGES)]
    first = 0
    while first < len(pages):
        last = min(first + PAGES_PER_BATCH, len(pages))
        host = host_map.host_ids[pages[last - 1]]
        while last < len(pages) and host_map.host_ids[pages[last]] == host:
            last += 1
        yield pages[first:last]
        first = last


def _pairs(hosts: Ints, targets: Ints) -> Ids:
    return hosts.astype(np.int64) << 32 | targets


def _flags(numbers: Ints, size: int) -> Flags:
    flags = np.zeros(size, bool)
    flags[numbers] = True
    return flags
