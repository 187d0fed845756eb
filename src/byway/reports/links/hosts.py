"""Which hosts link to which, and how many to each? The links between pages, added up."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from byway.core.errors import DataError, UsageError
from byway.core.model.candidates import Ids
from byway.core.ports import HostCitations, LinkGraph, Ranks
from byway.core.url import bare_host, host_of, parse_typed_url

Ints = NDArray[np.int32]


def host_link_counts(
    graph: LinkGraph, host_ids: Ints, page_mask: NDArray[np.bool_] | None = None
) -> tuple[Ids, Ids, Ids]:
    """Each pair of hosts with links from the first to the second, and how many; nofollow left out.

    `page_mask`: by URL number, the pages whose links count.
    """
    pairs, counts = np.zeros(0, np.int64), np.zeros(0, np.int64)
    for sources, targets in known_edges(graph, host_ids):
        if page_mask is not None:
            sources, targets = sources[page_mask[sources]], targets[page_mask[sources]]
        one, other = host_ids[sources].astype(np.int64), host_ids[targets].astype(np.int64)
        between = one != other
        fresh, fresh_counts = np.unique(one[between] << 32 | other[between], return_counts=True)
        pairs, which = np.unique(np.concatenate([pairs, fresh]), return_inverse=True)
        weights = np.concatenate([counts, fresh_counts])
        counts = np.bincount(which, weights, minlength=len(pairs)).astype(np.int64)
    return pairs >> 32, pairs & 0xFFFFFFFF, counts


def known_edges(graph: LinkGraph, host_ids: Ints) -> Iterator[tuple[Ints, Ints]]:
    """The links between URLs whose host is known; one added since may lead further."""
    for sources, targets in graph.edges():
        known = (sources < len(host_ids)) & (targets < len(host_ids))
        yield sources[known], targets[known]


def host_citations(ranks: Ranks) -> HostCitations:
    """What leads to each host, as it was when the pages were ranked."""
    if not len(ranks.citations.links):
        raise DataError("reports.no_ranks")
    return ranks.citations


def pad_counts(counts: Ids, size: int) -> Ids:
    """Counts up to `size`; what is newer has none."""
    found = np.zeros(size, np.int64)
    found[: len(counts)] = counts[:size]
    return found


# Which pages are meant by the name of a site? Those of the host, and of the hosts below it.


def site_host_ids(graph: LinkGraph, site: str) -> set[int]:
    """The numbers of a site's hosts: the one that is named, and all below it.

    A name without a port means every port, as `site:` does in a search.
    """
    name = host_of(parse_typed_url(site))
    found = {number for number, host in graph.host_names().items() if _is_of(host, name)}
    if not found:
        raise UsageError("reports.unknown_site", site=name)
    return found


def site_page_mask(graph: LinkGraph, site: str) -> NDArray[np.bool_]:
    """By URL number: is it one of the site's? Without a name, every number is."""
    if not site:
        return np.ones(graph.size(), bool)
    ours: NDArray[np.bool_] = np.isin(graph.host_ids(), list(site_host_ids(graph, site)))
    return ours


def _is_of(host: str, name: str) -> bool:
    bare = bare_host(host)
    return host == name or bare == name or bare.endswith("." + name)
