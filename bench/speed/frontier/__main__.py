"""Does the frontier stay fast and small as it grows? To one million known URLs, and to five.

    python -m bench.speed.frontier [--quick] [--json FILE]

Known URLs grow with `add`, as sitemaps make them grow; at each size, pages are recorded with
`finish`, as the crawler does it: 32 distinct links a page, a tenth of them new, most of the others
to a few much-linked pages of the same host.
"""

import argparse
import json
import random
import resource
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import asdict, dataclass
from functools import partial
from itertools import islice
from pathlib import Path

from bench.speed.environment import machine
from bench.speed.measure import resident
from byway.core.model import Found, Link, Outcome, Page, Place, State, Url, Visit
from byway.storage.sqlite.crawl_db.frontier import SqliteFrontier
from byway.storage.sqlite.crawl_db.schema import open_to_write

LINKS, NEW, POPULAR, ABROAD = 32, 3, 20, 2
"""Links of a page; of them new, to much-linked pages of the host, and to pages of other hosts."""
BATCH = 200
"""Outcomes recorded at once, as the crawler has it."""
PAGES = 500_000 // LINKS
VISITS = 20_000
ADDED = 10_000
BODY = random.Random(1).randbytes(8_000)


@dataclass(frozen=True, slots=True)
class Stage:
    """How the frontier did at one size."""

    known: int
    added_per_second: float
    """New URLs a second, over the last half million that `add` was given."""
    links_per_second: float
    """Links a second, known and new, over half a million of pages recorded at this size."""
    visits_per_second: float
    """Visits a second that were leased, released and finished without a page."""
    megabytes: float
    peak_megabytes: float
    """Of this whole process, Python and byway included; the peak is over its life so far."""
    disk_megabytes: float


class Pages:
    """Makes URLs and pages up: any URL can be told from its host and number alone."""

    def __init__(self, hosts: int) -> None:
        self._chance = random.Random(7)
        self._counts = [0] * hosts

    def new(self, host: int, depth: int) -> Found:
        """A URL that nobody has seen yet."""
        self._counts[host] += 1
        return Found(_url(host, self._counts[host] - 1), depth)

    def anywhere(self) -> Iterator[Found]:
        """New URLs, without end."""
        while True:
            yield self.new(self._chance.randrange(len(self._counts)), 2)

    def outcome(self, visit: Visit) -> Outcome:
        """A visit that gave a page."""
        host = int(visit.url[12:17])
        known = self._counts[host]
        numbers = self._chance.sample(range(60), POPULAR)
        numbers += [self._chance.randrange(known) for _ in range(LINKS - NEW - POPULAR - ABROAD)]
        urls = [_url(host, number) for number in numbers if number < known]
        for _ in range(ABROAD):
            other = self._chance.randrange(len(self._counts))
            urls.append(_url(other, self._chance.randrange(max(self._counts[other], 1))))
        found = {url: Found(url, visit.depth + 1) for url in urls}
        while len(found) < LINKS:
            one = self.new(host, visit.depth + 1)
            found[one.url] = one
        page = Page(visit.url, 1.7e9, 200, (("content-type", "text/html"),), BODY, visit.id)
        links = tuple(Link(url, "a few words") for url in found)
        place = Place("00001.warc.gz", 0, len(BODY))
        return Outcome(
            visit, State.KEPT, page=page, place=place, links=links, found=tuple(found.values())
        )


def main() -> None:
    """Measure, and print each stage as it is done."""
    asked = _arguments()
    hosts, sizes = (200, [200_000]) if asked.quick else (2_000, [1_000_000, 5_000_000])
    print(f"machine: {machine()}")
    print(
        f"{hosts:,} hosts, {LINKS} links a page, a tenth of them new; MB are of the whole process"
    )
    print(_row("known URLs", "new URLs/s", "links/s", "visits/s", "MB", "peak MB", "disk MB"))
    stages = []
    with tempfile.TemporaryDirectory(prefix="byway-bench-") as name:
        path = Path(name) / "crawl.db"
        open_to_write(path).close()
        with closing(SqliteFrontier(path)) as frontier:
            for stage in grown(frontier, path, Pages(hosts), sizes):
                stages.append(asdict(stage))
                print(_row(*(f"{value:,.0f}" for value in stages[-1].values())), flush=True)
    if asked.json:
        about = {"machine": machine(), "quick": asked.quick, "stages": stages}
        asked.json.write_text(json.dumps(about, indent=2) + "\n")


def grown(frontier: SqliteFrontier, path: Path, pages: Pages, sizes: list[int]) -> Iterator[Stage]:
    """Let the frontier grow from size to size, and see how it does at each."""
    known = 0
    fresh = pages.anywhere()
    for size in sizes:
        room = size - known - PAGES * NEW
        last = min(room, 500_000)
        _add(frontier, fresh, room - last)
        added = last / _seconds(partial(_add, frontier, fresh, last))
        links = PAGES * LINKS / _seconds(partial(_record, frontier, pages))
        visits = VISITS / _seconds(partial(_refuse, frontier))
        known = sum(frontier.counts().values())
        yield Stage(known, added, links, visits, *_memory(), _size(path))


def _add(frontier: SqliteFrontier, fresh: Iterator[Found], count: int) -> None:
    for done in range(0, count, ADDED):
        frontier.add(islice(fresh, min(ADDED, count - done)))


def _record(frontier: SqliteFrontier, pages: Pages) -> None:
    for batch in _leased(frontier, PAGES):
        frontier.finish([pages.outcome(visit) for visit in batch])


def _refuse(frontier: SqliteFrontier) -> None:
    for batch in _leased(frontier, VISITS):
        frontier.finish([Outcome(visit, State.FORBIDDEN, "robots.txt line 2") for visit in batch])


def _leased(frontier: SqliteFrontier, count: int) -> Iterator[list[Visit]]:
    """Visits in batches; each is released at once, and its host has its turn after all others."""
    done = 0
    while done < count:
        now = time.monotonic()
        visits = frontier.lease(min(BATCH, count - done), now)
        assert visits, "the frontier has nothing left to hand out"
        for visit in visits:
            frontier.release(visit, now)
        done += len(visits)
        yield visits


def _url(host: int, number: int) -> Url:
    path = f"section-{number % 97}/article-{number}-of-some-length.html"
    return Url(f"http://www.s{host:05}.example/{path}")


def _seconds(work: Callable[[], None]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def _memory() -> tuple[float, float]:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return resident("self", "Rss"), peak


def _size(path: Path) -> float:
    return sum(file.stat().st_size for file in path.parent.iterdir()) / 1e6


def _row(*cells: str) -> str:
    return "  ".join(cell.rjust(11) for cell in cells)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="bench-frontier", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("--quick", action="store_true", help="stop at 200,000 URLs")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there, too")
    return parser.parse_args()


if __name__ == "__main__":
    main()
