"""Link reports and graph exports of a data folder.

A site is a host name and includes its subdomains; empty means all pages. `limit` is the maximum
number of results; 0 means all.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from byway.app.storage import open_storage
from byway.core.errors import DataError
from byway.core.model import Url
from byway.core.model.link_report import LinkReport, PageNeighbours
from byway.core.ports import LinkGraph, Ranks
from byway.core.settings.schema import Settings
from byway.reports.links import export_formats
from byway.reports.links.broken_links import broken_links, redirects
from byway.reports.links.export import GraphKind, export_graph
from byway.reports.links.neighbours import page_neighbours
from byway.reports.links.orphans import orphans
from byway.reports.links.similar_hosts import similar_hosts
from byway.reports.links.top import top_hosts, top_pages

SiteReportKind = Literal["broken", "redirects", "orphans", "top pages", "top hosts", "similar"]


def page_links(path: Path, settings: Settings, url: Url, limit: int) -> PageNeighbours:
    """A page with its inlinks and outlinks."""
    with _open(path, settings) as (graph, ranks):
        return page_neighbours(graph, ranks, url, limit)


def site_links(
    path: Path, settings: Settings, kind: SiteReportKind, site: str, limit: int
) -> LinkReport:
    """A report on the links of a site, or of all pages."""
    with _open(path, settings) as (graph, ranks):
        match kind:
            case "broken":
                return broken_links(graph, site, limit)
            case "redirects":
                return redirects(graph, site, limit)
            case "orphans":
                return orphans(graph, site, limit)
            case "top pages":
                return top_pages(graph, ranks, site, limit)
            case "top hosts":
                return top_hosts(graph, ranks, site, limit)
            case "similar":
                return similar_hosts(graph, ranks, site, limit)


def export_links(path: Path, settings: Settings, file: Path, kind: GraphKind, site: str) -> int:
    """Write the graph to a file, in the format of its suffix; return the number of links."""
    export_formats.require_format(file)
    with _open(path, settings) as (graph, ranks):
        return export_formats.write_graph(export_graph(graph, ranks, kind, site), file)


@contextmanager
def _open(path: Path, settings: Settings) -> Iterator[tuple[LinkGraph, Ranks]]:
    """A snapshot of the graph, which another process may be writing to, and the ranks."""
    folder = open_storage(path, settings)
    folder.require_data()
    with folder.reader(snapshot=True) as reader:
        graph = reader.graph
        if graph.size() <= 1:
            raise DataError("app.nothing_crawled", data=path)
        yield graph, folder.ranks().load()
