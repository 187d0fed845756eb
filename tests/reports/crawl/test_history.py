from contextlib import closing
from pathlib import Path

import pytest
from reports.crawl.crawled import START_SECONDS, FinishedVisit, crawled_folder

from byway.core.messages import Reason
from byway.core.model import DiscoveredUrl, UrlState
from byway.core.url import normalize
from byway.storage.sqlite.crawl_db.crawl_statistics import sample_ranges
from byway.storage.sqlite.crawl_db.frontier import SqliteFrontier

NOT_FOUND = Reason("http_status", status=404, phrase="Not Found")


def kept(count: int) -> list[FinishedVisit]:
    return [
        FinishedVisit(f"http://h{n % 3}.org/{n}", body=b"x" * n, fetched_at=START_SECONDS + n)
        for n in range(count)
    ]


def test_every_url_and_every_page_is_told_once(tmp_path: Path) -> None:
    ends = [*kept(9), FinishedVisit("http://a.org/", UrlState.MISSING, NOT_FOUND)]
    folder = crawled_folder(tmp_path, ends, queued=["http://a.org/next"])
    with folder.reader(snapshot=True) as reader:
        statistics = reader.statistics
        fates = list(statistics.url_outcomes(100))
        arrivals = list(statistics.page_fetches(100))
        assert reader.catalog.state_counts() == {
            UrlState.KEPT: 9,
            UrlState.MISSING: 1,
            UrlState.QUEUED: 1,
        }
        assert (statistics.page_count(), reader.catalog.host_count()) == (9, 4)
        assert reader.catalog.seeds() == ["http://h0.org/0"]
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
        for first, until in sample_ranges(last, most)
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
    with crawled_folder(tmp_path, ends).reader() as reader:
        largest = reader.statistics.largest_pages(2)
    assert [url for url, _ in largest] == ["http://a.org/5000", "http://a.org/300"]


def test_what_pages_say_they_are_is_read_from_them(tmp_path: Path) -> None:
    pdf = FinishedVisit("http://a.org/b", body=b"%PDF", content_type="Application/PDF; x=y")
    folder = crawled_folder(tmp_path, [*kept(3), pdf])
    with folder.reader(snapshot=True) as reader:
        statistics = reader.statistics
        kinds = list(statistics.content_types(100))
        assert sorted(kinds) == ["application/pdf", *["text/html"] * 3]
        assert len(list(statistics.content_types(2))) == 2
        for path in folder.pages.iterdir():
            path.unlink()
        assert set(statistics.content_types(100)) == {""}


def test_a_snapshot_stays_while_the_crawl_goes_on(tmp_path: Path) -> None:
    folder = crawled_folder(tmp_path, kept(3))
    with (
        closing(SqliteFrontier(folder.crawl_db)) as frontier,
        folder.reader(snapshot=True) as reader,
    ):
        statistics = reader.statistics
        assert sum(reader.catalog.state_counts().values()) == 3
        frontier.add([DiscoveredUrl(normalize("http://new.org/"))])
        assert (
            sum(reader.catalog.state_counts().values())
            == len(list(statistics.url_outcomes(100)))
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
    with crawled_folder(tmp_path, ends).reader() as reader:
        assert reader.statistics.retry_count() == 1
