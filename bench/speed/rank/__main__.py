"""Speed and memory of PageRank, compared with SciPy, NetworKit and Spark.

    python -m bench.speed.rank [--quick] [--huge] [--without NAME] [--json FILE]

`--huge` ranks 500 million edges on disk within 2 GiB instead, with byway only.
"""

import argparse
import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from bench.speed.environment import describe_machine, peers_python, require_packages
from bench.speed.measure import ProcessFailed, measure_cost
from bench.speed.rank import graph

RANK_FOLDER = Path(__file__).parent
DATA_FOLDER = RANK_FOLDER / ".data"
ROUNDS, SPARK_ROUNDS = 10, 2
MEMORY_MEGABYTES, HUGE_MEMORY_MEGABYTES = 1024, 2147
"""The memory limits of byway; for the huge graph, 2 GiB."""
QUICK_SIZE = 50_000, 4_000_000
HUGE_QUICK_SIZE = 1_000_000, 20_000_000
JAVA_PACKAGES = ("default-jre-headless",)
PEER_SCRIPTS = {
    "scipy": "scipy_csr.py",
    "networkit": "networkit_rank.py",
    "spark": "spark_frames.py",
}

Figures = dict[str, Any]


def main() -> None:
    """Measure and print the results."""
    args = _arguments()
    print(f"machine: {describe_machine()}")
    DATA_FOLDER.mkdir(exist_ok=True)
    found = _huge(args.quick) if args.huge else _beside_peers(args)
    if args.json:
        args.json.write_text(json.dumps({"machine": describe_machine(), **found}, indent=2) + "\n")


def _beside_peers(args: argparse.Namespace) -> Figures:
    nodes, edges = QUICK_SIZE if args.quick else (graph.NODES, graph.EDGES)
    path = _cached_file(f"edges-{edges}.npy", lambda path: graph.make_graph(path, nodes, edges))
    print(f"{nodes:,} nodes, {edges:,} edges, {ROUNDS} rounds; seconds and MB")
    print(_row("", "build", "rounds", "CPU", "peak MB", "distance", "others"))
    found = {"byway": _byway(path, DATA_FOLDER / "byway.npy", MEMORY_MEGABYTES)}
    _show("byway", found["byway"], 0.0)
    _show_gather(found["byway"])
    for name in PEER_SCRIPTS:
        if name in args.without:
            print(f"{name}: skipped by --without")
        elif figures := _peer(name, path):
            found[name] = figures
            _show(name, figures, _distance(DATA_FOLDER / "byway.npy", DATA_FOLDER / f"{name}.npy"))
    _print_targets(found, nodes, edges)
    return found


def _huge(quick: bool) -> Figures:
    nodes, edges = HUGE_QUICK_SIZE if quick else (graph.HUGE_NODES, graph.HUGE_EDGES)
    memory = 400 if quick else HUGE_MEMORY_MEGABYTES
    path = _cached_file(f"huge-{edges}.npy", lambda path: graph.make_huge_graph(path, nodes, edges))
    try:
        found = _byway(path, DATA_FOLDER / "huge-ranks.npy", memory, "once")
    finally:
        path.unlink()  # 4 GB
    rate = found["links"] * ROUNDS / found["iterate"] / 1e6
    print(f"{found['nodes']:,} nodes, {found['links']:,} distinct edges, {memory} MB allowed")
    print(f"build {found['build']:.1f} s, {ROUNDS} rounds {found['iterate']:.1f} s")
    print(f"{rate:.0f} million edges a second; peak {found['peak']:.0f} MB")
    _target("peak memory within what is allowed", found["peak"] * 1.048576 / memory, 1.0)
    return found


def _byway(path: Path, ranks: Path, memory: int, *more: str) -> Figures:
    module = ["-m", "bench.speed.rank.byway_rank", str(path), str(ranks)]
    return _run("byway", [sys.executable, *module, str(ROUNDS), str(memory), *more])


