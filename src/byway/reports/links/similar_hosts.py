"""Which hosts are like this one? Those that the same pages link to."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from byway.core.arrays import sorted_unique
from byway.core.model.candidates import Ids
from byway.core.ports import LinkGraph, Ranks
from byway.reports.links.hosts import Ints, host_citations, pad_counts, site_host_ids


@dataclass(frozen=True, slots=True)
class SimilarHost:
    """A host, and how much its in-links are those of the one that was asked about."""

    host: str
    similarity: float
    """The cosine: 1 when the same pages link to both, 0 when none does."""
    shared_inlink_count: int
    """How many pages link to both."""
    inlink_count: int
    """How many pages of other hosts link to it."""


@dataclass(frozen=True, slots=True)
class SimilarHosts:
    """What is like a site: how many pages of others link to it, and the most similar hosts."""

    site: str
    inlink_count: int
    total: int
    """How many hosts share at least one in-link with it."""
    hosts: tuple[SimilarHost, ...]


def similar_hosts(graph: LinkGraph, ranks: Ranks, site: str, limit: int = 20) -> SimilarHosts:
    """The hosts that pages link to which also link to this site, by cosine of their in-links.

    A page counts once however many links it has, and not for its own host; nor do the site's own.
    How many link to each host is what it was when the pages were ranked.
    """
    host_of, names = graph.host_ids(), graph.host_names()
    size = int(host_of.max(initial=0)) + 1
    ours = np.zeros(size, bool)
    ours[list(site_host_ids(graph, site))] = True
    pages, hosts = _cited_beside(graph, host_of, ours)
    shared = np.bincount(hosts, minlength=size)
    citing = len(sorted_unique(pages))
    links = pad_counts(host_citations(ranks).pages, size) - _own_links(graph, host_of, ours)
    links = np.maximum(shared, links)
    shared[ours] = 0
    likeness = shared / np.sqrt(np.maximum(1, links * citing))
    best = np.lexsort((-shared, -likeness))
    best = best[shared[best] > 0]
    found = (
        SimilarHost(names[host], float(likeness[host]), int(shared[host]), int(links[host]))
        for host in best[: limit or None].tolist()
    )
    return SimilarHosts(site, citing, len(best), tuple(found))


def _cited_beside(graph: LinkGraph, host_of: Ints, ours: NDArray[np.bool_]) -> tuple[Ids, Ids]:
    """Each page of others that links to one of our hosts, with every other host it links to."""
    citing, _ = graph.edges_to(np.flatnonzero(ours[host_of[graph.redirect_targets()]]))
    citing = citing[citing < len(host_of)]
    citing = citing[~ours[host_of[citing]]]
    pages, hosts = _hosts_linked(graph, host_of, sorted_unique(citing.astype(np.int64)))
    # What led here may have been nofollow, and then the page says nothing of us.
    really = np.isin(pages, pages[ours[hosts]])
    return pages[really], hosts[really]


def _own_links(graph: LinkGraph, host_of: Ints, ours: NDArray[np.bool_]) -> Ids:
    """How many of the site's own pages link to each host."""
    _, hosts = _hosts_linked(graph, host_of, np.flatnonzero(ours[host_of]))
    return np.bincount(hosts, minlength=len(ours))


def _hosts_linked(graph: LinkGraph, host_of: Ints, pages: Ids) -> tuple[Ids, Ids]:
    """Each of these pages with every host that it links to, but for its own."""
    sources, targets = graph.edges_from(pages)
    known = targets < len(host_of)
    sources, hosts = sources[known], host_of[graph.redirect_targets()[targets[known]]]
    away = host_of[sources] != hosts
    pairs = sorted_unique(sources[away].astype(np.int64) << 32 | hosts[away])
    return pairs >> 32, pairs & 0xFFFFFFFF
