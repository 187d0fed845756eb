"""Which links lead nowhere, why, and on which pages do they stand?"""

from collections.abc import Iterator
from dataclasses import dataclass

from byway.core.model import Url, UrlId, UrlRecord, UrlState
from byway.core.model.message import Reason
from byway.core.ports import LinkGraph
from byway.reports.links.hosts import site_page_mask
from byway.reports.links.redirects import ResolvedRedirect, follow_redirects
from byway.reports.links.sources import LinkSource, LinkSources

BROKEN_STATES = (UrlState.MISSING, UrlState.UNREACHABLE)


@dataclass(frozen=True, slots=True)
class BrokenUrl:
    """A URL that cannot be had though pages link to it."""

    url: Url
    state: UrlState
    reason: Reason
    redirects: tuple[Url, ...]
    """Where it redirects before it fails; nothing for most."""
    is_loop: bool
    source_count: int
    """How many pages link to it."""
    sources: tuple[LinkSource, ...]
    """The first of those pages."""


@dataclass(frozen=True, slots=True)
class BrokenLinks:
    """What links lead to in vain: how many URLs in all, and the first of them."""

    total: int
    links: int
    """How many links lead to them."""
    urls: tuple[BrokenUrl, ...]


def broken_links(graph: LinkGraph, site: str = "", limit: int = 0) -> BrokenLinks:
    """The links of a site (or of all pages) that lead nowhere, the most linked URL first."""
    lost = {record.id: (record, end) for record, end in _lost(graph)}
    carriers = LinkSources(graph, lost, site_page_mask(graph, site) if site else None)
    counted = [(carriers.count(id), *lost[id]) for id in lost]
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
            carriers.first(record.id, limit),
        )
        for count, record, end in linked[: limit or None]
    )
    return BrokenLinks(len(linked), sum(one[0] for one in linked), tuple(urls))


def _lost(graph: LinkGraph) -> Iterator[tuple[UrlRecord, ResolvedRedirect]]:
    """Every URL that cannot be had, and those that redirect to one or to no end."""
    ids = graph.ids_in_state(*BROKEN_STATES, UrlState.REDIRECTED).tolist()
    known = {record.url: record for record in graph.url_records(map(UrlId, ids)).values()}
    for record in known.values():
        end = follow_redirects(graph, known, record)
        if end.is_loop or end.state in BROKEN_STATES:
            yield record, end
