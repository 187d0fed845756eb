"""PageRank: how likely is someone who only follows links to be on this page?

The same for hosts, over the links between them. Pages we know of but have not visited count too.
"""

import logging
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from byway.ports import LinkGraph, Ranks
from byway.settings import RankSettings

log = logging.getLogger(__name__)

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
Progress = Callable[[int, float], None]
"""Called after each round with its number and how much the ranks moved."""


def rank(graph: LinkGraph, settings: RankSettings, progress: Progress | None = None) -> Ranks:
    """The rank of every page and of its host, as multiples of the average."""
    chunks = list(graph.edges())
    none = np.zeros(0, np.int32)
    sources = np.concatenate([chunk[0] for chunk in chunks] or [none])
    targets = np.concatenate([chunk[1] for chunk in chunks] or [none])
    host_of = graph.hosts()
    size = len(host_of)
    # A link added after the hosts were read may lead further than we know; the next run has it.
    known = (sources < size) & (targets < size)
    sources, targets = sources[known], targets[known]
    nodes = host_of > 0
    pages = pagerank(sources, targets, nodes, settings, progress)
    hosts = _host_ranks(host_of[sources], host_of[targets], host_of, settings)
    return Ranks(
        (pages * max(1, nodes.sum())).astype(np.float32), hosts[host_of].astype(np.float32)
    )


def pagerank(
    sources: Ints,
    targets: Ints,
    nodes: NDArray[np.bool_],
    settings: RankSettings,
    progress: Progress | None = None,
) -> Floats:
    """The rank of every node; ranks add up to 1. A page without links counts as linking to all."""
    count = int(nodes.sum())
    if not count:
        return np.zeros(len(nodes))
    out = np.bincount(sources, minlength=len(nodes))
    share = np.divide(settings.damping, out, where=out > 0, out=np.zeros(len(nodes)))
    dangling = nodes & (out == 0)
    ranks = nodes / count
    for round in range(1, settings.iterations + 1):
        lost = settings.damping * ranks[dangling].sum()
        flow = np.bincount(targets, weights=(ranks * share)[sources], minlength=len(nodes))
        fresh = flow + nodes * (1 - settings.damping + lost) / count
        moved = float(np.abs(fresh - ranks).sum())
        ranks = fresh
        if progress:
            progress(round, moved)
        if moved < settings.tolerance:
            break
    log.info("ranked nodes=%d links=%d rounds=%d moved=%.1e", count, len(sources), round, moved)
    return ranks


def _host_ranks(sources: Ints, targets: Ints, host_of: Ints, settings: RankSettings) -> Floats:
    """The rank of every host, by host number, as a multiple of the average."""
    between = sources != targets
    # Many links from one host to another are one vote: a menu on every page is one opinion.
    pairs = np.unique(sources[between].astype(np.int64) << 32 | targets[between])
    nodes = np.zeros(int(host_of.max(initial=0)) + 1, bool)
    nodes[host_of[host_of > 0]] = True
    ranks = pagerank(
        (pairs >> 32).astype(np.int32), (pairs & 0xFFFFFFFF).astype(np.int32), nodes, settings
    )
    return ranks * float(max(1, nodes.sum()))
