from contextlib import closing
from pathlib import Path

import pytest
from report.crawled import START, End, crawled

from byway.backends.embedded import history
from byway.backends.embedded.database import open_to_read
from byway.backends.embedded.frontier import SqliteFrontier
from byway.model import Found, State
from byway.url import normalise


def kept(count: int) -> list[End]:
    return [End(f"http://h{n % 3}.org/{n}", body=b"x" * n, at=START + n) for n in range(count)]


def test_every_url_and_every_page_is_told_once(tmp_path: Path) -> None:
    ends = [*kept(9), End("http://a.org/", State.MISSING, "answered 404 Not Found")]
    folder = crawled(tmp_path, ends, queued=["http://a.org/next"])
    with history.snapshot(folder.crawl_db) as db:
        fates = list(history.fates(db, 100))
        arrivals = list(history.arrivals(db, 100))
        assert history.states(db) == {State.KEPT: 9, State.MISSING: 1, State.QUEUED: 1}
        assert (history.page_count(db), history.host_count(db)) == (9, 4)
        assert history.first_seeds(db, 5) == ["http://h0.org/0"]
    assert len(fates) == 11
    assert ("a.org", State.MISSING, "answered 404 Not Found", "http://a.org/") in fates
    assert sorted(arrival.at - START for arrival in arrivals) == list(range(9))
    assert sum(arrival.bytes for arrival in arrivals) == sum(
        path.stat().st_size for path in folder.pages.iterdir()
    )


@pytest.mark.parametrize(("last", "most"), [(0, 100), (100, 100), (101, 100), (12_345, 1000)])
def test_a_sample_is_about_as_large_as_asked_and_reads_nothing_twice(last: int, most: int) -> None:
    numbers = [
        n for first, until in history.runs(last, most) for n in range(first, until + 1) if n <= last
    ]
    assert len(numbers) == len(set(numbers))
    assert min(last, most) * 0.75 <= len(numbers) <= most
    if last <= most:
        assert len(numbers) == last


def test_the_largest_pages_come_first_and_each_once(tmp_path: Path) -> None:
    bodies = [bytes(n * 7919 % 251 for n in range(size)) for size in (10, 5000, 300)]
    ends = [End(f"http://a.org/{len(body)}", body=body) for body in bodies]
    with history.snapshot(crawled(tmp_path, ends).crawl_db) as db:
        largest = history.largest(db, 2)
    assert [url for url, _ in largest] == ["http://a.org/5000", "http://a.org/300"]


def test_what_pages_say_they_are_is_read_from_them(tmp_path: Path) -> None:
    pdf = End("http://a.org/b", body=b"%PDF", kind="Application/PDF; x=y")
    folder = crawled(tmp_path, [*kept(3), pdf])
    with history.snapshot(folder.crawl_db) as db:
        kinds = list(history.content_types(db, folder.pages, 100))
        assert sorted(kinds) == ["application/pdf", *["text/html"] * 3]
        assert len(list(history.content_types(db, folder.pages, 2))) == 2
        for path in folder.pages.iterdir():
            path.unlink()
        assert set(history.content_types(db, folder.pages, 100)) == {""}


def test_a_snapshot_stays_while_the_crawl_goes_on(tmp_path: Path) -> None:
    folder = crawled(tmp_path, kept(3))
    with (
        closing(SqliteFrontier(folder.crawl_db)) as frontier,
        history.snapshot(folder.crawl_db) as db,
    ):
        assert sum(history.states(db).values()) == 3
        frontier.add([Found(normalise("http://new.org/"))])
        assert sum(history.states(db).values()) == len(list(history.fates(db, 100))) == 3


def test_urls_to_try_again_are_counted(tmp_path: Path) -> None:
    ends = [
        End("http://a.org/1", State.UNREACHABLE, "no answer within 30 s", due=START + 1e6),
        End("http://a.org/2", State.UNREACHABLE, "no answer within 30 s"),
    ]
    with closing(open_to_read(crawled(tmp_path, ends).crawl_db)) as db:
        assert history.to_try_again(db) == 1
