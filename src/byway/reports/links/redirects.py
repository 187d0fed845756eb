"""Redirect chains with their final targets, and redirect loops."""

from collections.abc import Mapping
from dataclasses import dataclass

from byway.core.model import Url, UrlId, UrlRecord, UrlState
from byway.core.model.link_report import LinkSource, RedirectChain, Redirects
from byway.core.model.message import NO_REASON, Reason
from byway.core.ports import LinkGraph
from byway.reports.links.hosts import site_page_mask
from byway.reports.links.sources import LinkSources


@dataclass(frozen=True, slots=True)
class ResolvedRedirect:
    """The end of a redirect chain."""

    redirects: tuple[Url, ...]
    record: UrlRecord | None
    """The record of the last hop; None if it is unknown."""
    is_loop: bool = False

    @property
    def state(self) -> UrlState:
        return self.record.state if self.record else UrlState.QUEUED

    @property
    def reason(self) -> Reason:
        """The reason for the state of the last hop, or the loop."""
        if self.is_loop:
            return Reason("redirect_loop", to=self.redirects[-1])
        return self.record.reason if self.record else NO_REASON


def redirect_records(graph: LinkGraph) -> Mapping[Url, UrlRecord]:
    """All URLs that redirect."""
    records = graph.url_records(
        UrlId(id) for id in graph.ids_in_state(UrlState.REDIRECTED).tolist()
    )
    return {record.url: record for record in records.values()}


def follow_redirects(
    graph: LinkGraph, known: Mapping[Url, UrlRecord], start: UrlRecord
) -> ResolvedRedirect:
    """Follow the redirects from a URL to their end or into a loop."""
    hops: list[Url] = []
    record: UrlRecord | None = start
    while record and (target := record.redirect_target):
        is_loop = target == start.url or target in hops
        hops.append(target)
        record = known.get(target) or graph.find_url(target)
        if is_loop:
            return ResolvedRedirect(tuple(hops), record, is_loop=True)
    return ResolvedRedirect(tuple(hops), record)


def redirects(graph: LinkGraph, site: str = "", limit: int = 0) -> Redirects:
    """The redirects that pages of a site link to, most linked first.

    Without a site, also those that no page links to: seeds and URLs from sitemaps.
    """
    known = redirect_records(graph)
    page_mask = site_page_mask(graph, site) if site else None
    sources = LinkSources(graph, (record.id for record in known.values()), page_mask)
    targets = {record.redirect_target for record in known.values()}
    counted = [(sources.count(record.id), record) for record in known.values()]
    # A URL that only another redirect points to is a hop of that chain.
    shown = [
        (count, record)
        for count, record in counted
        if count or (not site and (record.seed or record.url not in targets))
    ]
    shown.sort(key=lambda one: (-one[0], one[1].url))
    chains = (
        _chain(
            record, follow_redirects(graph, known, record), count, sources.first(record.id, limit)
        )
        for count, record in shown[: limit or None]
    )
    return Redirects(len(shown), tuple(chains))


def _chain(
    record: UrlRecord, end: ResolvedRedirect, pages: int, sources: tuple[LinkSource, ...]
) -> RedirectChain:
    return RedirectChain(
        record.url, end.redirects, end.state, end.reason, end.is_loop, pages, sources
    )
