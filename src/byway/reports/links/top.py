"""Pages and hosts with the highest PageRank."""

import numpy as np

from byway.core.errors import DataError
from byway.core.model import UrlId
from byway.core.model.candidates import Floats, Ids
from byway.core.model.link_report import TopHost, TopHosts, TopPage, TopPages
from byway.core.ports import LinkGraph, Ranks
from byway.reports.links.hosts import (
    Ints,
    host_citations,
    pad_counts,
    site_host_ids,
    site_page_mask,
)


def top_pages(graph: LinkGraph, ranks: Ranks, site: str = "", limit: int = 20) -> TopPages:
    """The pages (of a site) with the highest rank, visited or not."""
    _require_ranks(ranks)
    site_mask = site_page_mask(graph, site)
    values = np.zeros(len(site_mask))
    size = min(len(site_mask), len(ranks.pages))
    values[:size] = ranks.pages[:size]
    values[~site_mask] = 0
    ids = _highest(values, limit)
    counts = _inlink_counts(graph, ids)
    records = graph.url_records(UrlId(id) for id in ids.tolist())
    found = (
        TopPage(records[id].url, records[id].state, float(values[id]), count)
        for id, count in zip(map(UrlId, ids.tolist()), counts, strict=True)
    )
    return TopPages(tuple(found))


def top_hosts(graph: LinkGraph, ranks: Ranks, site: str = "", limit: int = 20) -> TopHosts:
    """The hosts (of a site) with the highest rank."""
    host_of = graph.host_ids()
    values = host_ranks(host_of, ranks)
    best = _highest(values, 0)
    if site:
        best = best[np.isin(best, list(site_host_ids(graph, site)))]
    names, urls = graph.host_names(), np.bincount(host_of, minlength=len(values))
    citations = host_citations(ranks)
    links, hosts = (
        pad_counts(citations.links, len(values)),
        pad_counts(citations.hosts, len(values)),
    )
    found = (
        TopHost(names[n], float(values[n]), int(urls[n]), int(links[n]), int(hosts[n]))
        for n in best[: limit or None].tolist()
    )
    return TopHosts(tuple(found))


def host_ranks(host_ids: Ints, ranks: Ranks) -> Floats:
    """The rank of every host by id; 0 for hosts newer than the ranks."""
    values = np.zeros(int(host_ids.max(initial=0)) + 1)
    size = min(len(host_ids), len(ranks.hosts))
    values[host_ids[:size]] = ranks.hosts[:size]
    values[0] = 0
    return values


def _require_ranks(ranks: Ranks) -> None:
    if not len(ranks.pages):
        raise DataError("reports.no_ranks")


def _highest(values: Floats, limit: int) -> Ids:
    """The ids of the highest values, highest first; ties go to the lowest id."""
    found = np.flatnonzero(values > 0)
    if 0 < limit < len(found):  # sorting three million values for twenty takes half a second
        threshold = np.partition(values[found], -limit)[-limit]
        found = found[values[found] >= threshold]
    return found[np.argsort(-values[found], kind="stable")][: limit or None]


def _inlink_counts(graph: LinkGraph, ids: Ids) -> list[int]:
    """Number of pages that link to each of these URLs."""
    _, targets = graph.edges_to(ids)
    found, counts = np.unique(targets, return_counts=True)
    known = dict(zip(found.tolist(), counts.tolist(), strict=True))
    return [known.get(id, 0) for id in ids.tolist()]