def _peer(name: str, path: Path) -> Figures | None:
    """The figures of a peer; None, after printing the reason, if it is not available."""
    rounds = SPARK_ROUNDS if name == "spark" else ROUNDS
    try:
        if name == "spark":
            require_packages(JAVA_PACKAGES)
        python = peers_python(RANK_FOLDER)
        script = str(RANK_FOLDER / "peers" / PEER_SCRIPTS[name])
        found = _run(
            name, [str(python), script, str(path), str(DATA_FOLDER / f"{name}.npy"), str(rounds)]
        )
    except (ProcessFailed, SystemExit) as error:
        print(f"{name}: skipped: {error}")
        return None
    found["iterate"] *= ROUNDS / rounds
    return found


def _run(name: str, command: list[str]) -> Figures:
    log = DATA_FOLDER / f"{name}.log"
    log.unlink(missing_ok=True)
    cost = measure_cost([command], log)
    figures: Figures = json.loads(log.read_text().strip().splitlines()[-1])
    seconds = (cost.ended_at - cost.started_at) * (os.cpu_count() or 1)
    others = max(0.0, cost.machine_cpu_seconds - cost.cpu_seconds) / seconds
    return {"cpu": cost.cpu_seconds, "peak": cost.peak_megabytes, "others": others} | figures


def _cached_file(name: str, make: Callable[[Path], None]) -> Path:
    path = DATA_FOLDER / name
    if not path.exists():
        print(f"generating {name}", end=" ", flush=True)
        started, draft = time.time(), DATA_FOLDER / f"draft-{name}"
        make(draft)
        draft.replace(path)
        print(f"took {time.time() - started:.0f} s")
    return path


def _distance(one: Path, other: Path) -> float:
    """The L1 distance of two rankings."""
    return float(np.abs(np.load(one) - np.load(other)).sum())


def _print_targets(found: Figures, nodes: int, edges: int) -> None:
    """Print each target and whether it is met."""
    byway = found["byway"]
    csr = (edges * 4 + nodes * 8) / 2**20
    print(f"\nCSR {csr:.0f} MB. Medians of reading and building (wall time, CPU):")
    for where, name in (("from disk", " cold"), ("from memory", "")):
        costs = (
            f"{byway[what + name + of]:.2f}" for what in ("read", "build") for of in ("", " cpu")
        )
        print("  {}: reading {} s, {} s; building {} s, {} s".format(where, *costs))
    _target("rounds / gather and sum (wall time)", byway["iterate"] / byway["bare"], 1.3)
    _target("rounds / gather and sum (CPU)", byway["iterate cpu"] / byway["bare cpu"], 1.3)
    _target("build / reading the edges from disk", byway["build cold"] / byway["read cold"], 4)
    ratio = byway["build"] / byway["read"]
    print(f"{'build / copying them out of the page cache':<45} {ratio:6.2f}  (no target)")
    _target("peak memory / CSR", byway["peak"] / csr, 2)
    for name in set(found) - {"byway"}:
        _target(f"rounds / those of {name}", byway["iterate"] / found[name]["iterate"], 1)


def _target(name: str, value: float, limit: float) -> None:
    print(f"{name:<45} {value:6.2f}  (at most {limit:g}: {'yes' if value <= limit else 'NO'})")


def _show(name: str, found: Figures, distance: float) -> None:
    cells = f"{found['build']:.2f}", f"{found['iterate']:.2f}", f"{found['cpu']:.1f}"
    print(_row(name, *cells, f"{found['peak']:.0f}", f"{distance:.0e}", f"{found['others']:.0%}"))


def _show_gather(found: Figures) -> None:
    print(_row("gather", "", f"{found['bare']:.2f}", "", "", "", ""), flush=True)


def _row(name: str, *cells: str) -> str:
    return name.ljust(10) + "".join(cell.rjust(10) for cell in cells)


def _arguments() -> argparse.Namespace:
    about = (__doc__ or "").split("\n")[0]
    parser = argparse.ArgumentParser(prog="bench-rank", description=about)
    parser.add_argument("--quick", action="store_true", help="a fifteenth of the edges")
    parser.add_argument("--huge", action="store_true", help="500 million edges within 2 GiB")
    parser.add_argument(
        "--without", action="append", default=[], choices=PEER_SCRIPTS, metavar="NAME"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures to this file")
    return parser.parse_args()


if __name__ == "__main__":
    main()
