"""Frontier speed and memory with one and five million known URLs.

    python -m bench.speed.frontier [--quick] [--json FILE]

URLs are added with `add`, as from sitemaps; at each size, pages are recorded with `finish`, as the
crawler does: 32 distinct links a page, a tenth of them new, most of the others to a few popular
pages of the same host.
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
from byway.core.messages import Reason
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
from byway.storage.sqlite.crawl_db.frontier import SqliteFrontier
from byway.storage.sqlite.crawl_db.schema import open_to_write

LINKS_PER_PAGE, NEW_LINKS_PER_PAGE, POPULAR_LINKS_PER_PAGE, EXTERNAL_LINKS_PER_PAGE = 32, 3, 20, 2
"""Links of a page; of these new ones, to popular pages of the host, and to other hosts."""
BATCH_OUTCOMES = 200
"""Outcomes recorded at once, as in the crawler."""
PAGES_PER_STAGE = 500_000 // LINKS_PER_PAGE
VISITS_PER_STAGE = 20_000
BATCH_URLS = 10_000
FORBIDDEN_REASON = Reason("robots_rule", line=2, rule="Disallow: /")
PAGE_BODY = random.Random(1).randbytes(8_000)


@dataclass(frozen=True, slots=True)
class FrontierStage:
    """The figures of the frontier at one size."""

    known: int
    added_per_second: float
    """New URLs a second, over the last half million of `add`."""
    links_per_second: float
    """Links a second, known and new, over half a million links of recorded pages."""
    visits_per_second: float
    """Visits a second that are leased, released and finished without a page."""
    megabytes: float
    peak_megabytes: float
    """Memory of the whole process; the peak is since its start."""
    disk_megabytes: float


class PageGenerator:
    """Generates URLs and pages: a URL is a function of its host and number."""

    def __init__(self, hosts: int) -> None:
        self._random = random.Random(7)
        self._counts = [0] * hosts

    def new_url(self, host: int, depth: int) -> DiscoveredUrl:
        """A new URL of a host."""
        self._counts[host] += 1
        return DiscoveredUrl(_url(host, self._counts[host] - 1), depth)

    def new_urls(self) -> Iterator[DiscoveredUrl]:
        """An endless stream of new URLs."""
        while True:
            yield self.new_url(self._random.randrange(len(self._counts)), 2)

    def make_outcome(self, visit: Visit) -> Outcome:
        """The outcome of a visit with a page."""
        host = int(visit.url[12:17])
        known = self._counts[host]
        numbers = self._random.sample(range(60), POPULAR_LINKS_PER_PAGE)
        numbers += [
            self._random.randrange(known)
            for _ in range(
                LINKS_PER_PAGE
                - NEW_LINKS_PER_PAGE
                - POPULAR_LINKS_PER_PAGE
                - EXTERNAL_LINKS_PER_PAGE
            )
        ]
        urls = [_url(host, number) for number in numbers if number < known]
        for _ in range(EXTERNAL_LINKS_PER_PAGE):
            other = self._random.randrange(len(self._counts))
            urls.append(_url(other, self._random.randrange(max(self._counts[other], 1))))
        found = {url: DiscoveredUrl(url, visit.depth + 1) for url in urls}
        while len(found) < LINKS_PER_PAGE:
            new = self.new_url(host, visit.depth + 1)
            found[new.url] = new
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
    """Measure and print each stage."""
    args = _arguments()
    hosts, sizes = (200, [200_000]) if args.quick else (2_000, [1_000_000, 5_000_000])
    print(f"machine: {describe_machine()}")
    print(
        f"{hosts:,} hosts, {LINKS_PER_PAGE} links a page, a tenth of them new; "
        "MB of the whole process"
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
    if args.json:
        about = {"machine": describe_machine(), "quick": args.quick, "stages": stages}
        args.json.write_text(json.dumps(about, indent=2) + "\n")


def grow(
    frontier: SqliteFrontier, path: Path, pages: PageGenerator, sizes: list[int]
) -> Iterator[FrontierStage]:
    """Grow the frontier to each size, and measure it there."""
    known = 0
    new_urls = pages.new_urls()
    for size in sizes:
        room = size - known - PAGES_PER_STAGE * NEW_LINKS_PER_PAGE
        last = min(room, 500_000)
        _add(frontier, new_urls, room - last)
        added = last / _seconds(partial(_add, frontier, new_urls, last))
        links = PAGES_PER_STAGE * LINKS_PER_PAGE / _seconds(partial(_finish_pages, frontier, pages))
        visits = VISITS_PER_STAGE / _seconds(partial(_finish_forbidden, frontier))
        known = sum(frontier.state_counts().values())
        yield FrontierStage(known, added, links, visits, *_memory(), _size(path))


def _add(frontier: SqliteFrontier, new_urls: Iterator[DiscoveredUrl], count: int) -> None:
    for done in range(0, count, BATCH_URLS):
        frontier.add(islice(new_urls, min(BATCH_URLS, count - done)))


def _finish_pages(frontier: SqliteFrontier, pages: PageGenerator) -> None:
    for batch in _lease_batches(frontier, PAGES_PER_STAGE):
        frontier.finish([pages.make_outcome(visit) for visit in batch])


def _finish_forbidden(frontier: SqliteFrontier) -> None:
    for batch in _lease_batches(frontier, VISITS_PER_STAGE):
        frontier.finish([Outcome(visit, UrlState.FORBIDDEN, FORBIDDEN_REASON) for visit in batch])


def _lease_batches(frontier: SqliteFrontier, count: int) -> Iterator[list[Visit]]:
    """Leased visits in batches; each is released at once, so that its host comes last."""
    done = 0
    while done < count:
        now = time.monotonic()
        visits = frontier.lease(min(BATCH_OUTCOMES, count - done), now)
        assert visits, "the frontier is empty"
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
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures to this file")
    return parser.parse_args()


if __name__ == "__main__":
    main()
