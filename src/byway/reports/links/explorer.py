"""What can one ask about links? Every question, for the command line and the web alike.

`site` is the name of a host and means those below it too; without it, all pages are meant. `limit`
is how many are told of, 0 all.
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
    """A graph of links to ask, and never to write."""

    def __init__(self, graph: LinkGraph, ranks: Ranks) -> None:
        self._graph = graph
        self._ranks = ranks

    def __bool__(self) -> bool:
        """Is any URL known?"""
        return self._graph.size() > 1

    def neighbours(self, url: Url, limit: int = 20) -> PageNeighbours:
        """A page with its parents and children."""
        return page_neighbours(self._graph, self._ranks, url, limit)

    def broken_links(self, site: str = "", limit: int = 20) -> BrokenLinks:
        """The links that lead nowhere, with the pages they are on."""
        return broken_links(self._graph, site, limit)

    def redirects(self, site: str = "", limit: int = 20) -> Redirects:
        """The links that lead elsewhere, with their chains and the pages they are on."""
        return redirects(self._graph, site, limit)

    def orphans(self, site: str = "", limit: int = 20) -> Orphans:
        """The kept pages that nothing links to."""
        return orphans(self._graph, site, limit)

    def top_pages(self, site: str = "", limit: int = 20) -> TopPages:
        """The pages with the highest rank."""
        return top_pages(self._graph, self._ranks, site, limit)

    def top_hosts(self, site: str = "", limit: int = 20) -> TopHosts:
        """The hosts with the highest rank."""
        return top_hosts(self._graph, self._ranks, site, limit)

    def similar_hosts(self, site: str, limit: int = 20) -> SimilarHosts:
        """The hosts that the same pages link to."""
        return similar_hosts(self._graph, self._ranks, site, limit)

    def export(self, path: Path, kind: GraphKind = "pages", site: str = "") -> int:
        """Write the graph to a file whose name says the format; return how many links it has."""
        return export_formats.write_graph(export_graph(self._graph, self._ranks, kind, site), path)
