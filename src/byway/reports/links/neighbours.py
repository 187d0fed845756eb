"""Who links to this page, and to whom does it link?"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from byway.core.errors import UsageError
from byway.core.model import Neighbour, State, Url, UrlId, UrlRecord
from byway.core.ports import LinkGraph, Ranks


@dataclass(frozen=True, slots=True)
class Linked:
    """A page at the other end of a link: what became of it, and what the link says."""

    url: Url
    state: State
    reason: str
    anchor: str
    nofollow: bool
    rank: float


@dataclass(frozen=True, slots=True)
class Around:
    """A page among its neighbours."""

    url: Url
    state: State
    reason: str
    rank: float
    parents: int
    """How many pages link to it."""
    children: int
    """How many pages it links to."""
    incoming: tuple[Linked, ...]
    outgoing: tuple[Linked, ...]


def around(graph: LinkGraph, ranks: Ranks, url: Url, limit: int = 0) -> Around:
    """A page with those who link to it, best first, and its own links, as they stand on it."""
    record = graph.look_up(url)
    if record is None:
        raise UsageError(f"{url} is not known; no page that was crawled links to it")
    sources, _ = graph.leading_to(np.array([record.id], np.int64))
    best = sorted(sources.tolist(), key=lambda id: (-rank_of(ranks, id), id))[: limit or None]
    outgoing = graph.outgoing(record.id)
    return Around(
        record.url,
        record.state,
        record.reason,
        rank_of(ranks, record.id),
        parents=len(sources),
        children=len(outgoing),
        incoming=_linked(graph, ranks, _links_from(graph, best, record.id)),
        outgoing=_linked(graph, ranks, outgoing[: limit or None]),
    )


def rank_of(ranks: Ranks, id: int) -> float:
    """The rank of a page, 0 when it is newer than the ranks."""
    return float(ranks.pages[id]) if id < len(ranks.pages) else 0.0


def _links_from(graph: LinkGraph, sources: Sequence[int], target: UrlId) -> list[Neighbour]:
    """Each source with what its link to the target says."""
    return [
        link._replace(id=UrlId(source))
        for source in sources
        for link in graph.outgoing(UrlId(source))
        if link.id == target
    ]


def _linked(graph: LinkGraph, ranks: Ranks, neighbours: Sequence[Neighbour]) -> tuple[Linked, ...]:
    records = graph.records([one.id for one in neighbours])

    def linked(one: Neighbour, record: UrlRecord) -> Linked:
        rank = rank_of(ranks, one.id)
        return Linked(record.url, record.state, record.reason, one.anchor, one.nofollow, rank)

    return tuple(linked(one, records[one.id]) for one in neighbours if one.id in records)
