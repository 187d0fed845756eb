"""Crawl statistics, read from crawl.db without blocking its writer.

Long tables are sampled in short, evenly spaced runs of rows. Five million URLs take little longer
than a few hundred thousand, and results are reproducible.
"""

import sqlite3
from collections.abc import Iterator

from byway.core.errors import DataError
from byway.core.model import UrlId, UrlState
from byway.core.model.crawl_report import PageFetch, UrlOutcome
from byway.storage.sqlite.crawl_db.schema import load_reason
from byway.storage.warc.page_store import WarcPageStore

ROWS_PER_RUN = 20
"""Adjacent rows per run; about as many as fit on a database page."""

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
# The inner query limits the URL lookups; ten times as many, since a page may have many versions.
SELECT_LARGEST_PAGES = """
select url, max(top.length) as most
from (select url_id, length from page_version order by length desc limit 10 * :limit) as top
join url on url.id = top.url_id group by top.url_id order by most desc, url limit :limit
"""
SELECT_LAST_URL_ID = "select coalesce(max(id), 0) from url"
SELECT_LAST_SEQUENCE = "select coalesce(max(sequence), 0) from page_version"
SELECT_PAGE_AT = "select url_id from page_version where sequence >= ? order by sequence limit 1"
COUNT_RETRIES = "select count(*) from url where retry_at is not null"


class SqliteCrawlStatistics:
    """The crawl statistics of crawl.db and its WARC files."""

    def __init__(self, db: sqlite3.Connection, pages: WarcPageStore) -> None:
        self._db = db
        self._pages = pages

    def url_outcomes(self, limit: int) -> Iterator[UrlOutcome]:
        for first, last in sample_ranges(self._db.execute(SELECT_LAST_URL_ID).fetchone()[0], limit):
            for host, state, url, *reason in self._db.execute(SELECT_URL_OUTCOMES, (first, last)):
                yield UrlOutcome(host, UrlState(state), load_reason(*reason), url)

    def page_fetches(self, limit: int) -> Iterator[PageFetch]:
        for first, last in sample_ranges(
            self._db.execute(SELECT_LAST_SEQUENCE).fetchone()[0], limit
        ):
            for row in self._db.execute(SELECT_PAGE_FETCHES, (first, last)):
                yield PageFetch(*row)

    def content_types(self, limit: int) -> Iterator[str]:
        last = self._db.execute(SELECT_LAST_SEQUENCE).fetchone()[0]
        for n in range(min(last, limit)):
            row = self._db.execute(SELECT_PAGE_AT, (n * last // min(last, limit) + 1,)).fetchone()
            try:
                page = self._pages.get(UrlId(row[0])) if row else None
            except DataError:
                page = None
            yield page.content_type if page else ""

    def largest_pages(self, limit: int) -> list[tuple[str, int]]:
        return self._db.execute(SELECT_LARGEST_PAGES, {"limit": limit}).fetchall()

    def page_count(self) -> int:
        return self._select_int(COUNT_PAGES)

    def retry_count(self) -> int:
        return self._select_int(COUNT_RETRIES)

    def stored_bytes(self) -> int:
        return self._pages.stored_bytes()

    def _select_int(self, sql: str) -> int:
        return int(self._db.execute(sql).fetchone()[0])


def sample_ranges(last: int, limit: int) -> Iterator[tuple[int, int]]:
    """Ranges of ids from 1 to `last` to read: all, or short runs with about `limit` ids."""
    if last <= limit:
        yield 1, last
        return
    count = max(1, limit // ROWS_PER_RUN)
    for n in range(count):
        first = n * last // count + 1
        yield first, first + ROWS_PER_RUN - 1
