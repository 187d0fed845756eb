from contextlib import closing
from pathlib import Path

import pytest
from reports.crawl.crawled import START_SECONDS, FinishedVisit, crawled_folder

from byway.core.model import DiscoveredUrl, UrlState
from byway.core.model.message import Reason
from byway.core.url import normalize
from byway.storage.sqlite.crawl_db import crawl_stats
from byway.storage.sqlite.crawl_db.frontier import SqliteFrontier
from byway.storage.sqlite.crawl_db.schema import open_to_read

NOT_FOUND = Reason("http_status", status=404, phrase="Not Found")


def kept(count: int) -> list[FinishedVisit]:
    return [
        FinishedVisit(f"http://h{n % 3}.org/{n}", body=b"x" * n, fetched_at=START_SECONDS + n)
        for n in range(count)
    ]


def test_every_url_and_every_page_is_told_once(tmp_path: Path) -> None:
    ends = [*kept(9), FinishedVisit("http://a.org/", UrlState.MISSING, NOT_FOUND)]
    folder = crawled_folder(tmp_path, ends, queued=["http://a.org/next"])
    with crawl_stats.snapshot(folder.crawl_db) as db:
        fates = list(crawl_stats.url_outcomes(db, 100))
        arrivals = list(crawl_stats.page_fetches(db, 100))
        assert crawl_stats.urls_by_state(db) == {
            UrlState.KEPT: 9,
            UrlState.MISSING: 1,
            UrlState.QUEUED: 1,
        }
        assert (crawl_stats.page_count(db), crawl_stats.host_count(db)) == (9, 4)
        assert crawl_stats.first_seeds(db, 5) == ["http://h0.org/0"]
    assert len(fates) == 11
    assert ("a.org", UrlState.MISSING, NOT_FOUND, "http://a.org/") in fates
    assert sorted(arrival.fetched_at - START_SECONDS for arrival in arrivals) == list(range(9))
    assert sum(arrival.stored_bytes for arrival in arrivals) == sum(
        path.stat().st_size for path in folder.pages.iterdir()
    )


@pytest.mark.parametrize(("last", "most"), [(0, 100), (100, 100), (101, 100), (12_345, 1000)])
def test_a_sample_is_about_as_large_as_asked_and_reads_nothing_twice(last: int, most: int) -> None:
    numbers = [
        n
        for first, until in crawl_stats.sample_ranges(last, most)
        for n in range(first, until + 1)
        if n <= last
    ]
    assert len(numbers) == len(set(numbers))
    assert min(last, most) * 0.75 <= len(numbers) <= most
    if last <= most:
        assert len(numbers) == last


def test_the_largest_pages_come_first_and_each_once(tmp_path: Path) -> None:
    bodies = [bytes(n * 7919 % 251 for n in range(size)) for size in (10, 5000, 300)]
    ends = [FinishedVisit(f"http://a.org/{len(body)}", body=body) for body in bodies]
    with crawl_stats.snapshot(crawled_folder(tmp_path, ends).crawl_db) as db:
        largest = crawl_stats.largest_pages(db, 2)
    assert [url for url, _ in largest] == ["http://a.org/5000", "http://a.org/300"]


def test_what_pages_say_they_are_is_read_from_them(tmp_path: Path) -> None:
    pdf = FinishedVisit("http://a.org/b", body=b"%PDF", content_type="Application/PDF; x=y")
    folder = crawled_folder(tmp_path, [*kept(3), pdf])
    with crawl_stats.snapshot(folder.crawl_db) as db:
        kinds = list(crawl_stats.content_types(db, folder.pages, 100))
        assert sorted(kinds) == ["application/pdf", *["text/html"] * 3]
        assert len(list(crawl_stats.content_types(db, folder.pages, 2))) == 2
        for path in folder.pages.iterdir():
            path.unlink()
        assert set(crawl_stats.content_types(db, folder.pages, 100)) == {""}


def test_a_snapshot_stays_while_the_crawl_goes_on(tmp_path: Path) -> None:
    folder = crawled_folder(tmp_path, kept(3))
    with (
        closing(SqliteFrontier(folder.crawl_db)) as frontier,
        crawl_stats.snapshot(folder.crawl_db) as db,
    ):
        assert sum(crawl_stats.urls_by_state(db).values()) == 3
        frontier.add([DiscoveredUrl(normalize("http://new.org/"))])
        assert (
            sum(crawl_stats.urls_by_state(db).values())
            == len(list(crawl_stats.url_outcomes(db, 100)))
            == 3
        )


def test_urls_to_try_again_are_counted(tmp_path: Path) -> None:
    ends = [
        FinishedVisit(
            "http://a.org/1",
            UrlState.UNREACHABLE,
            Reason("no_answer", seconds=30),
            retry_at=START_SECONDS + 1e6,
        ),
        FinishedVisit("http://a.org/2", UrlState.UNREACHABLE, Reason("no_answer", seconds=30)),
    ]
    with closing(open_to_read(crawled_folder(tmp_path, ends).crawl_db)) as db:
        assert crawl_stats.retry_count(db) == 1
