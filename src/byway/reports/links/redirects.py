"""Where do redirects lead in the end? Their chains, some of which never arrive."""

from collections.abc import Mapping
from dataclasses import dataclass

from byway.core.model import Url, UrlId, UrlRecord, UrlState
from byway.core.model.message import NO_REASON, Reason
from byway.core.ports import LinkGraph
from byway.reports.links.hosts import site_page_mask
from byway.reports.links.sources import LinkSource, LinkSources


@dataclass(frozen=True, slots=True)
class RedirectChain:
    """A URL that redirects, step by step, to where it ends."""

    url: Url
    redirects: tuple[Url, ...]
    """Where it leads, one after the other; the last is where it ends."""
    state: UrlState
    """What became of the last; `redirect_records` when it has been there before."""
    reason: Reason
    is_loop: bool
    source_count: int
    """How many pages link to it."""
    sources: tuple[LinkSource, ...]
    """The first of those pages."""


@dataclass(frozen=True, slots=True)
class Redirects:
    """The redirects of a crawl: how many in all, and the first of them."""

    total: int
    chains: tuple[RedirectChain, ...]


@dataclass(frozen=True, slots=True)
class ResolvedRedirect:
    """Where a chain of redirects ends."""

    redirects: tuple[Url, ...]
    record: UrlRecord | None
    """None when the end was never heard of."""
    is_loop: bool = False

    @property
    def state(self) -> UrlState:
        return self.record.state if self.record else UrlState.QUEUED

    @property
    def reason(self) -> Reason:
        """Why it ends there."""
        if self.is_loop:
            return Reason("redirect_loop", to=self.redirects[-1])
        return self.record.reason if self.record else NO_REASON


def redirect_records(graph: LinkGraph) -> Mapping[Url, UrlRecord]:
    """Every URL that redirects."""
    records = graph.url_records(
        UrlId(id) for id in graph.ids_in_state(UrlState.REDIRECTED).tolist()
    )
    return {record.url: record for record in records.values()}


def follow_redirects(
    graph: LinkGraph, known: Mapping[Url, UrlRecord], start: UrlRecord
) -> ResolvedRedirect:
    """Follow the redirects from a URL until they end, or come back to where they have been."""
    steps: list[Url] = []
    record: UrlRecord | None = start
    while record and (target := record.redirect_target):
        back = target == start.url or target in steps
        steps.append(target)
        record = known.get(target) or graph.find_url(target)
        if back:
            return ResolvedRedirect(tuple(steps), record, is_loop=True)
    return ResolvedRedirect(tuple(steps), record)


def redirects(graph: LinkGraph, site: str = "", limit: int = 0) -> Redirects:
    """The redirects that links of a site lead to, the most linked first.

    Without a site, also those that no page links to: seeds, and what sitemaps name.
    """
    known = redirect_records(graph)
    on = site_page_mask(graph, site) if site else None
    carriers = LinkSources(graph, (record.id for record in known.values()), on)
    targets = {record.redirect_target for record in known.values()}
    counted = [(carriers.count(record.id), record) for record in known.values()]
    # What only another redirect leads to is a step of that one's chain.
    shown = [
        (count, record)
        for count, record in counted
        if count or (not site and (record.seed or record.url not in targets))
    ]
    shown.sort(key=lambda one: (-one[0], one[1].url))
    chains = (
        _chain(
            record, follow_redirects(graph, known, record), count, carriers.first(record.id, limit)
        )
        for count, record in shown[: limit or None]
    )
    return Redirects(len(shown), tuple(chains))


def _chain(
    record: UrlRecord, end: ResolvedRedirect, pages: int, on: tuple[LinkSource, ...]
) -> RedirectChain:
    return RedirectChain(record.url, end.redirects, end.state, end.reason, end.is_loop, pages, on)
