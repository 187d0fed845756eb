"""What does a list of edges say by itself? PageRank of any graph, from a file into a file.

The list is taken as it is, self-links too; `rank.count_repeated_links` says whether an edge that is
there twice counts twice.
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
    """The nodes of a graph with their ranks, which add up to 1; the highest first."""

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
    """Rank the nodes of a list of edges; with `node_count`, 0 to nodes - 1, whether they occur or
    not.

    `folder` is where large lists are kept meanwhile.
    """
    with ExitStack() as stack:
        most = settings.memory_mb * BYTES_PER_MB // BYTES_PER_NODE
        found = number_nodes(path, most, node_count, folder, stack)
        if not found.node_mask.any():
            raise DataError(f"{path} has no edges, so there is nothing to rank")
        links = load_graph(found, settings, folder, stack)
        return _best_first(
            found, run_power_iteration(links, found.node_mask, settings, progress=progress), links
        )


def load_graph(
    edges: NumberedEdges, settings: RankSettings, folder: Path, stack: ExitStack
) -> SparseGraph:
    """The links of a list, ready to be followed."""
    shape = GraphLayout(len(edges.node_mask), repeated_links=settings.count_repeated_links)
    memory = settings.memory_mb * BYTES_PER_MB
    if isinstance(edges.edges, EdgeBuffer):
        return build_graph(edges.edges, shape, memory, folder, stack)
    return build_csr_graph(edges.edges, shape, memory, folder, stack, edges.degrees)


def write_ranks(ranked: RankedNodes, path: Path) -> None:
    """Write ids and ranks to a .tsv, .npy or .parquet file, whole or not at all."""
    require_supported_format(path)
    draft = path.with_name(f"{path.name}.{os.getpid()}.draft")
    try:
        {".tsv": _write_tsv, ".npy": _write_npy, ".parquet": _write_parquet}[path.suffix.lower()](
            ranked, draft
        )
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def _best_first(found: NumberedEdges, ranks: Floats, links: SparseGraph) -> RankedNodes:
    numbers = np.flatnonzero(found.node_mask)
    order = numbers[np.argsort(-ranks[numbers], kind="stable")]
    if found.ids is None:
        return RankedNodes(order, ranks[order], links.edge_count)
    if isinstance(found.ids, list):
        return RankedNodes([found.ids[number] for number in order], ranks[order], links.edge_count)
    return RankedNodes(found.ids[order], ranks[order], links.edge_count)


def _write_tsv(ranked: RankedNodes, path: Path) -> None:
    ids = ranked.ids if isinstance(ranked.ids, list) else map(b"%d".__mod__, ranked.ids.tolist())
    with path.open("wb") as file:
        file.writelines(
            b"%b\t%b\n" % (id, repr(rank).encode())
            for id, rank in zip(ids, ranked.ranks.tolist(), strict=True)
        )


def _write_npy(ranked: RankedNodes, path: Path) -> None:
    if isinstance(ranked.ids, list):
        raise UsageError(
            "ids that are texts cannot go into .npy; let --output end in .tsv or .parquet"
        )
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
