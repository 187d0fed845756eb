"""A small web in memory, as a crawl would have left it."""

from collections.abc import Mapping, Sequence

from byway.core.model import Found, Link, Outcome, Page, State, Url, Visit
from byway.core.settings.schema import RankSettings
from byway.core.url import normalise
from byway.pagerank.crawl_rank import rank
from byway.reports.links.explorer import Explorer
from byway.storage.memory.stores import MemoryFrontier, MemoryGraph, MemoryPages

Answer = Sequence[str] | tuple[State, str]


def url(text: str) -> Url:
    return normalise(f"http://{text}")


def graph_of(web: Mapping[str, Answer], seeds: Sequence[str] = (), anchor: str = "") -> MemoryGraph:
    """The graph after every URL of the web was visited.

    A page is a list of what it links to; anything else is a state and a reason. A link with a - in
    front is nofollow.
    """
    graph = MemoryGraph()
    frontier = MemoryFrontier(MemoryPages(), graph)
    frontier.add(Found(url(text), seed=text in seeds) for text in web)
    for now in range(1, 100):
        for visit in frontier.lease(100, now):
            frontier.release(visit, now)
            known = web.get(visit.url.removeprefix("http://"))
            if known is not None:
                frontier.finish([_outcome(visit, known, anchor)])
    return graph


def explorer(web: Mapping[str, Answer], seeds: Sequence[str] = ()) -> Explorer:
    graph = graph_of(web, seeds)
    return Explorer(graph, rank(graph, RankSettings()))


def _outcome(visit: Visit, known: Answer, anchor: str) -> Outcome:
    if known and isinstance(known[0], State):
        return Outcome(visit, known[0], known[1])
    links = tuple(Link(url(text.lstrip("-")), anchor, text.startswith("-")) for text in known)
    page = Page(visit.url, 1.0, 200, (), b"", visit.id)
    found = tuple(Found(link.target) for link in links if not link.nofollow)
    return Outcome(visit, State.KEPT, page=page, links=links, found=found)
