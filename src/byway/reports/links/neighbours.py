"""Inlinks and outlinks of a page."""

from collections.abc import Sequence

import numpy as np

from byway.core.errors import UsageError
from byway.core.model import Neighbour, Url, UrlId, UrlRecord
from byway.core.model.link_report import NeighbourPage, PageNeighbours
from byway.core.ports import LinkGraph, Ranks


def page_neighbours(graph: LinkGraph, ranks: Ranks, url: Url, limit: int = 0) -> PageNeighbours:
    """A page with its inlinks, highest rank first, and its outlinks in page order."""
    record = graph.find_url(url)
    if record is None:
        raise UsageError("reports.unknown_page", url=url)
    sources, _ = graph.edges_to(np.array([record.id], np.int64))
    best = sorted(sources.tolist(), key=lambda id: (-page_rank(ranks, id), id))[: limit or None]
    outgoing = graph.outlinks(record.id)
    return PageNeighbours(
        record.url,
        record.state,
        record.reason,
        page_rank(ranks, record.id),
        inlink_count=len(sources),
        outlink_count=len(outgoing),
        inlinks=_neighbour_pages(graph, ranks, _links_from(graph, best, record.id)),
        outlinks=_neighbour_pages(graph, ranks, outgoing[: limit or None]),
    )


def page_rank(ranks: Ranks, id: int) -> float:
    """The rank of a page; 0 if it is newer than the ranks."""
    return float(ranks.pages[id]) if id < len(ranks.pages) else 0.0


def _links_from(graph: LinkGraph, sources: Sequence[int], target: UrlId) -> list[Neighbour]:
    """The links from these sources to the target."""
    return [
        link._replace(id=UrlId(source))
        for source in sources
        for link in graph.outlinks(UrlId(source))
        if link.id == target
    ]


def _neighbour_pages(
    graph: LinkGraph, ranks: Ranks, neighbours: Sequence[Neighbour]
) -> tuple[NeighbourPage, ...]:
    records = graph.url_records([one.id for one in neighbours])

    def neighbour_page(one: Neighbour, record: UrlRecord) -> NeighbourPage:
        rank = page_rank(ranks, one.id)
        return NeighbourPage(
            record.url, record.state, record.reason, one.anchor, one.nofollow, rank
        )

    return tuple(neighbour_page(one, records[one.id]) for one in neighbours if one.id in records)
