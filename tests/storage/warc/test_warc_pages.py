"""What is particular to pages in WARC files: other readers, crashes, and a lost crawl.db."""

import gzip
import io
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from warcio.archiveiterator import ArchiveIterator

from byway.core.errors import DamagedPageError, DataError
from byway.core.messages import Reason, text
from byway.core.model import DiscoveredUrl, Outcome, Page, UnreadablePage, Url, UrlId, UrlState
from byway.storage.sqlite.crawl_db.frontier import SqliteFrontier
from byway.storage.sqlite.crawl_db.schema import open_to_read
from byway.storage.warc.page_store import WarcPageStore, response_record

PAGE = Page(
    Url("http://a.org/"),
    1.5,
    200,
    (("Content-Type", "text/html"), ("Transfer-Encoding", "chunked"), ("X-Odd", "ü")),
    b"<p>hello",
    UrlId(1),
)


def keep(folder: Path, *pages: Page) -> None:
    """A run that records these pages."""
    frontier = SqliteFrontier(folder / "crawl.db")
    frontier.add([DiscoveredUrl(page.url, seed=True) for page in pages])
    with (
        closing(open_to_read(folder / "crawl.db")) as db,
        closing(WarcPageStore(folder, db)) as store,
    ):
        store.repair()
        visits = frontier.lease(10, now=1e9)
        places = store.append([(page, page.body) for page in pages])
        for visit, page, place in zip(visits, pages, places, strict=True):
            kept = Outcome(visit, UrlState.KEPT, page=page, location=place, digest=page.body)
            frontier.finish([kept])
    frontier.close()


def test_another_warc_reader_finds_the_same() -> None:
    record = next(iter(ArchiveIterator(io.BytesIO(response_record(PAGE)), check_digests="raise")))
    assert record.rec_type == "response"
    assert record.rec_headers.get_header("WARC-Target-URI") == "http://a.org/"
    assert record.http_headers.get_header("content-type") == "text/html"
    assert record.http_headers.get_header("transfer-encoding") is None
    assert record.content_stream().read() == b"<p>hello"


@pytest.mark.parametrize("left", [b"torn", response_record(PAGE), response_record(PAGE)[:-9]])
def test_what_a_crash_left_is_cut_off(tmp_path: Path, left: bytes) -> None:
    keep(tmp_path, PAGE)
    file = tmp_path / "00001.warc.gz"
    whole = file.read_bytes()
    file.write_bytes(whole + left)
    with closing(open_to_read(tmp_path / "crawl.db")) as db:
        assert WarcPageStore(tmp_path, db).repair() == len(left)
    assert file.read_bytes() == whole


def test_pages_survive_the_loss_of_crawl_db(tmp_path: Path) -> None:
    keep(tmp_path, PAGE)
    whole = (tmp_path / "00001.warc.gz").read_bytes()
    for path in tmp_path.glob("crawl.db*"):
        path.unlink()
    SqliteFrontier(tmp_path / "crawl.db").close()
    with (
        closing(open_to_read(tmp_path / "crawl.db")) as db,
        closing(WarcPageStore(tmp_path, db)) as store,
    ):
        assert store.repair() == 0
        assert store.append([(PAGE, b"")])[0].file == "00002.warc.gz"
    assert (tmp_path / "00001.warc.gz").read_bytes() == whole


# Pages that are not as they were written.

PAGES = [replace(PAGE, url=Url(f"http://{host}.org/"), body=host.encode() * 99) for host in "abc"]


@contextmanager
def opened(folder: Path) -> Iterator[WarcPageStore]:
    with (
        closing(open_to_read(folder / "crawl.db")) as db,
        closing(WarcPageStore(folder, db)) as store,
    ):
        yield store


def place_of(folder: Path, id: int) -> tuple[int, int]:
    with closing(open_to_read(folder / "crawl.db")) as db:
        offset, length = db.execute(
            "select offset, length from page_version where url_id = ?", [id]
        ).fetchone()
    return offset, length


def spoil(folder: Path, id: int, record: Callable[[bytes], bytes]) -> None:
    """Change the bytes of a page that is kept, and none of the others."""
    offset, length = place_of(folder, id)
    file = folder / "00001.warc.gz"
    whole = file.read_bytes()
    changed = record(whole[offset : offset + length])
    assert len(changed) == length
    file.write_bytes(whole[:offset] + changed + whole[offset + length :])


def overwritten(record: bytes) -> bytes:
    return record[:40] + bytes(16) + record[56:]


def flipped(record: bytes) -> bytes:
    """One bit of the body is another, where only the checksum can tell."""
    place = record.index(b"bbb") + 1
    return record[:place] + b"c" + record[place + 1 :]


def another(record: bytes) -> bytes:
    """A sound file of another kind."""
    return gzip.compress(b"no page", 0).ljust(len(record), b"\0")


