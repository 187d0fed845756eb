"""What is particular to pages in WARC files: other readers, crashes, and a lost crawl.db."""

import io
from contextlib import closing
from pathlib import Path

import pytest
from warcio.archiveiterator import ArchiveIterator

from byway.backends.embedded.database import open_to_read
from byway.backends.embedded.frontier import SqliteFrontier
from byway.backends.embedded.pages import WarcPages, warc_record
from byway.model import Found, Outcome, Page, State, Url, UrlId

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
    frontier.add([Found(page.url, seed=True) for page in pages])
    with closing(open_to_read(folder / "crawl.db")) as db, closing(WarcPages(folder, db)) as store:
        store.repair()
        visits = frontier.lease(10, now=1e9)
        places = store.append([(page, page.body) for page in pages])
        for visit, page, place in zip(visits, pages, places, strict=True):
            kept = Outcome(visit, State.KEPT, page=page, place=place, digest=page.body)
            frontier.finish([kept])
    frontier.close()


def test_another_warc_reader_finds_the_same() -> None:
    record = next(iter(ArchiveIterator(io.BytesIO(warc_record(PAGE)), check_digests="raise")))
    assert record.rec_type == "response"
    assert record.rec_headers.get_header("WARC-Target-URI") == "http://a.org/"
    assert record.http_headers.get_header("content-type") == "text/html"
    assert record.http_headers.get_header("transfer-encoding") is None
    assert record.content_stream().read() == b"<p>hello"


@pytest.mark.parametrize("left", [b"torn", warc_record(PAGE), warc_record(PAGE)[:-9]])
def test_what_a_crash_left_is_cut_off(tmp_path: Path, left: bytes) -> None:
    keep(tmp_path, PAGE)
    file = tmp_path / "00001.warc.gz"
    whole = file.read_bytes()
    file.write_bytes(whole + left)
    with closing(open_to_read(tmp_path / "crawl.db")) as db:
        assert WarcPages(tmp_path, db).repair() == len(left)
    assert file.read_bytes() == whole


def test_pages_survive_the_loss_of_crawl_db(tmp_path: Path) -> None:
    keep(tmp_path, PAGE)
    whole = (tmp_path / "00001.warc.gz").read_bytes()
    for path in tmp_path.glob("crawl.db*"):
        path.unlink()
    SqliteFrontier(tmp_path / "crawl.db").close()
    with (
        closing(open_to_read(tmp_path / "crawl.db")) as db,
        closing(WarcPages(tmp_path, db)) as store,
    ):
        assert store.repair() == 0
        assert store.append([(PAGE, b"")])[0].file == "00002.warc.gz"
    assert (tmp_path / "00001.warc.gz").read_bytes() == whole
