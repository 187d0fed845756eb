"""Crawl statistics, read from crawl.db without blocking its writer.

Long tables are sampled: short runs of rows at regular intervals. So five million URLs take little
longer than a few hundred thousand, and results are reproducible.
"""

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple

from byway.core.errors import DataError
from byway.core.model import UrlId, UrlState
from byway.core.model.message import Reason
from byway.storage.sqlite.crawl_db.reason_columns import load_reason
from byway.storage.sqlite.crawl_db.schema import open_to_read
from byway.storage.sqlite.crawl_db.url_queries import state_counts
from byway.storage.warc.page_store import WarcPageStore

ROWS_PER_RUN = 20
"""Adjacent rows per sample; one database page holds about as many."""

SELECT_URL_OUTCOMES = """
select host.name, state, url, reason, reason_params, redirect_target
from url join host on host.id = url.host_id where url.id between ? and ?
"""
SELECT_PAGE_FETCHES = """
select host.name, fetched_at, length
from page_version join url on url.id = page_version.url_id join host on host.id = url.host_id
where sequence between ? and ? and file is not null
"""
# A page version without a file is a tombstone.
COUNT_PAGES = "select count(*) from page_version where file is not null"
# The inner query limits the URL lookups; ten times as many, as a page may have several versions.
SELECT_LARGEST_PAGES = """
select url, max(top.length) as most
from (select url_id, length from page_version order by length desc limit 10 * :limit) as top
join url on url.id = top.url_id group by top.url_id order by most desc, url limit :limit
"""
SELECT_LAST_URL_ID = "select coalesce(max(id), 0) from url"
SELECT_LAST_SEQUENCE = "select coalesce(max(sequence), 0) from page_version"
SELECT_PAGE_AT = "select url_id from page_version where sequence >= ? order by sequence limit 1"
SELECT_SEEDS = "select url from url where is_seed = 1 order by id limit ?"
COUNT_RETRIES = "select count(*) from url where retry_at is not null"


class UrlOutcome(NamedTuple):
    """The state of one URL and its reason."""

    host: str
    state: UrlState
    reason: Reason
    url: str


class PageFetch(NamedTuple):
    """A stored fetch: host, time, and bytes on disk."""

    host: str
    fetched_at: float
    stored_bytes: int


@contextmanager
def snapshot(path: Path) -> Iterator[sqlite3.Connection]:
    """A consistent read-only snapshot of crawl.db, while it is being written."""
    with closing(open_to_read(path)) as db:
        db.execute("begin")
        yield db


def urls_by_state(db: sqlite3.Connection) -> Mapping[UrlState, int]:
    """Exact number of URLs in each state."""
    return state_counts(db)


def url_outcomes(db: sqlite3.Connection, limit: int) -> Iterator[UrlOutcome]:
    """The outcome of each URL, or of a sample of about `limit`."""
    for first, last in sample_ranges(db.execute(SELECT_LAST_URL_ID).fetchone()[0], limit):
        for host, state, url, *reason in db.execute(SELECT_URL_OUTCOMES, (first, last)):
            yield UrlOutcome(host, UrlState(state), load_reason(*reason), url)


def page_fetches(db: sqlite3.Connection, limit: int) -> Iterator[PageFetch]:
    """Every stored fetch, or a sample of about `limit`."""
    for first, last in sample_ranges(db.execute(SELECT_LAST_SEQUENCE).fetchone()[0], limit):
        for row in db.execute(SELECT_PAGE_FETCHES, (first, last)):
            yield PageFetch(*row)


def sample_ranges(last: int, limit: int) -> Iterator[tuple[int, int]]:
    """Ranges of ids from 1 to `last` to read: all, or short runs with about `limit` ids."""
    if last <= limit:
        yield 1, last
        return
    count = max(1, limit // ROWS_PER_RUN)
    for n in range(count):
        first = n * last // count + 1
        yield first, first + ROWS_PER_RUN - 1


def content_types(db: sqlite3.Connection, folder: Path, limit: int) -> Iterator[str]:
    """Content types of a sample of `limit` pages; empty for a page that cannot be read."""
    pages = WarcPageStore(folder, db)
    last = db.execute(SELECT_LAST_SEQUENCE).fetchone()[0]
    for n in range(min(last, limit)):
        row = db.execute(SELECT_PAGE_AT, (n * last // min(last, limit) + 1,)).fetchone()
        try:
            page = pages.get(UrlId(row[0])) if row else None
        except DataError:
            page = None
        yield page.content_type if page else ""


def largest_pages(db: sqlite3.Connection, limit: int) -> list[tuple[str, int]]:
    """The pages that take the most bytes on disk, largest first."""
    return db.execute(SELECT_LARGEST_PAGES, {"limit": limit}).fetchall()


def first_seeds(db: sqlite3.Connection, limit: int) -> list[str]:
    """The first few seeds."""
    return [url for (url,) in db.execute(SELECT_SEEDS, (limit,))]


def page_count(db: sqlite3.Connection) -> int:
    """Number of page versions."""
    return _select_int(db, COUNT_PAGES)


def host_count(db: sqlite3.Connection) -> int:
    """Number of known hosts."""
    return _select_int(db, "select count(*) from host")


def retry_count(db: sqlite3.Connection) -> int:
    """Number of failed URLs that are scheduled for a retry."""
    return _select_int(db, COUNT_RETRIES)


def _select_int(db: sqlite3.Connection, sql: str) -> int:
    return int(db.execute(sql).fetchone()[0])
