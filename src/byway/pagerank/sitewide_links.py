"""Which links are no opinion of their page? Those of menus, which most pages of a host have.

A footer that names the licence on a thousand pages says as much for it as one link does.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from byway.core.model import State
from byway.core.model.candidates import Ids
from byway.core.ports import LinkGraph
from byway.pagerank.host_ids import Web

Ints = NDArray[np.int32]
Flags = NDArray[np.bool_]

SHARE = 0.5
"""A link is of a menu when this share of the host's pages has it ..."""
LEAST = 20
"""... and the host has so many pages: of fewer, most may well agree on something."""
SAMPLE = 64
"""Pages of a host that are looked at: a menu that half of them have is not missed by much."""
BATCH = 20_000
"""Pages whose links are looked at together."""


class Menus:
    """Where the menus of each host lead."""

    def __init__(self, web: Web, hosts: Ints, targets: Ints) -> None:
        """`targets` are those of the menus of `hosts`, side by side."""
        self._web = web
        own = web.host_of[targets] == hosts
        # Most menus lead to pages of their own host, and a flag for each finds those fastest.
        self._own = _flags(targets[own], len(web.host_of))
        self._other = _flags(targets[~own], len(web.host_of))
        self._pairs = np.sort(_pairs(hosts[~own], targets[~own]))

    def has(self, sources: Ints, targets: Ints) -> Flags:
        """Which of these links are of a menu."""
        hosts = self._web.host_of[sources]
        found: Flags = self._own[targets] & (hosts == self._web.host_of[targets])
        maybe = np.flatnonzero(self._other[targets] & ~found)
        pairs = _pairs(hosts[maybe], targets[maybe])
        places = np.minimum(np.searchsorted(self._pairs, pairs), max(0, len(self._pairs) - 1))
        if len(self._pairs):
            found[maybe] = self._pairs[places] == pairs
        return found


def menus_of(graph: LinkGraph, web: Web) -> Menus:
    """Find the menus, by the links of a few pages of each host."""
    found = [np.zeros(0, np.int64)]
    for pages in _samples(graph, web):
        asked = np.bincount(web.host_of[pages])
        sources, targets = graph.leading_from(pages)
        known = targets < len(web.host_of)
        sources, targets = sources[known], web.ends[targets[known]]
        pairs, counts = np.unique(_pairs(web.host_of[sources], targets), return_counts=True)
        found.append(pairs[counts >= SHARE * asked[pairs >> 32]])
    all = np.concatenate(found)
    return Menus(web, (all >> 32).astype(np.int32), (all & 0xFFFFFFFF).astype(np.int32))


def _samples(graph: LinkGraph, web: Web) -> Iterator[Ids]:
    """Some visited pages of every host that has enough, all of a host together."""
    pages = graph.in_state(State.KEPT, State.WALKED)
    pages = pages[pages < len(web.host_of)]
    pages = pages[np.argsort(web.host_of[pages], kind="stable")]
    hosts = web.host_of[pages]
    counts = np.bincount(hosts)
    place = np.arange(len(hosts)) - (np.cumsum(counts) - counts)[hosts]
    step = -(-counts[hosts] // SAMPLE)
    pages = pages[(place % step == 0) & (counts[hosts] >= LEAST)]
    first = 0
    while first < len(pages):
        last = min(first + BATCH, len(pages))
        host = web.host_of[pages[last - 1]]
        while last < len(pages) and web.host_of[pages[last]] == host:
            last += 1
        yield pages[first:last]
        first = last


def _pairs(hosts: Ints, targets: Ints) -> Ids:
    return hosts.astype(np.int64) << 32 | targets


def _flags(numbers: Ints, size: int) -> Flags:
    flags = np.zeros(size, bool)
    flags[numbers] = True
    return flags
