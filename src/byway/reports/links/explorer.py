"""Facade of all link reports, for the command line and the web.

`site` is the name of a host and includes its subdomains; empty means all pages. `limit` is the
maximum number of results; 0 means all.
"""

from pathlib import Path

from byway.core.model import Url
from byway.core.ports import LinkGraph, Ranks
from byway.reports.links import export_formats
from byway.reports.links.broken_links import BrokenLinks, broken_links
from byway.reports.links.export import GraphKind, export_graph
from byway.reports.links.neighbours import PageNeighbours, page_neighbours
from byway.reports.links.orphans import Orphans, orphans
from byway.reports.links.redirects import Redirects, redirects
from byway.reports.links.similar_hosts import SimilarHosts, similar_hosts
from byway.reports.links.top import TopHosts, TopPages, top_hosts, top_pages


class LinkExplorer:
    """Read-only reports on a link graph."""

    def __init__(self, graph: LinkGraph, ranks: Ranks) -> None:
        self._graph = graph
        self._ranks = ranks

    def __bool__(self) -> bool:
        """Whether any URL is known."""
        return self._graph.size() > 1

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
