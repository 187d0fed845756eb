"""Which links lead nowhere, why, and on which pages do they stand?"""

from collections.abc import Iterator
from dataclasses import dataclass

from byway.core.model import State, Url, UrlId, UrlRecord
from byway.core.ports import LinkGraph
from byway.reports.links.hosts import pages_of
from byway.reports.links.redirects import End, end_of
from byway.reports.links.sources import Carrier, Carriers

NOWHERE = (State.MISSING, State.UNREACHABLE)


@dataclass(frozen=True, slots=True)
class Broken:
    """A URL that cannot be had though pages link to it."""

    url: Url
    state: State
    reason: str
    via: tuple[Url, ...]
    """Where it redirects before it fails; nothing for most."""
    loop: bool
    pages: int
    """How many pages link to it."""
    on: tuple[Carrier, ...]
    """The first of those pages."""


@dataclass(frozen=True, slots=True)
class BrokenLinks:
    """What links lead to in vain: how many URLs in all, and the first of them."""

    total: int
    links: int
    """How many links lead to them."""
    urls: tuple[Broken, ...]


def broken_links(graph: LinkGraph, site: str = "", limit: int = 0) -> BrokenLinks:
    """The links of a site (or of all pages) that lead nowhere, the most linked URL first."""
    lost = {record.id: (record, end) for record, end in _lost(graph)}
    carriers = Carriers(graph, lost, pages_of(graph, site) if site else None)
    counted = [(carriers.count(id), *lost[id]) for id in lost]
    linked = [one for one in counted if one[0]]
    linked.sort(key=lambda one: (-one[0], one[1].url))
    urls = (
        Broken(
            record.url,
            end.state,
            end.reason,
            end.steps,
            end.loop,
            count,
            carriers.first(record.id, limit),
        )
        for count, record, end in linked[: limit or None]
    )
    return BrokenLinks(len(linked), sum(one[0] for one in linked), tuple(urls))


def _lost(graph: LinkGraph) -> Iterator[tuple[UrlRecord, End]]:
    """Every URL that cannot be had, and those that redirect to one or to no end."""
    ids = graph.in_state(*NOWHERE, State.REDIRECTED).tolist()
    known = {record.url: record for record in graph.records(map(UrlId, ids)).values()}
    for record in known.values():
        end = end_of(graph, known, record)
        if end.loop or end.state in NOWHERE:
            yield record, end
