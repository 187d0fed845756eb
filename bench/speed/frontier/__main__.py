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

from bench.speed.environment import describe_machine
from bench.speed.measure import memory_megabytes
from byway.core.model import (
    DiscoveredUrl,
    Link,
    Outcome,
    Page,
    RecordLocation,
    Url,
    UrlState,
    Visit,
)
from byway.core.model.message import Reason
from byway.storage.sqlite.crawl_db.frontier import SqliteFrontier
from byway.storage.sqlite.crawl_db.schema import open_to_write

LINKS_PER_PAGE, NEW_LINKS_PER_PAGE, POPULAR_LINKS_PER_PAGE, EXTERNAL_LINKS_PER_PAGE = 32, 3, 20, 2
"""Links of a page; of them new, to much-linked pages of the host, and to pages of other hosts."""
BATCH_OUTCOMES = 200
"""Outcomes recorded at once, as the crawler has it."""
PAGES_PER_STAGE = 500_000 // LINKS_PER_PAGE
VISITS_PER_STAGE = 20_000
BATCH_URLS = 10_000
FORBIDDEN_REASON = Reason("robots_rule", line=2, rule="Disallow: /")
PAGE_BODY = random.Random(1).randbytes(8_000)


@dataclass(frozen=True, slots=True)
class FrontierStage:
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


class PageGenerator:
    """Makes URLs and pages up: any URL can be told from its host and number alone."""

    def __init__(self, hosts: int) -> None:
        self._chance = random.Random(7)
        self._counts = [0] * hosts

    def new_url(self, host: int, depth: int) -> DiscoveredUrl:
        """A URL that nobody has seen yet."""
        self._counts[host] += 1
        return DiscoveredUrl(_url(host, self._counts[host] - 1), depth)

    def new_urls(self) -> Iterator[DiscoveredUrl]:
        """New URLs, without end."""
        while True:
            yield self.new_url(self._chance.randrange(len(self._counts)), 2)

    def make_outcome(self, visit: Visit) -> Outcome:
        """A visit that gave a page."""
        host = int(visit.url[12:17])
        known = self._counts[host]
        numbers = self._chance.sample(range(60), POPULAR_LINKS_PER_PAGE)
        numbers += [
            self._chance.randrange(known)
            for _ in range(
                LINKS_PER_PAGE
                - NEW_LINKS_PER_PAGE
                - POPULAR_LINKS_PER_PAGE
                - EXTERNAL_LINKS_PER_PAGE
            )
        ]
        urls = [_url(host, number) for number in numbers if number < known]
        for _ in range(EXTERNAL_LINKS_PER_PAGE):
            other = self._chance.randrange(len(self._counts))
            urls.append(_url(other, self._chance.randrange(max(self._counts[other], 1))))
        found = {url: DiscoveredUrl(url, visit.depth + 1) for url in urls}
        while len(found) < LINKS_PER_PAGE:
            one = self.new_url(host, visit.depth + 1)
            found[one.url] = one
        page = Page(visit.url, 1.7e9, 200, (("content-type", "text/html"),), PAGE_BODY, visit.id)
        links = tuple(Link(url, "a few words") for url in found)
        place = RecordLocation("00001.warc.gz", 0, len(PAGE_BODY))
        return Outcome(
            visit,
            UrlState.KEPT,
            page=page,
            location=place,
            links=links,
            discovered_urls=tuple(found.values()),
        )


def main() -> None:
    """Measure, and print each stage as it is done."""
    asked = _arguments()
    hosts, sizes = (200, [200_000]) if asked.quick else (2_000, [1_000_000, 5_000_000])
    print(f"machine: {describe_machine()}")
    print(
        f"{hosts:,} hosts, {LINKS_PER_PAGE} links a page, a tenth of them new; "
        f"MB are of the whole process"
    )
    print(_row("known URLs", "new URLs/s", "links/s", "visits/s", "MB", "peak MB", "disk MB"))
    stages = []
    with tempfile.TemporaryDirectory(prefix="byway-bench-") as name:
        path = Path(name) / "crawl.db"
        open_to_write(path).close()
        with closing(SqliteFrontier(path)) as frontier:
            for stage in grow(frontier, path, PageGenerator(hosts), sizes):
                stages.append(asdict(stage))
                print(_row(*(f"{value:,.0f}" for value in stages[-1].values())), flush=True)
    if asked.json:
        about = {"machine": describe_machine(), "quick": asked.quick, "stages": stages}
        asked.json.write_text(json.dumps(about, indent=2) + "\n")


def grow(
    frontier: SqliteFrontier, path: Path, pages: PageGenerator, sizes: list[int]
) -> Iterator[FrontierStage]:
    """Let the frontier grow from size to size, and see how it does at each."""
    known = 0
    fresh = pages.new_urls()
    for size in sizes:
        room = size - known - PAGES_PER_STAGE * NEW_LINKS_PER_PAGE
        last = min(room, 500_000)
        _add(frontier, fresh, room - last)
        added = last / _seconds(partial(_add, frontier, fresh, last))
        links = PAGES_PER_STAGE * LINKS_PER_PAGE / _seconds(partial(_record, frontier, pages))
        visits = VISITS_PER_STAGE / _seconds(partial(_refuse, frontier))
        known = sum(frontier.state_counts().values())
        yield FrontierStage(known, added, links, visits, *_memory(), _size(path))


def _add(frontier: SqliteFrontier, fresh: Iterator[DiscoveredUrl], count: int) -> None:
    for done in range(0, count, BATCH_URLS):
        frontier.add(islice(fresh, min(BATCH_URLS, count - done)))


def _record(frontier: SqliteFrontier, pages: PageGenerator) -> None:
    for batch in _leased(frontier, PAGES_PER_STAGE):
        frontier.finish([pages.make_outcome(visit) for visit in batch])


def _refuse(frontier: SqliteFrontier) -> None:
    for batch in _leased(frontier, VISITS_PER_STAGE):
        frontier.finish([Outcome(visit, UrlState.FORBIDDEN, FORBIDDEN_REASON) for visit in batch])


def _leased(frontier: SqliteFrontier, count: int) -> Iterator[list[Visit]]:
    """Visits in batches; each is released at once, and its host has its turn after all others."""
    done = 0
    while done < count:
        now = time.monotonic()
        visits = frontier.lease(min(BATCH_OUTCOMES, count - done), now)
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
    return memory_megabytes("self", "Rss"), peak


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
