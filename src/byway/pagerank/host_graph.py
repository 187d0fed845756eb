"""Hosts of a crawl: ids and sites, the host graph (one edge per pair), and citation counts."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from byway.core.arrays import sorted_unique
from byway.core.model import Url
from byway.core.ports import HostCitations, LinkGraph
from byway.core.url import bare_host, site_of

log = logging.getLogger(__name__)

Ints = NDArray[np.int32]
Flags = NDArray[np.bool_]
Pairs = NDArray[np.int64]
EDGES_BEFORE_MERGE = 4_000_000
"""Edges collected before duplicates are removed."""


@dataclass(frozen=True, slots=True)
class HostMap:
    """The known pages, hosts and sites by id. Id 0 is unused."""

    host_ids: Ints
    """The host of each page."""
    site_ids: Ints
    """The site of each host."""
    trusted_hosts: Flags
    """Whether each host is trusted."""
    redirect_targets: Ints
    """The final redirect target of each page; the page itself if it does not redirect."""

    @property
    def page_ids(self) -> Ints:
        """The id of each page; 0 for unused ids and redirects."""
        ids = np.arange(len(self.host_ids), dtype=np.int32)
        ids[(self.host_ids == 0) | (self.redirect_targets != ids)] = 0
        return ids


def load_host_map(graph: LinkGraph, trusted: Sequence[str]) -> HostMap:
    """The host map of a link graph; `trusted` lists host or site names."""
    host_ids = graph.host_ids()
    names = [""] * (int(host_ids.max(initial=0)) + 1)
    for id, name in graph.host_names().items():
        if id < len(names):  # else it was added after the pages were read
            names[id] = name
    sites = [site_of(Url(f"http://{name}/")) if name else "" for name in names]
    return HostMap(
        host_ids=host_ids,
        site_ids=_number_sites(sites),
        trusted_hosts=_find_trusted(names, sites, trusted),
        redirect_targets=_redirect_targets(graph, len(host_ids)),
    )


def _redirect_targets(graph: LinkGraph, size: int) -> Ints:
    """Redirect targets of the pages known when the hosts were read."""
    targets = np.arange(size, dtype=np.int32)
    found = graph.redirect_targets()[:size]
    known = found < size
    targets[: len(found)][known] = found[known]
    return targets


def _number_sites(sites: Sequence[str]) -> Ints:
    ids = {"": 0}
    return np.array([ids.setdefault(site, len(ids)) for site in sites], np.int32)


def _find_trusted(names: Sequence[str], sites: Sequence[str], wanted: Sequence[str]) -> Flags:
    flags = np.zeros(len(names), bool)
    for trusted in {name.lower().rstrip("/") for name in wanted}:
        matches = [
            trusted in (name, bare_host(name), site) if name else False
            for name, site in zip(names, sites, strict=True)
        ]
        if not any(matches):
            log.warning(
                "rank.trusted_sites: no page of %s is known; name a host, such as example.org",
                trusted,
            )
        flags |= matches
    return flags


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
        """For each host, the counts of links, pages and hosts that cite it from other hosts."""
        _, targets = host_graph.edges()
        return HostCitations(
            self._links, self._pages, np.bincount(targets, minlength=len(self._links))
        )
