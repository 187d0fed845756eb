"""What do the links of a crawl say about its pages, their hosts and their sites?

Pages we know of but have not visited count too.
"""

import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from byway.core.model.candidates import Ids
from byway.core.ports import Cited, LinkGraph, Ranks
from byway.core.settings.schema import RankSettings
from byway.pagerank.citations import Citations
from byway.pagerank.csr_graph import Floats, Shape, links_of, summed
from byway.pagerank.edge_buffer import Spool
from byway.pagerank.host_graph import Votes
from byway.pagerank.host_ids import Ints, Web, web_of
from byway.pagerank.power_iteration import Progress, walk
from byway.pagerank.sitewide_links import menus_of

Values = NDArray[np.float32]

MEGABYTE = 1_000_000


@dataclass(frozen=True, slots=True)
class Topic:
    """Pages that match a query, and how well."""

    ids: Ids
    scores: Floats


def rank(
    graph: LinkGraph,
    settings: RankSettings,
    progress: Progress | None = None,
    before: Ranks | None = None,
    topic: Topic | None = None,
    folder: Path | None = None,
) -> Ranks:
    """The rank of every page, of its host and of its site, as multiples of the average.

    `before` are the last ranks, to start from; `folder` is where large graphs are kept meanwhile.
    """
    folder = folder or Path(tempfile.gettempdir())
    last = before or Ranks(*np.zeros((2, 0), np.float32))
    web = web_of(graph, settings.trusted)
    ranker = _Ranker(settings, folder)
    with Spool(folder) as spool:
        votes, cited = _read(graph, web, settings, spool)
        liked = _flags(web.trusted[web.host_of]), _on_topic(topic, len(web.host_of))
        likes = [like * (web.pages > 0) for like in liked]
        pages = ranker.of_links(spool, Nodes(web.pages, likes, last.pages), progress)
    likes = [_flags(web.trusted), summed(web.host_of, likes[1], len(web.site_of))]
    hosts = ranker.of_votes(votes, Nodes(web.host_of, likes, last.hosts))
    fewer = Votes()
    fewer.add(*(web.site_of[end] for end in votes.all()))
    likes = [summed(web.site_of, like, int(web.site_of.max()) + 1) for like in likes]
    sites = ranker.of_votes(fewer, Nodes(web.site_of[web.host_of], likes, last.sites))
    return Ranks(pages, hosts, sites, cited)


def _read(graph: LinkGraph, web: Web, settings: RankSettings, spool: Spool) -> tuple[Votes, Cited]:
    """Put all links into the spool; return the votes of hosts that are in them, and who is cited.

    A link to a redirect is one to where that leads.
    """
    votes, size, citations = Votes(), len(web.host_of), Citations(len(web.site_of))
    menus = menus_of(graph, web) if settings.menus != 1 else None
    kinds = len(_counts(settings))
    for sources, targets in graph.edges(settings.nofollow):
        # A link added after the hosts were read may lead further than we know; the next run has it.
        known = (sources < size) & (targets < size)
        sources, targets = sources[known], web.ends[targets[known]]
        hosts = web.host_of[sources], web.host_of[targets]
        votes.add(*hosts)
        citations.add(sources, *hosts)
        keys = targets.astype(np.int64) * kinds
        if menus:
            keys += menus.has(sources, targets)
        if settings.within_site != 1:
            keys += (web.site_of[hosts[0]] == web.site_of[hosts[1]]) * (kinds // 2)
        spool.add(sources, keys)
    return votes, citations.counted(votes)


@dataclass(frozen=True, slots=True)
class Nodes:
    """Who is ranked: pages, or their hosts, or their sites."""

    of_page: Ints
    """The node of each page; 0 is none."""
    likes: Sequence[Floats]
    """How much each node is liked, for each reason there may be."""
    before: Values
    """The last rank of each page's node."""

    @property
    def there(self) -> NDArray[np.bool_]:
        """Which numbers are nodes."""
        nodes = np.zeros(len(self.likes[0]), bool)
        nodes[self.of_page] = True
        nodes[0] = False
        return nodes


class _Ranker:
    """Ranks nodes by their links, as the settings say."""

    def __init__(self, settings: RankSettings, folder: Path) -> None:
        self._settings = settings
        self._folder = folder

    def of_links(self, spool: Spool, nodes: Nodes, progress: Progress | None) -> Values:
        """The rank of each page."""
        settings = self._settings
        size = len(nodes.likes[0])
        shape = Shape(size, _counts(settings), settings.self_links, settings.repeated_links)
        return self._ranked(spool, shape, nodes, progress)

    def of_votes(self, votes: Votes, nodes: Nodes) -> Values:
        """The rank of each page's node, by votes."""
        with Spool(self._folder) as spool:
            spool.add(*votes.all())
            return self._ranked(spool, Shape(len(nodes.likes[0]), repeated=True), nodes, None)

    def _ranked(
        self, spool: Spool, shape: Shape, nodes: Nodes, progress: Progress | None
    ) -> Values:
        settings, there = self._settings, nodes.there
        memory = settings.memory * MEGABYTE
        with ExitStack() as stack:
            links = links_of(spool, shape, memory, self._folder, stack)
            jump = _jump(there, nodes.likes, settings.bias)
            ranks = walk(links, there, settings, jump, _start(there, nodes), progress)
        ranks *= max(1, int(there.sum()))
        return ranks.astype(np.float32)[nodes.of_page]


def _counts(settings: RankSettings) -> tuple[float, ...]:
    """How much each kind of link counts: of menus or not, and within a site or not."""
    counts = (1.0,) if settings.menus == 1 else (1.0, settings.menus)
    within = settings.within_site
    return counts if within == 1 else (*counts, *(within * count for count in counts))


def _on_topic(topic: Topic | None, size: int) -> Floats:
    """How much each page is of the topic."""
    liked = np.zeros(size)
    if topic:
        known = topic.ids < size
        liked[topic.ids[known]] = np.maximum(topic.scores[known], 0)
    return liked


def _flags(flags: NDArray[np.bool_]) -> Floats:
    return flags.astype(np.float64)


def _jump(there: NDArray[np.bool_], likes: Sequence[Floats], bias: float) -> Floats | None:
    """Where jumps lead, with the bias shared among the reasons there are; None: anywhere."""
    reasons = [like / like.sum() for like in likes if like.sum() > 0]
    if not reasons or not bias:
        return None
    jump = _flags(there) * ((1 - bias) / max(1, int(there.sum())))
    for reason in reasons:
        jump += bias / len(reasons) * reason
    return jump


def _start(there: NDArray[np.bool_], nodes: Nodes) -> Floats | None:
    """The last ranks, with new nodes as average ones; None if there are none to start from."""
    size = min(len(nodes.of_page), len(nodes.before))
    start = _flags(there)
    start[nodes.of_page[:size]] = nodes.before[:size]
    start[~there] = 0
    usable = size and np.isfinite(start).all() and (start >= 0).all() and start.sum() > 0
    return start if usable else None
