"""Which kept pages does nothing link to? People named them, or a sitemap or a feed did."""

from dataclasses import dataclass

from byway.links.redirects import end_of, redirected
from byway.links.site import pages_of
from byway.model import State, Url, UrlId
from byway.ports import LinkGraph


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
    counts = graph.in_counts()
    here = pages_of(graph, site)
    known = redirected(graph)
    for record in known.values():
        end = end_of(graph, known, record).record
        if end and counts[record.id]:
            counts[end.id] += 1
    kept = graph.in_state(State.KEPT)
    kept = kept[kept < min(len(counts), len(here))]
    alone = kept[(counts[kept] == 0) & here[kept]]
    first = graph.records(UrlId(id) for id in alone[: limit or None].tolist())
    found = sorted(first.values(), key=lambda record: record.id)
    return Orphans(len(alone), tuple(Orphan(record.url, record.seed) for record in found))
