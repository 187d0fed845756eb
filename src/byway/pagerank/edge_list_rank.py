"""PageRank of an edge list, from file to file.

The list is used as is, with its self-links; with `rank.count_repeated_links`, repeated edges all
count.
"""

import os
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from byway.core.errors import DataError, UsageError
from byway.core.settings.schema import RankSettings
from byway.pagerank.csr_graph import (
    BYTES_PER_NODE,
    Floats,
    GraphLayout,
    SparseGraph,
    build_csr_graph,
    build_graph,
)
from byway.pagerank.edge_buffer import EdgeBuffer
from byway.pagerank.edge_list_files import Integers, Texts, import_pyarrow, require_supported_format
from byway.pagerank.node_ids import NumberedEdges, number_nodes
from byway.pagerank.power_iteration import Progress, run_power_iteration

BYTES_PER_MB = 1_000_000


@dataclass(frozen=True, slots=True)
class RankedNodes:
    """The nodes of a graph with their ranks, highest first; ranks add up to 1."""

    ids: Integers | Texts
    ranks: Floats
    link_count: int


def rank_edge_list(
    path: Path,
    settings: RankSettings,
    folder: Path,
    node_count: int | None = None,
    progress: Progress | None = None,
) -> RankedNodes:
    """Rank the nodes of an edge list; with `node_count`, the ids are 0 to `node_count` - 1.

    `folder` holds temporary files for large lists.
    """
    with ExitStack() as stack:
        max_nodes = settings.memory_mb * BYTES_PER_MB // BYTES_PER_NODE
        edges = number_nodes(path, max_nodes, node_count, folder, stack)
        if not edges.node_mask.any():
            raise DataError("pagerank.no_edges", path=path)
        graph = load_graph(edges, settings, folder, stack)
        ranks = run_power_iteration(graph, edges.node_mask, settings, progress=progress)
        return _sort_by_rank(edges, ranks, graph)


def load_graph(
    edges: NumberedEdges, settings: RankSettings, folder: Path, stack: ExitStack
) -> SparseGraph:
    """The graph of an edge list."""
    layout = GraphLayout(len(edges.node_mask), repeated_links=settings.count_repeated_links)
    max_bytes = settings.memory_mb * BYTES_PER_MB
    if isinstance(edges.edges, EdgeBuffer):
        return build_graph(edges.edges, layout, max_bytes, folder, stack)
    return build_csr_graph(edges.edges, layout, max_bytes, folder, stack, edges.degrees)


def write_ranks(ranked: RankedNodes, path: Path) -> None:
    """Write ids and ranks to a .tsv, .npy or .parquet file atomically."""
    require_supported_format(path)
    draft = path.with_name(f"{path.name}.{os.getpid()}.draft")
    try:
        {".tsv": _write_tsv, ".npy": _write_npy, ".parquet": _write_parquet}[path.suffix.lower()](
            ranked, draft
        )
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def _sort_by_rank(edges: NumberedEdges, ranks: Floats, graph: SparseGraph) -> RankedNodes:
    nodes = np.flatnonzero(edges.node_mask)
    order = nodes[np.argsort(-ranks[nodes], kind="stable")]
    if edges.ids is None:
        return RankedNodes(order, ranks[order], graph.edge_count)
    if isinstance(edges.ids, list):
        return RankedNodes([edges.ids[node] for node in order], ranks[order], graph.edge_count)
    return RankedNodes(edges.ids[order], ranks[order], graph.edge_count)


def _write_tsv(ranked: RankedNodes, path: Path) -> None:
    ids = ranked.ids if isinstance(ranked.ids, list) else map(b"%d".__mod__, ranked.ids.tolist())
    with path.open("wb") as file:
        file.writelines(
            b"%b\t%b\n" % (id, repr(rank).encode())
            for id, rank in zip(ids, ranked.ranks.tolist(), strict=True)
        )


def _write_npy(ranked: RankedNodes, path: Path) -> None:
    if isinstance(ranked.ids, list):
        raise UsageError("pagerank.text_ids_in_npy")
    table = np.empty(len(ranked.ids), [("id", np.int64), ("rank", np.float64)])
    table["id"], table["rank"] = ranked.ids, ranked.ranks
    with path.open("wb") as file:
        np.save(file, table)


def _write_parquet(ranked: RankedNodes, path: Path) -> None:
    pyarrow, parquet = import_pyarrow("pyarrow", path), import_pyarrow("pyarrow.parquet", path)
    ids = ranked.ids
    if isinstance(ids, list):
        ids = pyarrow.array([id.decode(errors="replace") for id in ids])
    parquet.write_table(pyarrow.table({"id": ids, "rank": ranked.ranks}), path)
