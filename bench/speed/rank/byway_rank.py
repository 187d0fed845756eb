"""Cost of reading, building, ranking and plain gathering of one edge list with byway.

Run in a process of its own, to measure its memory; prints one line of JSON.
"""

import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from byway.core.settings.schema import RankSettings
from byway.pagerank.csr_graph import (
    BYTES_PER_NODE,
    CsrBlock,
    CsrGraph,
    GraphLayout,
    SparseGraph,
    build_csr_graph,
)
from byway.pagerank.edge_buffer import EdgeBuffer
from byway.pagerank.edge_list_rank import BYTES_PER_MB, load_graph
from byway.pagerank.node_degrees import thread_count
from byway.pagerank.node_ids import number_nodes
from byway.pagerank.power_iteration import run_power_iteration

REPEATS = 5
"""Alternating measurements of two compared steps; the median counts."""
READ_BUFFER_BYTES = 1 << 24

Work = Callable[[], None]


@dataclass(frozen=True, slots=True)
class StepCost:
    """Wall time and CPU time."""

    wall_seconds: float
    cpu_seconds: float


def main() -> None:
    """Measure and print the figures."""
    path, out = Path(sys.argv[1]), Path(sys.argv[2])
    settings = RankSettings(
        tolerance=0, max_iterations=int(sys.argv[3]), memory_mb=int(sys.argv[4])
    )
    once = len(sys.argv) == 6
    figures: dict[str, Any] = {"compile": _cost(partial(_warm_up, path.parent)).wall_seconds}
    read, build = partial(_read, path), partial(_build, path, settings)
    if not once:
        for name, before in ((" cold", partial(_drop, path)), ("", None)):
            costs = _in_turn(read, build, before)
            figures |= _figures(f"read{name}", costs[0]) | _figures(f"build{name}", costs[1])
    with ExitStack() as stack:
        started = time.perf_counter()
        links, nodes = _built(path, settings, stack)
        figures.setdefault("build", time.perf_counter() - started)
        rounds = partial(_rank, links, nodes, settings, out)
        figures |= _figures("iterate", _cost(rounds))
        figures["peak"] = _peak()
        figures |= {"links": links.edge_count, "nodes": int(nodes.sum())}
        if not once:
            bare = _bare(links, len(nodes), settings.max_iterations, stack)
            costs = _in_turn(bare, rounds)
            figures |= _figures("bare", costs[0]) | _figures("iterate", costs[1])
    print(json.dumps(figures))


def _rank(links: SparseGraph, nodes: NDArray[np.bool_], settings: RankSettings, out: Path) -> None:
    np.save(out, run_power_iteration(links, nodes, settings))


def _build(path: Path, settings: RankSettings) -> None:
    with ExitStack() as stack:
        _built(path, settings, stack)


def _built(
    path: Path, settings: RankSettings, stack: ExitStack
) -> tuple[SparseGraph, NDArray[np.bool_]]:
    max_nodes = settings.memory_mb * BYTES_PER_MB // BYTES_PER_NODE
    found = number_nodes(path, max_nodes, None, path.parent, stack)
    return load_graph(found, settings, path.parent, stack), found.node_mask


def _bare(links: SparseGraph, nodes: int, rounds: int, stack: ExitStack) -> Work:
    """Only gather and sum over the same rows, once for each round."""
    assert isinstance(links, CsrGraph)
    blocks = [block() for block in links.blocks]
    values, sums = np.ones(nodes, np.float32), np.empty(nodes, np.float32)
    pool = stack.enter_context(ThreadPoolExecutor(thread_count()))

    @numba.njit(nogil=True)
    def gather(pointers: Any, rows: Any, values: Any, sums: Any) -> None:
        for row in range(len(sums)):
            total = np.float32(0)
            for at in range(pointers[row], pointers[row + 1]):
                total += values[rows[at]]
            sums[row] = total

    def gather_block(block: CsrBlock) -> None:
        into = sums[block.first_row : block.first_row + len(block.row_pointers) - 1]
        gather(block.row_pointers, block.sources, values, into)

    def gather_all() -> None:
        for _ in range(rounds):
            for _ in pool.map(gather_block, blocks):
                pass

    gather_block(blocks[0])  # compile
    return gather_all


def _warm_up(folder: Path) -> None:
    """Load or compile all compiled functions."""
    with EdgeBuffer(folder, max_edges_in_memory=0) as buffer, ExitStack() as stack:
        buffer.add(np.array([0, 1]), np.array([1, 0]))
        for memory in (10**12, 0):
            links = build_csr_graph(buffer.as_files(), GraphLayout(2), memory, folder, stack)
            run_power_iteration(links, np.ones(2, bool), RankSettings(max_iterations=2))
    path = folder / "small.npy"
    np.save(path, np.zeros((2, 1_000_001), np.int32))
    with ExitStack() as stack:
        number_nodes(path, 10, None, folder, stack)
    path.unlink()


def _peak() -> float:
    """The peak memory in megabytes; that of `resource` includes the parent process."""
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


def _read(path: Path) -> None:
    buffer = np.empty(READ_BUFFER_BYTES, np.uint8)
    with path.open("rb", buffering=0) as file:
        while file.readinto(buffer.data):
            pass


def _drop(path: Path) -> None:
    """Drop a file from the page cache, so that it is read from disk."""
    with path.open("rb") as file:
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def _in_turn(one: Work, other: Work, before: Work | None = None) -> tuple[StepCost, StepCost]:
    """The costs of two steps, measured in turn so that other load affects both."""
    costs = [(_cost(one, before), _cost(other, before)) for _ in range(REPEATS)]
    return _median([pair[0] for pair in costs]), _median([pair[1] for pair in costs])


def _median(costs: Sequence[StepCost]) -> StepCost:
    return StepCost(
        median(cost.wall_seconds for cost in costs), median(cost.cpu_seconds for cost in costs)
    )


def _figures(name: str, cost: StepCost) -> dict[str, float]:
    return {name: cost.wall_seconds, f"{name} cpu": cost.cpu_seconds}


def _cost(work: Work, before: Work | None = None) -> StepCost:
    if before:
        before()
    started, used = time.perf_counter(), time.process_time()
    work()
    return StepCost(time.perf_counter() - started, time.process_time() - used)


if __name__ == "__main__":
    main()
