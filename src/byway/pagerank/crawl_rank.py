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
from byway.core.ports import HostCitations, LinkGraph, Ranks
from byway.core.settings.schema import RankSettings
from byway.pagerank.citations import Citations
from byway.pagerank.csr_graph import Floats, GraphLayout, build_graph, sum_by_id
from byway.pagerank.edge_buffer import EdgeBuffer
from byway.pagerank.host_graph import HostGraph
from byway.pagerank.host_ids import HostMap, Ints, load_host_map
from byway.pagerank.power_iteration import Progress, run_power_iteration
from byway.pagerank.sitewide_links import find_sitewide_links

Values = NDArray[np.float32]

BYTES_PER_MB = 1_000_000


@dataclass(frozen=True, slots=True)
class Topic:
    """Pages that match a query, and how well."""

    ids: Ids
    scores: Floats


def rank(
    graph: LinkGraph,
    settings: RankSettings,
    progress: Progress | None = None,
    previous: Ranks | None = None,
    topic: Topic | None = None,
    folder: Path | None = None,
) -> Ranks:
    """The rank of every page, of its host and of its site, as multiples of the average.

    `previous` are the last ranks, to start from; `folder` is where large graphs are kept meanwhile.
    """
    folder = folder or Path(tempfile.gettempdir())
    last = previous or Ranks(*np.zeros((2, 0), np.float32))
    web = load_host_map(graph, settings.trusted_sites)
    ranker = _Ranker(settings, folder)
    with EdgeBuffer(folder) as spool:
        votes, cited = _read(graph, web, settings, spool)
        liked = _flags(web.trusted_hosts[web.host_ids]), _on_topic(topic, len(web.host_ids))
        likes = [like * (web.page_ids > 0) for like in liked]
        pages = ranker.rank_pages(spool, NodeSet(web.page_ids, likes, last.pages), progress)
    likes = [_flags(web.trusted_hosts), sum_by_id(web.host_ids, likes[1], len(web.site_ids))]
    hosts = ranker.rank_host_graph(votes, NodeSet(web.host_ids, likes, last.hosts))
    fewer = HostGraph()
    fewer.add(*(web.site_ids[end] for end in votes.edges()))
    likes = [sum_by_id(web.site_ids, like, int(web.site_ids.max()) + 1) for like in likes]
    sites = ranker.rank_host_graph(fewer, NodeSet(web.site_ids[web.host_ids], likes, last.sites))
    return Ranks(pages, hosts, sites, cited)


def _read(
    graph: LinkGraph, web: HostMap, settings: RankSettings, spool: EdgeBuffer
) -> tuple[HostGraph, HostCitations]:
    """Put all links into the spool; return the votes of hosts that are in them, and who is cited.

    A link to a redirect is one to where that leads.
    """
    votes, size, citations = HostGraph(), len(web.host_ids), Citations(len(web.site_ids))
    menus = find_sitewide_links(graph, web) if settings.sitewide_link_weight != 1 else None
    kinds = len(_counts(settings))
    for sources, targets in graph.edges(settings.count_nofollow):
        # A link added after the hosts were read may lead further than we know; the next run has it.
        known = (sources < size) & (targets < size)
        sources, targets = sources[known], web.redirect_targets[targets[known]]
        hosts = web.host_ids[sources], web.host_ids[targets]
        votes.add(*hosts)
        citations.add(sources, *hosts)
        keys = targets.astype(np.int64) * kinds
        if menus:
            keys += menus.are_sitewide(sources, targets)
        if settings.internal_link_weight != 1:
            keys += (web.site_ids[hosts[0]] == web.site_ids[hosts[1]]) * (kinds // 2)
        spool.add(sources, keys)
    return votes, citations.totals(votes)


@dataclass(frozen=True, slots=True)
class NodeSet:
    """Who is ranked: pages, or their hosts, or their sites."""

    page_nodes: Ints
    """The node of each page; 0 is none."""
    teleport_weights: Sequence[Floats]
    """How much each node is liked, for each reason there may be."""
    previous_ranks: Values
    """The last rank of each page's node."""

    @property
    def node_mask(self) -> NDArray[np.bool_]:
        """Which numbers are nodes."""
        nodes = np.zeros(len(self.teleport_weights[0]), bool)
        nodes[self.page_nodes] = True
        nodes[0] = False
        return nodes


class _Ranker:
    """Ranks nodes by their links, as the settings say."""

    def __init__(self, settings: RankSettings, folder: Path) -> None:
        self._settings = settings
        self._folder = folder

    def rank_pages(self, spool: EdgeBuffer, nodes: NodeSet, progress: Progress | None) -> Values:
        """The rank of each page."""
        settings = self._settings
        size = len(nodes.teleport_weights[0])
        shape = GraphLayout(
            size, _counts(settings), settings.count_self_links, settings.count_repeated_links
        )
        return self._ranked(spool, shape, nodes, progress)

    def rank_host_graph(self, host_graph: HostGraph, nodes: NodeSet) -> Values:
        """The rank of each page's node, by votes."""
        with EdgeBuffer(self._folder) as spool:
            spool.add(*host_graph.edges())
            return self._ranked(
                spool, GraphLayout(len(nodes.teleport_weights[0]), repeated_links=True), nodes, None
            )

    def _ranked(
        self, spool: EdgeBuffer, shape: GraphLayout, nodes: NodeSet, progress: Progress | None
    ) -> Values:
        settings, there = self._settings, nodes.node_mask
        memory = settings.memory_mb * BYTES_PER_MB
        with ExitStack() as stack:
            links = build_graph(spool, shape, memory, self._folder, stack)
            jump = _jump(there, nodes.teleport_weights, settings.teleport_bias)
            ranks = run_power_iteration(
                links, there, settings, jump, _start(there, nodes), progress
            )
        ranks *= max(1, int(there.sum()))
        return ranks.astype(np.float32)[nodes.page_nodes]


def _counts(settings: RankSettings) -> tuple[float, ...]:
    """How much each kind of link counts: of menus or not, and within a site or not."""
    counts = (1.0,) if settings.sitewide_link_weight == 1 else (1.0, settings.sitewide_link_weight)
    within = settings.internal_link_weight
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


def _start(there: NDArray[np.bool_], nodes: NodeSet) -> Floats | None:
    """The last ranks, with new nodes as average ones; None if there are none to start from."""
    size = min(len(nodes.page_nodes), len(nodes.previous_ranks))
    start = _flags(there)
    start[nodes.page_nodes[:size]] = nodes.previous_ranks[:size]
    start[~there] = 0
    usable = size and np.isfinite(start).all() and (start >= 0).all() and start.sum() > 0
    return start if usable else None
