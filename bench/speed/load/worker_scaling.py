"""Queries a second of one and of two web workers, on the pages of the demo, in turn."""

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from bench.speed.load.keep_alive_client import ClosedLoopResult, closed_loop_load
from bench.speed.load.load_generator import LoadedServer

WORKERS = (1, 2)
CLIENTS = (1, 4, 16)
ROUNDS = 5
MIN_RATE_RATIO, MAX_P99_RATIO = 1.7, 4.0
QUERIES = (
    "inverted+index",
    "village+pond+news",
    "pagerank",
    "crawler+politeness",
    "frost+fair",
    "search+engine",
    "lighthouse",
    "%D1%82%D1%83%D1%84%D0%BB%D0%B8",
)
TARGETS = [f"/api/v1/search?q={query}" for query in QUERIES]
WARM_UP_SECONDS = 2.0
DRAIN_SECONDS = 0.5
"""Between two rounds: requests of closed connections are still answered."""


def compare_workers(seconds: float) -> bool:
    """Measure, print, and return whether the targets are met."""
    results = _measure(seconds / ROUNDS)
    for (workers, clients), rounds in results.items():
        _print_rounds(workers, clients, rounds)
    most, few = max(CLIENTS), CLIENTS[1]
    ratios = [
        two.rate / one.rate for one, two in zip(results[1, most], results[2, most], strict=True)
    ]
    ratio = median(ratios)
    p99_ratio = _p99(results[2, few]) / _p99(results[2, 1])
    print(
        f"2 workers, {most} clients: {ratio:.2f} times the queries a second of 1 worker (median of "
        f"{ROUNDS} rounds, {min(ratios):.2f} to {max(ratios):.2f}; target {MIN_RATE_RATIO}); "
        f"p99 at {few} clients: {p99_ratio:.1f} times that of 1 client (target {MAX_P99_RATIO:g})"
    )
    return ratio >= MIN_RATE_RATIO and p99_ratio <= MAX_P99_RATIO


def _measure(seconds: float) -> dict[tuple[int, int], list[ClosedLoopResult]]:
    """The rounds by number of workers and of clients."""
    results: dict[tuple[int, int], list[ClosedLoopResult]] = {
        (workers, clients): [] for workers in WORKERS for clients in CLIENTS
    }
    with _demo_data() as data, ExitStack() as stack:
        servers = {count: stack.enter_context(_server(data, count)) for count in WORKERS}
        for server in servers.values():
            closed_loop_load(server.url, TARGETS, 4, WARM_UP_SECONDS)
        for _ in range(ROUNDS):
            for clients in CLIENTS:
                for workers, server in servers.items():
                    time.sleep(DRAIN_SECONDS)
                    cpu_before = server.cpu_seconds()
                    load = closed_loop_load(server.url, TARGETS, clients, seconds)
                    load.server_cpu_seconds = server.cpu_seconds() - cpu_before
                    results[workers, clients].append(load)
    return results


def _print_rounds(workers: int, clients: int, rounds: list[ClosedLoopResult]) -> None:
    total = sum(rounds, ClosedLoopResult())
    rates = [each.rate for each in rounds]
    print(
        f"{workers} workers, {clients} clients: {total.rate:.1f} queries a second "
        f"({min(rates):.1f} to {max(rates):.1f}), p50 {total.percentile(0.5) * 1000:.1f} ms, "
        f"p99 {_p99(rounds) * 1000:.1f} ms; "
        f"other outcomes: {dict(total.other_outcomes) or 'none'}; "
        f"server CPU {total.server_cpu_seconds / len(total.latencies) * 1000:.2f} ms a query, "
        f"{total.server_cpu_seconds / total.seconds:.2f} cores; "
        f"client {total.client_cpu_seconds / total.seconds:.2f}"
    )


def _p99(rounds: list[ClosedLoopResult]) -> float:
    return median(each.percentile(0.99) for each in rounds)


@contextmanager
def _demo_data() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "demo"
        command = [sys.executable, "-m", "byway", "demo", "--once", "--data", str(data)]
        subprocess.run(command, check=True, capture_output=True)
        yield data


@dataclass(frozen=True, slots=True)
class _Server:
    """A server and its workers."""

    url: str
    pid: int

    def cpu_seconds(self) -> float:
        """CPU seconds of all workers so far; 0 where /proc is missing."""
        workers = [
            int(child)
            for children in Path(f"/proc/{self.pid}/task").glob("*/children")
            for child in children.read_text().split()
        ]
        return sum(LoadedServer(self.url, pid).cpu_seconds for pid in workers)


@contextmanager
def _server(data: Path, workers: int) -> Iterator[_Server]:
    """`byway serve` with this many workers."""
    options = ["--data", str(data), "--port", "0", "--workers", str(workers)]
    command = [sys.executable, "-m", "byway", "serve", *options]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr
        try:
            yield _Server(server.stderr.readline().split()[2], server.pid)
        finally:
            server.terminate()
            server.wait(10)
