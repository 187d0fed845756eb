"""PageRank of an edge list: an external graph in a file."""

from pathlib import Path
from typing import NamedTuple

from byway.core.settings.schema import RankSettings
from byway.pagerank.edge_list_files import require_supported_format
from byway.pagerank.edge_list_rank import RankedNodes, rank_edge_list, write_ranks
from byway.pagerank.power_iteration import Progress

MAX_TOP_NODES = 20


class RankedEdgeList(NamedTuple):
    """The size of a ranked graph, and the ids and ranks of its top nodes."""

    node_count: int
    link_count: int
    top_nodes: list[tuple[str | int, float]]


def rank_edge_list_file(
    edges: Path,
    settings: RankSettings,
    progress: Progress,
    output_file: Path | None = None,
    node_count: int | None = None,
) -> RankedEdgeList:
    """Rank the nodes of an edge list; `output_file`: write all ranks there.

    With `node_count`, the ids are 0 to `node_count` - 1.
    """
    require_supported_format(edges)
    if output_file:
        require_supported_format(output_file)
    temporary_folder = (output_file or edges).absolute().parent
    ranked = rank_edge_list(edges, settings, temporary_folder, node_count, progress)
    if output_file:
        write_ranks(ranked, output_file)
    return RankedEdgeList(len(ranked.ids), ranked.link_count, _top_nodes(ranked))


def _top_nodes(ranked: RankedNodes) -> list[tuple[str | int, float]]:
    ids = [
        id.decode(errors="replace") if isinstance(id, bytes) else int(id)
        for id in ranked.ids[:MAX_TOP_NODES]
    ]
    return list(zip(ids, ranked.ranks.tolist(), strict=False))
