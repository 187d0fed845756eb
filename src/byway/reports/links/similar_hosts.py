"""Similar hosts by co-citation: hosts that the same pages link to."""

import numpy as np
from numpy.typing import NDArray

from byway.core.arrays import sorted_unique
from byway.core.model.candidates import Ids
from byway.core.model.link_report import SimilarHost, SimilarHosts
from byway.core.ports import LinkGraph, Ranks
from byway.reports.links.hosts import Ints, host_citations, pad_counts, site_host_ids


def similar_hosts(graph: LinkGraph, ranks: Ranks, site: str, limit: int = 20) -> SimilarHosts:
    """The hosts that share inlinks with this site, by cosine of their inlinks.

    A page counts once, however many links it has, and never for its own host; pages of the site do
    not count. The inlink counts of hosts come from the last ranking.
    """
    host_of, names = graph.host_ids(), graph.host_names()
    size = int(host_of.max(initial=0)) + 1
    site_hosts = np.zeros(size, bool)
    site_hosts[list(site_host_ids(graph, site))] = True
    pages, hosts = _co_cited_hosts(graph, host_of, site_hosts)
    shared = np.bincount(hosts, minlength=size)
    citing_pages = len(sorted_unique(pages))
    links = pad_counts(host_citations(ranks).pages, size) - _internal_citations(
        graph, host_of, site_hosts
    )
    links = np.maximum(shared, links)
    shared[site_hosts] = 0
    similarity = shared / np.sqrt(np.maximum(1, links * citing_pages))
    best = np.lexsort((-shared, -similarity))
    best = best[shared[best] > 0]
    found = (
        SimilarHost(names[host], float(similarity[host]), int(shared[host]), int(links[host]))
        for host in best[: limit or None].tolist()
    )
    return SimilarHosts(site, citing_pages, len(best), tuple(found))


def _co_cited_hosts(
    graph: LinkGraph, host_of: Ints, site_hosts: NDArray[np.bool_]
) -> tuple[Ids, Ids]:
    """(page, host) pairs: each page that links to the site, with each host it links to."""
    citing_pages, _ = graph.edges_to(np.flatnonzero(site_hosts[host_of[graph.redirect_targets()]]))
    citing_pages = citing_pages[citing_pages < len(host_of)]
    citing_pages = citing_pages[~site_hosts[host_of[citing_pages]]]
    pages, hosts = _linked_hosts(graph, host_of, sorted_unique(citing_pages.astype(np.int64)))
    # A page whose link to the site is nofollow does not count.
    counts = np.isin(pages, pages[site_hosts[hosts]])
    return pages[counts], hosts[counts]


def _internal_citations(graph: LinkGraph, host_of: Ints, site_hosts: NDArray[np.bool_]) -> Ids:
    """Number of the site's own pages that link to each host."""
    _, hosts = _linked_hosts(graph, host_of, np.flatnonzero(site_hosts[host_of]))
    return np.bincount(hosts, minlength=len(site_hosts))


def _linked_hosts(graph: LinkGraph, host_of: Ints, pages: Ids) -> tuple[Ids, Ids]:
    """Pairs of a page and another host that it links to, for these pages."""
    sources, targets = graph.edges_from(pages)
    known = targets < len(host_of)
    sources, hosts = sources[known], host_of[graph.redirect_targets()[targets[known]]]
    is_external = host_of[sources] != hosts
    pairs = sorted_unique(sources[is_external].astype(np.int64) << 32 | hosts[is_external])
    return pairs >> 32, pairs & 0xFFFFFFFF
