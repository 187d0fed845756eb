"""Where do redirects lead in the end? Their chains, some of which never arrive."""

from collections.abc import Mapping
from dataclasses import dataclass

from byway.core.model import State, Url, UrlId, UrlRecord
from byway.core.ports import LinkGraph
from byway.reports.links.hosts import pages_of
from byway.reports.links.sources import Carrier, Carriers

LOOP = "a loop: it comes back to"


@dataclass(frozen=True, slots=True)
class Chain:
    """A URL that redirects, step by step, to where it ends."""

    url: Url
    steps: tuple[Url, ...]
    """Where it leads, one after the other; the last is where it ends."""
    state: State
    """What became of the last; `redirected` when it has been there before."""
    reason: str
    loop: bool
    pages: int
    """How many pages link to it."""
    on: tuple[Carrier, ...]
    """The first of those pages."""


@dataclass(frozen=True, slots=True)
class Redirects:
    """The redirects of a crawl: how many in all, and the first of them."""

    total: int
    chains: tuple[Chain, ...]


@dataclass(frozen=True, slots=True)
class End:
    """Where a chain of redirects ends."""

    steps: tuple[Url, ...]
    record: UrlRecord | None
    """None when the end was never heard of."""
    loop: bool = False

    @property
    def state(self) -> State:
        return self.record.state if self.record else State.QUEUED

    @property
    def reason(self) -> str:
        """Why it ends there, in words."""
        if self.loop:
            return f"{LOOP} {self.steps[-1]}"
        return self.record.reason if self.record else ""


def redirected(graph: LinkGraph) -> Mapping[Url, UrlRecord]:
    """Every URL that redirects."""
    records = graph.records(UrlId(id) for id in graph.in_state(State.REDIRECTED).tolist())
    return {record.url: record for record in records.values()}


def end_of(graph: LinkGraph, known: Mapping[Url, UrlRecord], start: UrlRecord) -> End:
    """Follow the redirects from a URL until they end, or come back to where they have been."""
    steps: list[Url] = []
    record: UrlRecord | None = start
    while record and (target := record.leads_to):
        back = target == start.url or target in steps
        steps.append(target)
        record = known.get(target) or graph.look_up(target)
        if back:
            return End(tuple(steps), record, loop=True)
    return End(tuple(steps), record)


def redirects(graph: LinkGraph, site: str = "", limit: int = 0) -> Redirects:
    """The redirects that links of a site lead to, the most linked first.

    Without a site, also those that no page links to: seeds, and what sitemaps name.
    """
    known = redirected(graph)
    on = pages_of(graph, site) if site else None
    carriers = Carriers(graph, (record.id for record in known.values()), on)
    targets = {record.leads_to for record in known.values()}
    counted = [(carriers.count(record.id), record) for record in known.values()]
    # What only another redirect leads to is a step of that one's chain.
    shown = [
        (count, record)
        for count, record in counted
        if count or (not site and (record.seed or record.url not in targets))
    ]
    shown.sort(key=lambda one: (-one[0], one[1].url))
    chains = (
        _chain(record, end_of(graph, known, record), count, carriers.first(record.id, limit))
        for count, record in shown[: limit or None]
    )
    return Redirects(len(shown), tuple(chains))


def _chain(record: UrlRecord, end: End, pages: int, on: tuple[Carrier, ...]) -> Chain:
    return Chain(record.url, end.steps, end.state, end.reason, end.loop, pages, on)
