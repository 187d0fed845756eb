"""PageRank of the pages, hosts and sites of a crawl.

Known pages that have not been visited count too.
"""

import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from byway.core.model.candidates import Ids
from byway.core.ports import NO_RANKS, HostCitations, LinkGraph, Ranks
from byway.core.settings.schema import RankSettings
from byway.pagerank.csr_graph import Floats, GraphLayout, build_graph, sum_by_id
from byway.pagerank.edge_buffer import EdgeBuffer
from byway.pagerank.host_graph import Citations, HostGraph, HostMap, Ints, load_host_map
from byway.pagerank.power_iteration import Progress, run_power_iteration
from byway.pagerank.sitewide_links import find_sitewide_links

Values = NDArray[np.float32]

BYTES_PER_MB = 1_000_000


@dataclass(frozen=True, slots=True)
class Topic:
    """Pages that match a query, and their scores."""

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
    """The ranks of every page, its host and its site, as multiples of the average.

    `previous` holds the initial ranks; `folder` holds temporary files for large graphs.
    """
    folder = folder or Path(tempfile.gettempdir())
    last = previous or NO_RANKS
    host_map = load_host_map(graph, settings.trusted_sites)
    ranker = _Ranker(settings, folder)
    with EdgeBuffer(folder) as edges:
        host_graph, citations = _read_links(graph, host_map, settings, edges)
        trust = _as_floats(host_map.trusted_hosts[host_map.host_ids])
        relevance = _topic_scores(topic, len(host_map.host_ids))
        weights = [weight * (host_map.page_ids > 0) for weight in (trust, relevance)]
        pages = ranker.rank_pages(edges, NodeSet(host_map.page_ids, weights, last.pages), progress)
    weights = [
        _as_floats(host_map.trusted_hosts),
        sum_by_id(host_map.host_ids, weights[1], len(host_map.site_ids)),
    ]
    hosts = ranker.rank_host_graph(host_graph, NodeSet(host_map.host_ids, weights, last.hosts))
    site_graph = HostGraph()
    site_graph.add(*(host_map.site_ids[end] for end in host_graph.edges()))
    site_count = int(host_map.site_ids.max()) + 1
    weights = [sum_by_id(host_map.site_ids, weight, site_count) for weight in weights]
    page_sites = host_map.site_ids[host_map.host_ids]
    sites = ranker.rank_host_graph(site_graph, NodeSet(page_sites, weights, last.sites))
    return Ranks(pages, hosts, sites, citations)


