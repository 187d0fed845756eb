"""Broken links: URLs that are missing or unreachable, with the pages that link to them."""

from collections.abc import Iterator

from byway.core.model import UrlId, UrlRecord, UrlState
from byway.core.model.link_report import BrokenLinks, BrokenUrl
from byway.core.ports import LinkGraph
from byway.reports.links.hosts import site_page_mask
from byway.reports.links.redirects import ResolvedRedirect, follow_redirects
from byway.reports.links.sources import LinkSources

BROKEN_STATES = (UrlState.MISSING, UrlState.UNREACHABLE)


def broken_links(graph: LinkGraph, site: str = "", limit: int = 0) -> BrokenLinks:
    """The broken links on pages of a site (or on all pages), most linked URL first."""
    broken = {record.id: (record, end) for record, end in _find_broken(graph)}
    sources = LinkSources(graph, broken, site_page_mask(graph, site) if site else None)
    counted = [(sources.count(id), *broken[id]) for id in broken]
    linked = [one for one in counted if one[0]]
    linked.sort(key=lambda one: (-one[0], one[1].url))
    urls = (
        BrokenUrl(
            record.url,
            end.state,
            end.reason,
            end.redirects,
            end.is_loop,
            count,
            sources.first(record.id, limit),
        )
        for count, record, end in linked[: limit or None]
    )
    return BrokenLinks(len(linked), sum(one[0] for one in linked), tuple(urls))


def _find_broken(graph: LinkGraph) -> Iterator[tuple[UrlRecord, ResolvedRedirect]]:
    """All broken URLs, including redirects to one or into a loop."""
    ids = graph.ids_in_state(*BROKEN_STATES, UrlState.REDIRECTED).tolist()
    known = {record.url: record for record in graph.url_records(map(UrlId, ids)).values()}
    for record in known.values():
        end = follow_redirects(graph, known, record)
        if end.is_loop or end.state in BROKEN_STATES:
            yield record, end
