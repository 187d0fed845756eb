"""What leaves byway when the graph does? Its nodes and links, of pages or of hosts, bit by bit.

Both are made as they are asked for, so that a large graph takes no more memory than a small one.
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
"""Nodes that are looked up at a time."""

GraphKind = Literal["pages", "hosts"]
CellValue = str | int | float | bool
Columns = Mapping[str, type]
Row = tuple[CellValue, ...]


@dataclass(frozen=True, slots=True)
class GraphExport:
    """A graph on its way out. A node is a number and a row; a link is two numbers and a row."""

    node_columns: Columns
    nodes: Iterable[tuple[int, Row]]
    link_columns: Columns
    links: Iterable[tuple[int, int, Row]]
    node_names: Callable[[Iterable[int]], Mapping[int, str]]
    """What the numbers of nodes stand for."""


def export_graph(graph: LinkGraph, ranks: Ranks, kind: GraphKind, site: str = "") -> GraphExport:
    """The graph of pages or of hosts; with a site, only the links on its pages."""
    return (_pages if kind == "pages" else _hosts)(graph, ranks, site)


def _pages(graph: LinkGraph, ranks: Ranks, site: str) -> GraphExport:
    only = site_page_mask(graph, site) if site else None
    return GraphExport(
        node_columns={"url": str, "host": str, "state": str, "rank": float},
        nodes=_page_nodes(graph, ranks, only),
        link_columns={"anchor": str, "nofollow": bool},
        links=_page_links(graph, only),
        node_names=lambda ids: {
            int(id): record.url for id, record in graph.url_records(map(UrlId, ids)).items()
        },
    )


def _page_nodes(
    graph: LinkGraph, ranks: Ranks, only: NDArray[np.bool_] | None
) -> Iterator[tuple[int, Row]]:
    if only is None:
        ids = iter(range(1, graph.size()))
    else:
        wanted = only.copy()
        for _, target, _ in _page_links(graph, only):
            if target < len(wanted):
                wanted[target] = True
        ids = iter(np.flatnonzero(wanted).tolist())
    while some := list(islice(ids, NODES_PER_BATCH)):
        for id, record in sorted(graph.url_records(map(UrlId, some)).items()):
            yield id, (record.url, host_of(record.url), str(record.state), page_rank(ranks, id))


def _page_links(graph: LinkGraph, only: NDArray[np.bool_] | None) -> Iterator[tuple[int, int, Row]]:
    for source, links in graph.all_outlinks():
        if only is None or (source < len(only) and only[source]):
            for link in links:
                yield source, link.id, (link.anchor, link.nofollow)


def _hosts(graph: LinkGraph, ranks: Ranks, site: str) -> GraphExport:
    numbers, names = graph.host_ids(), graph.host_names()
    only = site_page_mask(graph, site) if site else None
    sources, targets, counts = host_link_counts(graph, numbers, only)
    values = host_ranks(numbers, ranks)
    urls = np.bincount(numbers, minlength=len(values))
    here = numbers if only is None else numbers[only]
    shown = np.unique(np.concatenate([here[here > 0], sources, targets])).tolist()
    return GraphExport(
        node_columns={"host": str, "urls": int, "rank": float},
        nodes=((host, (names[host], int(urls[host]), float(values[host]))) for host in shown),
        link_columns={"links": int},
        links=(
            (int(one), int(other), (int(count),))
            for one, other, count in zip(sources, targets, counts, strict=True)
        ),
        node_names=lambda _: names,
    )
