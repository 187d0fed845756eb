"""What does a list of edges say by itself? PageRank of any graph, from a file into a file.

The list is taken as it is, self-links too; `rank.repeated_links` says whether an edge that is
there twice counts twice.
"""

import os
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from byway.core.errors import DataError, UsageError
from byway.core.settings.schema import RankSettings
from byway.pagerank.csr_graph import PER_NODE, Floats, Links, Shape, links_of, many_links
from byway.pagerank.edge_buffer import Spool
from byway.pagerank.edge_list_files import Integers, Texts, arrow, require
from byway.pagerank.node_ids import Numbered, numbered
from byway.pagerank.power_iteration import Progress, walk

MEGABYTE = 1_000_000


@dataclass(frozen=True, slots=True)
class Ranked:
    """The nodes of a graph with their ranks, which add up to 1; the highest first."""

    ids: Integers | Texts
    ranks: Floats
    links: int


def rank_list(
    path: Path,
    settings: RankSettings,
    folder: Path,
    nodes: int | None = None,
    progress: Progress | None = None,
) -> Ranked:
    """Rank the nodes of a list of edges; with `nodes`, 0 to nodes - 1, whether they occur or not.

    `folder` is where large lists are kept meanwhile.
    """
    with ExitStack() as stack:
        most = settings.memory * MEGABYTE // PER_NODE
        found = numbered(path, most, nodes, folder, stack)
        if not found.nodes.any():
            raise DataError(f"{path} has no edges, so there is nothing to rank")
        links = links_in(found, settings, folder, stack)
        return _best_first(found, walk(links, found.nodes, settings, progress=progress), links)


def links_in(found: Numbered, settings: RankSettings, folder: Path, stack: ExitStack) -> Links:
    """The links of a list, ready to be followed."""
    shape = Shape(len(found.nodes), repeated=settings.repeated_links)
    memory = settings.memory * MEGABYTE
    if isinstance(found.edges, Spool):
        return links_of(found.edges, shape, memory, folder, stack)
    return many_links(found.edges, shape, memory, folder, stack, found.degrees)


def write(ranked: Ranked, path: Path) -> None:
    """Write ids and ranks to a .tsv, .npy or .parquet file, whole or not at all."""
    require(path)
    draft = path.with_name(f"{path.name}.{os.getpid()}.draft")
    try:
        {".tsv": _write_tsv, ".npy": _write_npy, ".parquet": _write_parquet}[path.suffix.lower()](
            ranked, draft
        )
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def _best_first(found: Numbered, ranks: Floats, links: Links) -> Ranked:
    numbers = np.flatnonzero(found.nodes)
    order = numbers[np.argsort(-ranks[numbers], kind="stable")]
    if found.ids is None:
        return Ranked(order, ranks[order], links.count)
    if isinstance(found.ids, list):
        return Ranked([found.ids[number] for number in order], ranks[order], links.count)
    return Ranked(found.ids[order], ranks[order], links.count)


def _write_tsv(ranked: Ranked, path: Path) -> None:
    ids = ranked.ids if isinstance(ranked.ids, list) else map(b"%d".__mod__, ranked.ids.tolist())
    with path.open("wb") as file:
        file.writelines(
            b"%b\t%b\n" % (id, repr(rank).encode())
            for id, rank in zip(ids, ranked.ranks.tolist(), strict=True)
        )


def _write_npy(ranked: Ranked, path: Path) -> None:
    if isinstance(ranked.ids, list):
        raise UsageError(
            "ids that are texts cannot go into .npy; let --out end in .tsv or .parquet"
        )
    table = np.empty(len(ranked.ids), [("id", np.int64), ("rank", np.float64)])
    table["id"], table["rank"] = ranked.ids, ranked.ranks
    with path.open("wb") as file:
        np.save(file, table)


def _write_parquet(ranked: Ranked, path: Path) -> None:
    pyarrow, parquet = arrow("pyarrow", path), arrow("pyarrow.parquet", path)
    ids = ranked.ids
    if isinstance(ids, list):
        ids = pyarrow.array([id.decode(errors="replace") for id in ids])
    parquet.write_table(pyarrow.table({"id": ids, "rank": ranked.ranks}), path)
