"""Link reports and graph exports of a data folder.

`site` is the name of a host and includes its subdomains; empty means all pages. `limit` is the
maximum number of results; 0 means all.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from byway.app.storage import open_storage
from byway.core.errors import DataError
from byway.core.model import Url
from byway.core.model.link_report import (
    BrokenLinks,
    Orphans,
    PageNeighbours,
    Redirects,
    SimilarHosts,
    TopHosts,
    TopPages,
)
from byway.core.ports import LinkGraph, Ranks
from byway.core.settings.schema import Settings
from byway.reports.links import export_formats
from byway.reports.links.broken_links import broken_links
from byway.reports.links.export import GraphKind, export_graph
from byway.reports.links.neighbours import page_neighbours
from byway.reports.links.orphans import orphans
from byway.reports.links.redirects import redirects
from byway.reports.links.similar_hosts import similar_hosts
from byway.reports.links.top import top_hosts, top_pages
from byway.storage.rank_arrays import ArrayRankStore
from byway.storage.sqlite.crawl_db import crawl_stats
from byway.storage.sqlite.crawl_db.link_graph import SqliteLinkGraph


class LinkExplorer:
    """Read-only reports on a link graph."""

    def __init__(self, graph: LinkGraph, ranks: Ranks) -> None:
        self._graph = graph
        self._ranks = ranks

    def neighbours(self, url: Url, limit: int = 20) -> PageNeighbours:
        """A page with its inlinks and outlinks."""
        return page_neighbours(self._graph, self._ranks, url, limit)

    def broken_links(self, site: str = "", limit: int = 20) -> BrokenLinks:
        """The broken links, with the pages they are on."""
        return broken_links(self._graph, site, limit)

    def redirects(self, site: str = "", limit: int = 20) -> Redirects:
        """The links to redirects, with their chains and the pages they are on."""
        return redirects(self._graph, site, limit)

    def orphans(self, site: str = "", limit: int = 20) -> Orphans:
        """The kept pages without inlinks."""
        return orphans(self._graph, site, limit)

    def top_pages(self, site: str = "", limit: int = 20) -> TopPages:
        """The pages with the highest rank."""
        return top_pages(self._graph, self._ranks, site, limit)

    def top_hosts(self, site: str = "", limit: int = 20) -> TopHosts:
        """The hosts with the highest rank."""
        return top_hosts(self._graph, self._ranks, site, limit)

    def similar_hosts(self, site: str, limit: int = 20) -> SimilarHosts:
        """The hosts that share inlinks with this site."""
        return similar_hosts(self._graph, self._ranks, site, limit)

    def export(self, path: Path, kind: GraphKind = "pages", site: str = "") -> int:
        """Write the graph to a file, in the format of its suffix; return the number of links."""
        return export_formats.write_graph(export_graph(self._graph, self._ranks, kind, site), path)


@contextmanager
def open_link_explorer(path: Path, settings: Settings) -> Iterator[LinkExplorer]:
    """A snapshot of the graph of a data folder, which another process may be writing to."""
    folder = open_storage(path, settings)
    folder.require_data()
    with crawl_stats.snapshot(folder.crawl_db) as db:
        graph = SqliteLinkGraph(db, folder.rank)
        if graph.size() <= 1:
            raise DataError("app.nothing_crawled", data=path)
        yield LinkExplorer(graph, ArrayRankStore(folder.rank).load())


def export_links(path: Path, settings: Settings, file: Path, kind: GraphKind, site: str) -> int:
    """Export the graph of a data folder to a file; return the number of links."""
    export_formats.require_format(file)
    with open_link_explorer(path, settings) as explorer:
        return explorer.export(file, kind, site)