def _read_links(
    graph: LinkGraph, host_map: HostMap, settings: RankSettings, edges: EdgeBuffer
) -> tuple[HostGraph, HostCitations]:
    """Put all links into the edge buffer; return the host graph and the citation counts.

    A link to a redirect counts as a link to its target.
    """
    size = len(host_map.host_ids)
    host_graph, citations = HostGraph(), Citations(len(host_map.site_ids))
    sitewide = find_sitewide_links(graph, host_map) if settings.sitewide_link_weight != 1 else None
    kinds = len(_kind_weights(settings))
    for sources, targets in graph.edges(settings.count_nofollow):
        # A link added after the hosts were read may be out of range; the next run includes it.
        known = (sources < size) & (targets < size)
        sources, targets = sources[known], host_map.redirect_targets[targets[known]]
        hosts = host_map.host_ids[sources], host_map.host_ids[targets]
        host_graph.add(*hosts)
        citations.add(sources, *hosts)
        keys = targets.astype(np.int64) * kinds
        if sitewide:
            keys += sitewide.are_sitewide(sources, targets)
        if settings.internal_link_weight != 1:
            is_internal = host_map.site_ids[hosts[0]] == host_map.site_ids[hosts[1]]
            keys += is_internal * (kinds // 2)
        edges.add(sources, keys)
    return host_graph, citations.totals(host_graph)


@dataclass(frozen=True, slots=True)
class NodeSet:
    """The nodes to rank: pages, or their hosts, or their sites."""

    page_nodes: Ints
    """The node of each page; 0 for none."""
    teleport_weights: Sequence[Floats]
    """Teleport weights of the nodes, in one array for each kind of bias (trust, topic)."""
    previous_ranks: Values
    """The previous rank of each page's node."""

    @property
    def node_mask(self) -> NDArray[np.bool_]:
        """Mask of the ids that are nodes."""
        nodes = np.zeros(len(self.teleport_weights[0]), bool)
        nodes[self.page_nodes] = True
        nodes[0] = False
        return nodes


class _Ranker:
    """Ranks nodes by their links, according to the settings."""

    def __init__(self, settings: RankSettings, folder: Path) -> None:
        self._settings = settings
        self._folder = folder

    def rank_pages(self, edges: EdgeBuffer, nodes: NodeSet, progress: Progress | None) -> Values:
        """The rank of each page."""
        settings = self._settings
        size = len(nodes.teleport_weights[0])
        layout = GraphLayout(
            size, _kind_weights(settings), settings.count_self_links, settings.count_repeated_links
        )
        return self._rank(edges, layout, nodes, progress)

    def rank_host_graph(self, host_graph: HostGraph, nodes: NodeSet) -> Values:
        """The rank of each page's host or site."""
        layout = GraphLayout(len(nodes.teleport_weights[0]), repeated_links=True)
        with EdgeBuffer(self._folder) as edges:
            edges.add(*host_graph.edges())
            return self._rank(edges, layout, nodes, None)

    def _rank(
        self, edges: EdgeBuffer, layout: GraphLayout, nodes: NodeSet, progress: Progress | None
    ) -> Values:
        settings, node_mask = self._settings, nodes.node_mask
        max_bytes = settings.memory_mb * BYTES_PER_MB
        with ExitStack() as stack:
            graph = build_graph(edges, layout, max_bytes, self._folder, stack)
            ranks = run_power_iteration(
                graph,
                node_mask,
                settings,
                teleport=_teleport(node_mask, nodes.teleport_weights, settings.teleport_bias),
                initial_ranks=_initial_ranks(node_mask, nodes),
                progress=progress,
            )
        ranks *= max(1, int(node_mask.sum()))
        return ranks.astype(np.float32)[nodes.page_nodes]


def _kind_weights(settings: RankSettings) -> tuple[float, ...]:
    """The weight of each link kind: sitewide or not, within a site or not."""
    sitewide, internal = settings.sitewide_link_weight, settings.internal_link_weight
    weights = (1.0,) if sitewide == 1 else (1.0, sitewide)
    return weights if internal == 1 else (*weights, *(internal * weight for weight in weights))


def _topic_scores(topic: Topic | None, size: int) -> Floats:
    """The score of each page for the topic."""
    scores = np.zeros(size)
    if topic:
        known = topic.ids < size
        scores[topic.ids[known]] = np.maximum(topic.scores[known], 0)
    return scores


def _as_floats(flags: NDArray[np.bool_]) -> Floats:
    return flags.astype(np.float64)


def _teleport(
    node_mask: NDArray[np.bool_], weights: Sequence[Floats], bias: float
) -> Floats | None:
    """The teleport distribution, with the bias split among the weights; None if it is uniform."""
    reasons = [weight / weight.sum() for weight in weights if weight.sum() > 0]
    if not reasons or not bias:
        return None
    teleport = _as_floats(node_mask) * ((1 - bias) / max(1, int(node_mask.sum())))
    for reason in reasons:
        teleport += bias / len(reasons) * reason
    return teleport


def _initial_ranks(node_mask: NDArray[np.bool_], nodes: NodeSet) -> Floats | None:
    """The previous ranks, with the average for new nodes; None if none are usable."""
    size = min(len(nodes.page_nodes), len(nodes.previous_ranks))
    ranks = _as_floats(node_mask)
    ranks[nodes.page_nodes[:size]] = nodes.previous_ranks[:size]
    ranks[~node_mask] = 0
    is_usable = size and np.isfinite(ranks).all() and (ranks >= 0).all() and ranks.sum() > 0
    return ranks if is_usable else None
