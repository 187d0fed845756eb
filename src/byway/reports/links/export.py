"""Export of the page graph or the host graph as streams of nodes and links.

The page graph is read in batches; the host graph is computed in memory.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from byway.core.model import UrlId
from byway.core.ports import LinkGraph, Ranks
from byway.core.url import host_of
from byway.reports.links.hosts import host_link_counts, site_page_mask
from byway.reports.links.neighbours import page_rank
from byway.reports.links.top import host_ranks

NODES_PER_BATCH = 5_000
"""Nodes looked up at a time."""

GraphKind = Literal["pages", "hosts"]
CellValue = str | int | float | bool
Columns = Mapping[str, type]
Row = tuple[CellValue, ...]


@dataclass(frozen=True, slots=True)
class GraphExport:
    """A graph to export. A node is an id and a row; a link is two ids and a row."""

    node_columns: Columns
    nodes: Iterable[tuple[int, Row]]
    link_columns: Columns
    links: Iterable[tuple[int, int, Row]]
    node_names: Callable[[Iterable[int]], Mapping[int, str]]
    """Names of nodes by id."""


def export_graph(graph: LinkGraph, ranks: Ranks, kind: GraphKind, site: str = "") -> GraphExport:
    """The page graph or the host graph; with a site, only the links on its pages."""
    return (_export_pages if kind == "pages" else _export_hosts)(graph, ranks, site)


def _export_pages(graph: LinkGraph, ranks: Ranks, site: str) -> GraphExport:
    page_mask = site_page_mask(graph, site) if site else None
    return GraphExport(
        node_columns={"url": str, "host": str, "state": str, "rank": float},
        nodes=_page_nodes(graph, ranks, page_mask),
        link_columns={"anchor": str, "nofollow": bool},
        links=_page_links(graph, page_mask),
        node_names=lambda ids: {
            int(id): record.url for id, record in graph.url_records(map(UrlId, ids)).items()
        },
    )


def _page_nodes(
    graph: LinkGraph, ranks: Ranks, page_mask: NDArray[np.bool_] | None
) -> Iterator[tuple[int, Row]]:
    if page_mask is None:
        ids = iter(range(1, graph.size()))
    else:
        wanted = page_mask.copy()
        for _, target, _ in _page_links(graph, page_mask):
            if target < len(wanted):
                wanted[target] = True
        ids = iter(np.flatnonzero(wanted).tolist())
    while batch := list(islice(ids, NODES_PER_BATCH)):
        for id, record in sorted(graph.url_records(map(UrlId, batch)).items()):
            yield id, (record.url, host_of(record.url), str(record.state), page_rank(ranks, id))


def _page_links(
    graph: LinkGraph, page_mask: NDArray[np.bool_] | None
) -> Iterator[tuple[int, int, Row]]:
    for source, links in graph.all_outlinks():
        if page_mask is None or (source < len(page_mask) and page_mask[source]):
            for link in links:
                yield source, link.id, (link.anchor, link.nofollow)


def _export_hosts(graph: LinkGraph, ranks: Ranks, site: str) -> GraphExport:
    numbers, names = graph.host_ids(), graph.host_names()
    page_mask = site_page_mask(graph, site) if site else None
    sources, targets, counts = host_link_counts(graph, numbers, page_mask)
    values = host_ranks(numbers, ranks)
    urls = np.bincount(numbers, minlength=len(values))
    page_hosts = numbers if page_mask is None else numbers[page_mask]
    host_nodes = np.unique(np.concatenate([page_hosts[page_hosts > 0], sources, targets])).tolist()
    return GraphExport(
        node_columns={"host": str, "urls": int, "rank": float},
        nodes=((host, (names[host], int(urls[host]), float(values[host]))) for host in host_nodes),
        link_columns={"links": int},
        links=(
            (int(one), int(other), (int(count),))
            for one, other, count in zip(sources, targets, counts, strict=True)
        ),
        node_names=lambda _: names,
    )
