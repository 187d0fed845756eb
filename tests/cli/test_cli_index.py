"""Damaged archives: a damaged page costs only that page, and a crawl fetches it again."""

import json
import re
import shutil
from contextlib import closing
from pathlib import Path

import pytest
from cli.conftest import LOOPBACK_NETWORK, CrawledSite
from cli.runner import byway, error_line

from byway.storage.sqlite.crawl_db.schema import open_to_read
from byway.storage.sqlite.documents import open_documents_to_write


@pytest.fixture
def data(crawled_site: CrawledSite, tmp_path: Path) -> Path:
    """A copy of the ten pages, to be damaged."""
    return shutil.copytree(crawled_site.data, tmp_path / "data")


ALL_READ = {"indexed": 10, "shards": 1, "unreadable": 0, "indexer_pid": None, "is_complete": True}


def overwrite_page(data: Path, sequence: int) -> str:
    """Put 16 bytes of nothing into a page that is kept; return its URL."""
    with closing(open_to_read(data / "crawl.db")) as db:
        asked = "select offset, url from page_version join url on id = url_id where sequence = ?"
        offset, url = db.execute(asked, [sequence]).fetchone()
    with (data / "pages" / "00001.warc.gz").open("r+b") as file:
        file.seek(offset + 200)
        file.write(bytes(16))
    return str(url)


def standing(data: Path) -> tuple[int, int, int]:
    """Pages kept, pages that can be found, URLs of kept pages that wait to be fetched anew."""
    said = json.loads(byway("status", "--json", "--data", data).stdout)
    with closing(open_to_read(data / "crawl.db")) as db:
        waiting = "select count(*) from url where state = 'queued' and reason = 'page_unreadable'"
        return said["pages"], said["indexed"], db.execute(waiting).fetchone()[0]


def crawl(data: Path, *also: object) -> str:
    ran = byway(
        "crawl",
        "--pages",
        10,
        "--delay",
        0,
        "--allow-private",
        LOOPBACK_NETWORK,
        "--data",
        data,
        *also,
    )
    assert ran.exit_code == 0, ran
    return ran.stdout + ran.stderr


def test_one_damaged_page_costs_one_page_and_a_crawl_fetches_it_again(data: Path) -> None:
    url = overwrite_page(data, 4)
    ran = byway("index", "--rebuild", "--data", data)
    assert (ran.exit_code, ran.stdout) == (0, "9 documents indexed\n")
    assert ran.stderr == (
        f"1 page could not be read from {data}/pages/00001.warc.gz. "
        f"`byway crawl --data {data}` fetches it again.\n"
    )
    assert standing(data) == (9, 9, 1)
    assert (
        "was stored, but 00001.warc.gz is damaged"
        in byway("explain", "x", url, "--data", data).stdout
    )
    assert "1 page fetched in this run, 10 kept in total" in crawl(data)
    assert byway("index", "--data", data).stdout == "1 document indexed\n"
    assert standing(data) == (10, 10, 0)
    again = byway("index", "--rebuild", "--json", "--data", data)
    assert (json.loads(again.stdout), again.stderr) == (ALL_READ, "")


@pytest.mark.parametrize("also", [(), ("--recrawl-all",)])
def test_a_crawl_goes_on_beside_a_damaged_page(data: Path, also: tuple[str, ...]) -> None:
    overwrite_page(data, 4)
    for path in data.glob("documents.db*"):
        path.unlink()
    shutil.rmtree(data / "index")
    open_documents_to_write(
        data / "documents.db"
    ).close()  # and whoever makes them anew is killed here
    said = crawl(data, *also)
    assert f"1 page could not be read from {data}/pages/00001.warc.gz and is queued again" in said
    assert "1 page fetched in this run, 10 kept in total" in said
    assert byway("index", "--data", data).exit_code == 0
    assert standing(data) == (10, 10, 0)


@pytest.mark.parametrize("left", [100, 5000])
def test_truncated_pages_are_fetched_again(data: Path, left: int) -> None:
    with (data / "pages" / "00001.warc.gz").open("r+b") as file:
        file.truncate(left)
    ran = byway("index", "--rebuild", "--data", data)
    assert ran.exit_code == 0 and "fetches them again" in ran.stderr, ran
    kept, findable, waiting = standing(data)
    assert kept == findable == 10 - waiting < 10
    crawl(data)
    assert byway("index", "--data", data).exit_code == 0
    assert standing(data) == (10, 10, 0)


def test_a_page_that_cannot_be_shown_is_named_with_the_cure(data: Path) -> None:
    url = overwrite_page(data, 4)
    says = error_line("extract", "--stored", url, "--data", data, exit_code=1)
    assert re.search(r"is damaged at byte \d+\. Run `byway index --rebuild` to skip the page", says)


def test_a_lost_document_store_is_named_with_the_cure(data: Path) -> None:
    for path in data.glob("documents.db*"):
        path.unlink()
    says = error_line("search", "guide", "--data", data, exit_code=1)
    assert says.startswith(f"{data}/documents.db is missing. Run `byway index` to rebuild it")
    assert byway("index", "--data", data).exit_code == 0
    assert byway("search", "guide", "--data", data).exit_code == 0


@pytest.mark.parametrize("rebuilt", [False, True])
@pytest.mark.parametrize("lost", [("index*",), ("index*", "documents*")])
def test_a_deleted_index_is_rebuilt(data: Path, rebuilt: bool, lost: tuple[str, ...]) -> None:
    if rebuilt:
        assert byway("index", "--rebuild", "--data", data).exit_code == 0
    for path in (path for name in lost for path in data.glob(name)):
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    ran = byway("index", "--data", data)
    assert (ran.exit_code, ran.stdout, ran.stderr) == (0, "10 documents indexed\n", "")
    assert standing(data) == (10, 10, 0)
    assert byway("search", "guide", "--data", data).exit_code == 0


def test_the_index_is_kept_where_pages_may_not_be_read(data: Path) -> None:
    (data / "pages" / "00002.warc.gz").mkdir()
    says = error_line("index", "--rebuild", "--data", data, exit_code=1)
    assert says == f"Cannot read {data}/pages/00002.warc.gz: Is a directory."
    assert standing(data) == (10, 10, 0)


def test_the_index_is_kept_where_no_page_is_left(data: Path) -> None:
    (data / "pages" / "00001.warc.gz").rename(data / "elsewhere")
    says = error_line("index", "--rebuild", "--data", data, exit_code=1)
    assert says.startswith(f"The pages in {data}/pages are missing. Restore them from a backup, ")
    assert standing(data) == (10, 10, 0)
