"""What does it cost to read pages in processes of their own? CPU beside reading them right here.

    python -m bench.speed.readers [--rounds N]

Both read the same 1,000 documentation pages and pack what they say, in turns. On a machine with
nothing else to do, compare pages a second; else, CPU.
"""

import argparse
import asyncio
import random
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from bench.speed.crawl.web import sites
from bench.speed.environment import machine, require_packages
from bench.speed.measure import cpu_of
from byway.core.model import Page, Url
from byway.core.settings.schema import ExtractSettings
from byway.extract.dispatch import extract
from byway.extract.site_rules.load import load
from byway.extract.worker.pool import Readers
from byway.extract.worker.protocol import packed

PAGES, WARM = 1000, 100
MOST = 8 * 1024 * 1024
SETTINGS = ExtractSettings(workers=1)


@dataclass(frozen=True, slots=True)
class Cost:
    """What one round took, in seconds."""

    wall: float
    reading: float
    """CPU of the process that read."""
    feeding: float = 0.0
    """CPU of the one that sent the pages and took the answers."""


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    pages = _pages()
    print(f"{machine()}\n{len(pages):,} pages, {sum(len(each.body) for each in pages):,} bytes")
    here, there = [], []
    for _ in range(rounds):
        here.append(_here(pages))
        there.append(asyncio.run(_there(pages)))
    print(f"{'':10} {'pages/s':>8} {'CPU':>7} {'of the sender':>14}")
    for name, costs in (("here", here), ("readers", there)):
        rate, cpu = (
            PAGES / median(each.wall for each in costs),
            median(each.reading for each in costs),
        )
        print(f"{name:10} {rate:8.0f} {cpu:6.2f}s {median(each.feeding for each in costs):13.2f}s")
    ratio = median(each.reading for each in there) / median(each.reading for each in here)
    print(f"readers take {ratio:.2f} of the CPU")


def _pages() -> list[Page]:
    """Pages of several manuals, the same ones each time."""
    chosen = sites(quick=True)
    require_packages(site.package for site in chosen)
    files = [path for site in chosen for path in sorted(Path(site.root).rglob("*.html"))]
    sample = random.Random(1).sample(files, PAGES)
    headers = (("Content-Type", "text/html; charset=utf-8"),)
    return [
        Page(Url(f"http://127.0.0.1{path}"), 0, 200, headers, path.read_bytes()) for path in sample
    ]


def _here(pages: list[Page]) -> Cost:
    rules = load()
    start, cpu = time.monotonic(), time.process_time()
    for page in pages:
        packed(extract(page, SETTINGS, MOST, rules))
    return Cost(time.monotonic() - start, time.process_time() - cpu)


async def _there(pages: list[Page]) -> Cost:
    async with Readers(SETTINGS, MOST) as readers:
        await asyncio.gather(*map(readers.read, pages[:WARM]))
        (pid,) = readers.pids
        start, cpu, theirs = time.monotonic(), time.process_time(), cpu_of(pid)
        await asyncio.gather(*map(readers.read, pages))
        wall, ours = time.monotonic() - start, time.process_time() - cpu
        return Cost(wall, cpu_of(pid) - theirs, ours)


if __name__ == "__main__":
    main()
