"""Broken links and redirect chains: URLs with the pages that link to them."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from byway.core.messages import NO_REASON, Reason
from byway.core.model import Url, UrlId, UrlRecord, UrlState
from byway.core.model.link_report import (
    BrokenLinks,
    BrokenUrl,
    LinkSource,
    RedirectChain,
    Redirects,
)
from byway.core.ports import LinkGraph
from byway.reports.links.hosts import site_page_mask

BROKEN_STATES = (UrlState.MISSING, UrlState.UNREACHABLE)


class LinkSources:
    """The pages that link to given URLs: found in one scan, records loaded on demand."""

    def __init__(
        self, graph: LinkGraph, ids: Iterable[int], source_mask: NDArray[np.bool_] | None = None
    ) -> None:
        """`source_mask` marks, by URL id, the pages that count; None means all pages."""
        self._graph = graph
        sources, targets = graph.edges_to(np.fromiter(ids, np.int64))
        if source_mask is not None:
            known = sources < len(source_mask)
            counts_as_source = known & source_mask[np.where(known, sources, 0)]
            sources, targets = sources[counts_as_source], targets[counts_as_source]
        self._sources = sources[np.lexsort((sources, targets))]
        found, counts = np.unique(targets, return_counts=True)
        ends = np.cumsum(counts)
        ranges = zip((ends - counts).tolist(), ends.tolist(), strict=True)
        self._ranges = dict(zip(found.tolist(), ranges, strict=True))

    def count(self, id: UrlId) -> int:
        """Number of pages that link to a URL."""
        return len(self._source_ids(id))

    def first(self, id: UrlId, limit: int) -> tuple[LinkSource, ...]:
        """The first pages that link to a URL; all if `limit` is 0."""
        sources = [UrlId(source) for source in self._source_ids(id)[: limit or None].tolist()]
        records = self._graph.url_records(sources)
        return tuple(
            LinkSource(records[source].url, link.anchor, link.nofollow)
            for source in sources
            for link in self._graph.outlinks(source)
            if link.id == id and source in records
        )

    def _source_ids(self, id: UrlId) -> NDArray[np.int32]:
        start, end = self._ranges.get(id, (0, 0))
        return self._sources[start:end]


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
        """The reason for the state of the last hop, or for the loop."""
        if self.is_loop:
            return Reason("redirect_loop", to=self.redirects[-1])
        return self.record.reason if self.record else NO_REASON


def _records_in_state(graph: LinkGraph, *states: UrlState) -> dict[Url, UrlRecord]:
    """All URLs in these states."""
    ids = graph.ids_in_state(*states).tolist()
    return {record.url: record for record in graph.url_records(map(UrlId, ids)).values()}


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
    known = _records_in_state(graph, UrlState.REDIRECTED)
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
    ends = ((count, one, follow_redirects(graph, known, one)) for count, one in shown)
    chains = (
        RedirectChain(
            record.url,
            end.redirects,
            end.state,
            end.reason,
            end.is_loop,
            count,
            sources.first(record.id, limit),
        )
        for count, record, end in islice(ends, limit or None)
    )
    return Redirects(len(shown), tuple(chains))


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
    """All broken URLs, including redirects that lead to one or into a loop."""
    known = _records_in_state(graph, *BROKEN_STATES, UrlState.REDIRECTED)
    for record in known.values():
        end = follow_redirects(graph, known, record)
        if end.is_loop or end.state in BROKEN_STATES:
            yield record, end
