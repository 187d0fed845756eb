"""byway on one list of edges: what do reading, building, ranking, and bare gathering cost?

Run in a process of its own, so that its memory is its own; prints one line of JSON.
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
from byway.pagerank.csr_graph import PER_NODE, Block, Links, ManyLinks, Shape, many_links
from byway.pagerank.edge_buffer import Spool
from byway.pagerank.edge_list_rank import MEGABYTE, links_in
from byway.pagerank.node_degrees import threads
from byway.pagerank.node_ids import numbered
from byway.pagerank.power_iteration import walk

TIMES = 5
"""How often two things are measured that are compared, turn by turn; the median counts."""
BUFFER = 1 << 24

Work = Callable[[], None]


@dataclass(frozen=True, slots=True)
class Cost:
    """Seconds by the clock, and of the processor."""

    clock: float
    cpu: float


def main() -> None:
    """Measure, and print the figures."""
    path, out = Path(sys.argv[1]), Path(sys.argv[2])
    settings = RankSettings(tolerance=0, iterations=int(sys.argv[3]), memory=int(sys.argv[4]))
    once = len(sys.argv) == 6
    figures: dict[str, Any] = {"compile": _cost(partial(_warm_up, path.parent)).clock}
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
        figures |= {"links": links.count, "nodes": int(nodes.sum())}
        if not once:
            bare = _bare(links, len(nodes), settings.iterations, stack)
            costs = _in_turn(bare, rounds)
            figures |= _figures("bare", costs[0]) | _figures("iterate", costs[1])
    print(json.dumps(figures))


def _rank(links: Links, nodes: NDArray[np.bool_], settings: RankSettings, out: Path) -> None:
    np.save(out, walk(links, nodes, settings))


def _build(path: Path, settings: RankSettings) -> None:
    with ExitStack() as stack:
        _built(path, settings, stack)


def _built(path: Path, settings: RankSettings, stack: ExitStack) -> tuple[Links, NDArray[np.bool_]]:
    most = settings.memory * MEGABYTE // PER_NODE
    found = numbered(path, most, None, path.parent, stack)
    return links_in(found, settings, path.parent, stack), found.nodes


def _bare(links: Links, nodes: int, rounds: int, stack: ExitStack) -> Work:
    """Gather and sum over the same rows and nothing else, as often as there are rounds."""
    assert isinstance(links, ManyLinks)
    blocks = [block() for block in links.blocks]
    values, sums = np.ones(nodes, np.float32), np.empty(nodes, np.float32)
    pool = stack.enter_context(ThreadPoolExecutor(threads()))

    @numba.njit(nogil=True)
    def gather(pointers: Any, rows: Any, values: Any, sums: Any) -> None:
        for row in range(len(sums)):
            total = np.float32(0)
            for at in range(pointers[row], pointers[row + 1]):
                total += values[rows[at]]
            sums[row] = total

    def one(block: Block) -> None:
        into = sums[block.first : block.first + len(block.pointers) - 1]
        gather(block.pointers, block.rows, values, into)

    def every() -> None:
        for _ in range(rounds):
            for _ in pool.map(one, blocks):
                pass

    one(blocks[0])  # compiled
    return every


def _warm_up(folder: Path) -> None:
    """Load, or compile, all that is compiled."""
    with Spool(folder, few=0) as spool, ExitStack() as stack:
        spool.add(np.array([0, 1]), np.array([1, 0]))
        for memory in (10**12, 0):
            links = many_links(spool.on_disk(), Shape(2), memory, folder, stack)
            walk(links, np.ones(2, bool), RankSettings(iterations=2))
    path = folder / "small.npy"
    np.save(path, np.zeros((2, 1_000_001), np.int32))
    with ExitStack() as stack:
        numbered(path, 10, None, folder, stack)
    path.unlink()


def _peak() -> float:
    """The most megabytes we had at once; what `resource` says is also of who started us."""
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


def _read(path: Path) -> None:
    buffer = np.empty(BUFFER, np.uint8)
    with path.open("rb", buffering=0) as file:
        while file.readinto(buffer.data):
            pass


def _drop(path: Path) -> None:
    """Have the system forget what it knows of a file, so that it must read the disk."""
    with path.open("rb") as file:
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def _in_turn(one: Work, other: Work, before: Work | None = None) -> tuple[Cost, Cost]:
    """What two things cost at the same times, so that whatever else goes on befalls both."""
    costs = [(_cost(one, before), _cost(other, before)) for _ in range(TIMES)]
    return _median([pair[0] for pair in costs]), _median([pair[1] for pair in costs])


def _median(costs: Sequence[Cost]) -> Cost:
    return Cost(median(cost.clock for cost in costs), median(cost.cpu for cost in costs))


def _figures(name: str, cost: Cost) -> dict[str, float]:
    return {name: cost.clock, f"{name} cpu": cost.cpu}


def _cost(work: Work, before: Work | None = None) -> Cost:
    if before:
        before()
    started, used = time.perf_counter(), time.process_time()
    work()
    return Cost(time.perf_counter() - started, time.process_time() - used)


if __name__ == "__main__":
    main()