@pytest.mark.parametrize("change", [overwritten, flipped, another])
def test_a_damaged_page_is_told_from_the_others(
    tmp_path: Path, change: Callable[[bytes], bytes]
) -> None:
    # What came compressed is stored as it is.
    pages = [replace(page, headers=(("Content-Encoding", "br"),)) for page in PAGES]
    keep(tmp_path, *pages)
    spoil(tmp_path, 2, change)
    offset, _ = place_of(tmp_path, 2)
    why = Reason("record_changed", offset=offset)
    with opened(tmp_path) as store:
        found = [page for _, _, page in store.changes_since(0)]
        file = tmp_path / "00001.warc.gz"
        lost = Reason("page_unreadable", file="00001.warc.gz", cause=why)
        assert found[1] == UnreadablePage(UrlId(2), str(file), lost)
        assert [one.url for one in found if isinstance(one, Page)] == [PAGES[0].url, PAGES[2].url]
        with pytest.raises(DamagedPageError) as error:
            store.get(UrlId(2))
    assert (error.value.file, error.value.reason) == (str(file), why)
    assert text(why) in str(error.value)


@pytest.mark.parametrize("left", [0, 1, 50, 100, 300, 400])
def test_a_file_that_was_cut_off_is_said_to_be(tmp_path: Path, left: int) -> None:
    keep(tmp_path, *PAGES)
    file = tmp_path / "00001.warc.gz"
    file.write_bytes(file.read_bytes()[:left])
    with opened(tmp_path) as store:
        lost = [one for _, _, one in store.changes_since(0) if isinstance(one, UnreadablePage)]
        assert [one.id for one in lost][-2:] == [2, 3]
        assert all(one.reason.params["cause"].code == "record_cut_off" for one in lost)  # type: ignore[attr-defined]
        with pytest.raises(
            DataError, match=r"is truncated at byte \d+\. Run `byway index --rebuild`"
        ):
            store.get(UrlId(3))


def test_a_disk_that_fails_is_named(tmp_path: Path) -> None:
    keep(tmp_path, PAGE)
    file = tmp_path / "00001.warc.gz"
    file.unlink()
    file.symlink_to("/proc/self/mem")  # where there is nothing at address 0 that could be read
    with opened(tmp_path) as store:
        (lost,) = [one for _, _, one in store.changes_since(0)]
    assert isinstance(lost, UnreadablePage)
    assert lost.reason == Reason(
        "page_unreadable", file="00001.warc.gz", cause=Reason("disk_failing")
    )


def test_what_could_be_put_right_is_no_damage(tmp_path: Path) -> None:
    keep(tmp_path, PAGE)
    file = tmp_path / "00001.warc.gz"
    file.unlink()
    file.mkdir()
    with opened(tmp_path) as store, pytest.raises(DataError, match=r"^Cannot read .*: Is a dir"):
        list(store.changes_since(0))


def test_a_file_that_is_missing_is_said_to_be(tmp_path: Path) -> None:
    keep(tmp_path, PAGE)
    (tmp_path / "00001.warc.gz").unlink()
    with opened(tmp_path) as store:
        assert [one and type(one) for _, _, one in store.changes_since(0)] == [UnreadablePage]
        with pytest.raises(DataError, match=r"00001\.warc\.gz is missing\. Run `byway index"):
            store.get(UrlId(1))


@pytest.mark.parametrize("left", [0, 100])
def test_nothing_is_put_where_crawl_db_looks_for_pages_that_were_cut_off(
    tmp_path: Path, left: int
) -> None:
    keep(tmp_path, *PAGES)
    file = tmp_path / "00001.warc.gz"
    file.write_bytes(file.read_bytes()[:left])
    with opened(tmp_path) as store:
        store.repair()
        assert store.append([(PAGE, b"new")])[0].file == "00002.warc.gz"
    assert file.stat().st_size == left


def test_content_that_cannot_be_read_is_stored_anew(tmp_path: Path) -> None:
    keep(tmp_path, *PAGES)
    spoil(tmp_path, 2, overwritten)
    with opened(tmp_path) as store:
        whole, anew = store.append([(page, page.body) for page in PAGES[:2]])
    assert whole.body_location and anew.body_location is None


def test_a_damaged_version_is_of_no_account_where_there_is_a_newer_one(tmp_path: Path) -> None:
    keep(tmp_path, *PAGES)
    spoil(tmp_path, 2, overwritten)
    frontier = SqliteFrontier(tmp_path / "crawl.db")
    with opened(tmp_path) as store, closing(frontier):
        frontier.requeue_unreadable(
            [UnreadablePage(UrlId(2), "00001.warc.gz", Reason("file_missing"))]
        )
        (visit,) = frontier.lease(10, now=1e9)
        page = replace(PAGES[1], body=b"new")
        (place,) = store.append([(page, page.body)])
        frontier.finish(
            [Outcome(visit, UrlState.KEPT, page=page, location=place, digest=page.body)]
        )
        found = [
            (id, one and one.body)
            for _, id, one in store.changes_since(0)
            if not isinstance(one, UnreadablePage)
        ]
        assert found == [(1, b"a" * 99), (3, b"c" * 99), (2, b"new")]
        assert store.previous_version(UrlId(2)) is None
        assert [page.body for _, page in store.versions(UrlId(2), 5)] == [b"new"]
