"""Links between hosts, and the hosts and pages of a site."""

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
    """Source host, target host and link count of each pair of linked hosts, without nofollow.

    `page_mask` marks, by URL id, the pages whose links count.
    """
    pairs, counts = np.zeros(0, np.int64), np.zeros(0, np.int64)
    for sources, targets in known_edges(graph, host_ids):
        if page_mask is not None:
            sources, targets = sources[page_mask[sources]], targets[page_mask[sources]]
        one, other = host_ids[sources].astype(np.int64), host_ids[targets].astype(np.int64)
        is_external = one != other
        new_pairs, new_counts = np.unique(
            one[is_external] << 32 | other[is_external], return_counts=True
        )
        pairs, inverse = np.unique(np.concatenate([pairs, new_pairs]), return_inverse=True)
        weights = np.concatenate([counts, new_counts])
        counts = np.bincount(inverse, weights, minlength=len(pairs)).astype(np.int64)
    return pairs >> 32, pairs & 0xFFFFFFFF, counts


def known_edges(graph: LinkGraph, host_ids: Ints) -> Iterator[tuple[Ints, Ints]]:
    """The links between URLs with a known host; newer links with higher ids are skipped."""
    for sources, targets in graph.edges():
        known = (sources < len(host_ids)) & (targets < len(host_ids))
        yield sources[known], targets[known]


def host_citations(ranks: Ranks) -> HostCitations:
    """The citation counts of hosts, as of the last ranking."""
    if not len(ranks.citations.links):
        raise DataError("reports.no_ranks")
    return ranks.citations


def pad_counts(counts: Ids, size: int) -> Ids:
    """Counts padded with zeros, or cut, to `size`."""
    found = np.zeros(size, np.int64)
    found[: len(counts)] = counts[:size]
    return found


def site_host_ids(graph: LinkGraph, site: str) -> set[int]:
    """The ids of a site's hosts: the named one and its subdomains.

    A name without a port means every port, as for `site:` in a query.
    """
    name = host_of(parse_typed_url(site))
    found = {number for number, host in graph.host_names().items() if _belongs_to_site(host, name)}
    if not found:
        raise UsageError("reports.unknown_site", site=name)
    return found


def site_page_mask(graph: LinkGraph, site: str) -> NDArray[np.bool_]:
    """A mask by URL id: true for pages of the site, or for all pages if no site is given."""
    if not site:
        return np.ones(graph.size(), bool)
    mask: NDArray[np.bool_] = np.isin(graph.host_ids(), list(site_host_ids(graph, site)))
    return mask


def _belongs_to_site(host: str, name: str) -> bool:
    bare = bare_host(host)
    return host == name or bare == name or bare.endswith("." + name)
