"""Which kept pages does nothing link to? People named them, or a sitemap or a feed did."""

from dataclasses import dataclass

import numpy as np

from byway.core.model import State, Url, UrlId
from byway.core.ports import LinkGraph
from byway.reports.links.hosts import pages_of


@dataclass(frozen=True, slots=True)
class Orphan:
    """A kept page that nothing links to."""

    url: Url
    seed: bool
    """Did a person name it, or did what a person named redirect to it?"""


@dataclass(frozen=True, slots=True)
class Orphans:
    """The orphans: how many in all, and the first of them."""

    total: int
    pages: tuple[Orphan, ...]


def orphans(graph: LinkGraph, site: str = "", limit: int = 0) -> Orphans:
    """The kept pages (of a site) that no known page links to, not even through a redirect."""
    linked = graph.in_counts() > 0
    linked[graph.ends()[linked]] = True
    alone = graph.in_state(State.KEPT, among=np.flatnonzero(~linked & pages_of(graph, site)))
    first = graph.records(UrlId(id) for id in alone[: limit or None].tolist())
    found = sorted(first.values(), key=lambda record: record.id)
    return Orphans(len(alone), tuple(Orphan(record.url, record.seed) for record in found))
