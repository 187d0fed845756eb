"""CPU cost of extraction in worker processes, compared with extraction in this process.

    python -m bench.speed.readers [--rounds N]

Both extract the same 1,000 documentation pages and pack the results, in turn. Compare pages a
second on an idle machine, else CPU.
"""

import argparse
import asyncio
import random
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from bench.speed.crawl.web import load_sites
from bench.speed.environment import describe_machine, require_packages
from bench.speed.measure import process_cpu_seconds
from byway.app.verticals.vertical_folders import load_verticals
from byway.core.model import Page, Url
from byway.core.settings.schema import ExtractSettings
from byway.extract.dispatch import extract
from byway.extract.site_rules.load import load_rules
from byway.extract.worker.pool import WorkerPool
from byway.extract.worker.process import pack_result

PAGES, WARM_UP_PAGES = 1000, 100
MAX_PAGE_BYTES = 8 * 1024 * 1024
SETTINGS = ExtractSettings(workers=1)


@dataclass(frozen=True, slots=True)
class RoundCost:
    """The cost of one round in seconds."""

    wall_seconds: float
    worker_cpu_seconds: float
    """CPU of the extracting process."""
    sender_cpu_seconds: float = 0.0
    """CPU of the process that sends pages and receives results."""


def _worker_cpu(rounds: list[RoundCost]) -> float:
    return median(cost.worker_cpu_seconds for cost in rounds)


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    pages = _pages()
    print(
        f"{describe_machine()}\n{len(pages):,} pages, "
        f"{sum(len(page.body) for page in pages):,} bytes"
    )
    in_process, in_workers = [], []
    for _ in range(rounds):
        in_process.append(_extract_in_process(pages))
        in_workers.append(asyncio.run(_extract_in_workers(pages)))
    print(f"{'':10} {'pages/s':>8} {'CPU':>7} {'CPU of sender':>14}")
    for name, costs in (("in process", in_process), ("workers", in_workers)):
        rate, cpu = (
            PAGES / median(cost.wall_seconds for cost in costs),
            median(cost.worker_cpu_seconds for cost in costs),
        )
        print(
            f"{name:10} {rate:8.0f} {cpu:6.2f}s "
            f"{median(cost.sender_cpu_seconds for cost in costs):13.2f}s"
        )
    ratio = _worker_cpu(in_workers) / _worker_cpu(in_process)
    print(f"workers take {ratio:.2f} times the CPU")


def _pages() -> list[Page]:
    """A fixed sample of pages of several manuals."""
    chosen = load_sites(quick=True)
    require_packages(site.package for site in chosen)
    files = [path for site in chosen for path in sorted(Path(site.root).rglob("*.html"))]
    sample = random.Random(1).sample(files, PAGES)
    headers = (("Content-Type", "text/html; charset=utf-8"),)
    return [
        Page(Url(f"http://127.0.0.1{path}"), 0, 200, headers, path.read_bytes()) for path in sample
    ]


def _extract_in_process(pages: list[Page]) -> RoundCost:
    rules, verticals = load_rules(), load_verticals()
    start, cpu = time.monotonic(), time.process_time()
    for page in pages:
        pack_result(extract(page, SETTINGS, MAX_PAGE_BYTES, rules, verticals))
    return RoundCost(time.monotonic() - start, time.process_time() - cpu)


async def _extract_in_workers(pages: list[Page]) -> RoundCost:
    async with WorkerPool(SETTINGS, MAX_PAGE_BYTES) as workers:
        await asyncio.gather(*map(workers.extract, pages[:WARM_UP_PAGES]))
        (pid,) = workers.pids
        start, cpu, theirs = time.monotonic(), time.process_time(), process_cpu_seconds(pid)
        await asyncio.gather(*map(workers.extract, pages))
        wall, ours = time.monotonic() - start, time.process_time() - cpu
        return RoundCost(wall, process_cpu_seconds(pid) - theirs, ours)


if __name__ == "__main__":
    main()
