"""A small web in memory, as a crawl would have left it."""

from collections.abc import Mapping, Sequence

from byway.core.messages import Reason
from byway.core.model import DiscoveredUrl, Link, Outcome, Page, Url, UrlState, Visit
from byway.core.ports import Ranks
from byway.core.settings.schema import RankSettings
from byway.core.url import normalize
from byway.pagerank.crawl_rank import rank
from byway.storage.memory.frontier import MemoryFrontier
from byway.storage.memory.link_graph import MemoryLinkGraph
from byway.storage.memory.pages import MemoryPageStore

VisitResult = Sequence[str | Reason]


def url(text: str) -> Url:
    return normalize(f"http://{text}")


def build_graph(
    web: Mapping[str, VisitResult], seeds: Sequence[str] = (), anchor: str = ""
) -> MemoryLinkGraph:
    """The graph after every URL of the web was visited.

    A page is a list of what it links to; anything else is a state and a reason. A link with a - in
    front is nofollow.
    """
    graph = MemoryLinkGraph()
    frontier = MemoryFrontier(MemoryPageStore(), graph)
    frontier.add(DiscoveredUrl(url(text), seed=text in seeds) for text in web)
    for now in range(1, 100):
        for visit in frontier.lease(100, now):
            frontier.release(visit, now)
            known = web.get(visit.url.removeprefix("http://"))
            if known is not None:
                frontier.finish([_outcome(visit, known, anchor)])
    return graph


def ranks_of(graph: MemoryLinkGraph) -> Ranks:
    return rank(graph, RankSettings())


def _outcome(visit: Visit, known: VisitResult, anchor: str) -> Outcome:
    if known and isinstance(known[0], UrlState) and isinstance(known[1], Reason):
        to = known[1].params.get("to")
        return Outcome(visit, known[0], known[1], redirect_target=Url(str(to)) if to else None)
    texts = [text for text in known if isinstance(text, str)]
    links = tuple(Link(url(text.lstrip("-")), anchor, text.startswith("-")) for text in texts)
    page = Page(visit.url, 1.0, 200, (), b"", visit.id)
    found = tuple(DiscoveredUrl(link.target) for link in links if not link.nofollow)
    return Outcome(visit, UrlState.KEPT, page=page, links=links, discovered_urls=found)
