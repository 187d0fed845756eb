"""Links turned round in a file: the same answers as reading all of crawl.db, only faster."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from random import Random

import numpy as np
import pytest

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
from byway.core.url import normalize
from byway.storage.sqlite.crawl_db.frontier import SqliteFrontier
from byway.storage.sqlite.crawl_db.link_graph import SqliteLinkGraph
from byway.storage.sqlite.crawl_db.schema import open_to_read

HOSTS = 5


class Crawl:
    """A crawl of a random web, a few pages at a time."""

    walks = 0.0
    """The share of pages that are read for their links only."""

    def __init__(self, folder: Path, random: Random) -> None:
        folder.mkdir(exist_ok=True)
        self.path = folder / "crawl.db"
        self.rank = folder / "rank"
        self.rank.mkdir()
        self.frontier = SqliteFrontier(self.path)
        self._random = random
        self._now = 0.0
        self.frontier.add(DiscoveredUrl(self._url(n, n), seed=True) for n in range(HOSTS))

    def visit(self, times: int) -> None:
        """Keep pages with random links to others, or only walk them; some are gone."""
        for _ in range(times):
            self._now += 1
            for visit in self.frontier.lease(HOSTS, self._now):
                self.frontier.release(visit, self._now)
                self.frontier.finish([self._outcome(visit)])

    def see_again(self) -> None:
        """Queue every kept page once more."""
        self._now += 1000
        self.frontier.queue_revisits(self._now)

    def _outcome(self, visit: Visit) -> Outcome:
        page = Page(visit.url, self._now, 200, (), b"", visit.id)
        if visit.previous_fetch and self._random.random() < 0.3:
            return Outcome(visit, UrlState.MISSING, page=page, is_gone=True)
        targets = {self._url() for _ in range(self._random.randrange(6))} - {visit.url}
        links = tuple(Link(url, nofollow=self._random.random() < 0.2) for url in sorted(targets))
        found = tuple(DiscoveredUrl(link.target) for link in links if not link.nofollow)
        if not visit.previous_fetch and self._random.random() < self.walks:
            return Outcome(
                visit, UrlState.LINKS_ONLY, page=page, links=links, discovered_urls=found
            )
        place, digest = RecordLocation("0.warc.gz", 0, 1), b"%d" % self._now
        return Outcome(
            visit,
            UrlState.KEPT,
            page=page,
            location=place,
            links=links,
            discovered_urls=found,
            digest=digest,
        )

    def _url(self, host: int = -1, page: int = -1) -> Url:
        host = host if host >= 0 else self._random.randrange(HOSTS)
        page = page if page >= 0 else self._random.randrange(40)
        return normalize(f"http://{host}.example/{page}")


@pytest.fixture(params=range(4))
def crawl(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Crawl]:
    made = Crawl(tmp_path, Random(request.param))
    yield made
    made.frontier.close()


def agree(crawl: Crawl) -> int:
    """Both ways give the same answers; how many links there are."""
    with closing(open_to_read(crawl.path)) as db:
        db.execute("begin")
        plain, turned = SqliteLinkGraph(db), SqliteLinkGraph(db, crawl.rank, min_new_versions=0)
        every = np.arange(plain.size(), dtype=np.int64)
        for ids in (every, every[::3], every[:0]):
            assert pairs(turned, ids) == pairs(plain, ids)
        assert turned.in_degrees().tolist() == plain.in_degrees().tolist()
        return len(pairs(plain, every))


def pairs(graph: SqliteLinkGraph, ids: np.ndarray) -> list[tuple[int, int]]:
    sources, targets = graph.edges_to(ids)
    return sorted(zip(sources.tolist(), targets.tolist(), strict=True))


def test_answers_are_the_same_however_the_crawl_goes_on(crawl: Crawl) -> None:
    file = crawl.rank / "reverse_links.bin"
    crawl.visit(8)
    assert agree(crawl) > 30
    made = file.stat().st_mtime_ns, file.stat().st_ino
    crawl.visit(1)
    agree(crawl)
    for _ in range(4):
        crawl.see_again()
        crawl.visit(6)
        agree(crawl)
    assert (file.stat().st_mtime_ns, file.stat().st_ino) != made, "it never was made anew"
    assert [path.name for path in crawl.rank.iterdir()] == ["reverse_links.bin"]


def test_a_file_that_is_a_little_behind_is_used_as_it_is(tmp_path: Path) -> None:
    crawl = Crawl(tmp_path, Random(7))
    file = crawl.rank / "reverse_links.bin"
    crawl.visit(20)
    agree(crawl)
    before = file.read_bytes()
    crawl.visit(1)
    agree(crawl)
    assert file.read_bytes() == before
    crawl.frontier.close()


def test_pages_that_are_walked_are_read_from_the_database(tmp_path: Path) -> None:
    crawl = Crawl(tmp_path, Random(8))
    crawl.visit(10)
    agree(crawl)
    before = (crawl.rank / "reverse_links.bin").read_bytes()
    crawl.walks = 0.5
    crawl.visit(20)
    agree(crawl)
    assert (crawl.rank / "reverse_links.bin").read_bytes() == before
    crawl.frontier.close()


def test_few_pages_are_not_worth_a_file(tmp_path: Path) -> None:
    crawl = Crawl(tmp_path, Random(1))
    crawl.visit(10)
    with closing(open_to_read(crawl.path)) as db:
        db.execute("begin")
        graph = SqliteLinkGraph(db, crawl.rank)
        assert graph.in_degrees().sum() > 0
    assert list(crawl.rank.iterdir()) == []
    crawl.frontier.close()


@pytest.mark.parametrize("damage", [b"", b"nonsense", b"\0" * 400])
def test_a_damaged_file_is_made_anew(tmp_path: Path, damage: bytes) -> None:
    crawl = Crawl(tmp_path, Random(2))
    crawl.visit(10)
    (crawl.rank / "reverse_links.bin").write_bytes(damage)
    agree(crawl)
    assert (crawl.rank / "reverse_links.bin").stat().st_size > 400
    crawl.frontier.close()


def test_a_file_of_another_crawl_is_not_believed(tmp_path: Path) -> None:
    one, other = Crawl(tmp_path / "one", Random(4)), Crawl(tmp_path / "other", Random(5))
    one.visit(10)
    agree(one)
    other.see_again()  # some time later
    other.visit(11)  # only a little more, so that the file would do
    (one.rank / "reverse_links.bin").rename(other.rank / "reverse_links.bin")
    agree(other)
    one.frontier.close()
    other.frontier.close()


def test_where_nothing_can_be_written_all_links_are_read(tmp_path: Path) -> None:
    crawl = Crawl(tmp_path, Random(3))
    crawl.visit(10)
    crawl.rank.rmdir()
    crawl.rank.write_text("not a folder")
    assert agree(crawl) > 30
    crawl.frontier.close()
