"""What has the crawl done? Questions to crawl.db that read it and never hold up who writes it.

Tables that are too long to be read whole are sampled: short runs of rows at even distances. So
five million URLs take little longer than a few hundred thousand, and what is asked twice is
answered twice alike.
"""

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple

from byway.core.errors import DataError
from byway.core.model import State, UrlId
from byway.storage.sqlite.crawl_db.schema import open_to_read
from byway.storage.sqlite.crawl_db.url_queries import counts
from byway.storage.warc.page_store import WarcPages

RUN = 20
"""Rows of a sample that lie side by side: one page of the file holds about as many."""

FATES = """
select host.name, url.state, coalesce(substr(url.reason, 1, 500), ''), url.url
from url join host on host.id = url.host where url.id between ? and ?
"""
ARRIVALS = """
select host.name, page.fetched_at, page.length
from page join url on url.id = page.url join host on host.id = url.host
where page.sequence between ? and ? and page.file is not null
"""
# A page without a file says that there is no more of it.
PAGES = "select count(*) from page where file is not null"
# The inner query picks the few before their URLs are looked up; a page may be there in versions.
LARGEST = """
select url.url, max(top.length) as most
from (select url, length from page order by length desc limit 10 * :limit) as top
join url on url.id = top.url group by top.url order by most desc, url.url limit :limit
"""
LAST_URL = "select coalesce(max(id), 0) from url"
LAST_PAGE = "select coalesce(max(sequence), 0) from page"
PAGE_AT = "select url from page where sequence >= ? order by sequence limit 1"
SEEDS = "select url from url where seed = 1 order by id limit ?"
TO_TRY_AGAIN = "select count(*) from url where due is not null"


class Fate(NamedTuple):
    """What became of one URL."""

    host: str
    state: State
    reason: str
    url: str


class Arrival(NamedTuple):
    """A page came: from where, when, and how many bytes it takes on disk."""

    host: str
    at: float
    bytes: int


@contextmanager
def snapshot(path: Path) -> Iterator[sqlite3.Connection]:
    """crawl.db as it is at this moment, however much is written to it meanwhile."""
    with closing(open_to_read(path)) as db:
        db.execute("begin")
        yield db


def states(db: sqlite3.Connection) -> Mapping[State, int]:
    """How many URLs are in each state, exactly."""
    return counts(db)


def fates(db: sqlite3.Connection, most: int) -> Iterator[Fate]:
    """What became of each URL, or of about `most` of them when there are more."""
    for first, last in runs(db.execute(LAST_URL).fetchone()[0], most):
        for host, state, reason, url in db.execute(FATES, (first, last)):
            yield Fate(host, State(state), reason, url)


def arrivals(db: sqlite3.Connection, most: int) -> Iterator[Arrival]:
    """Each page that came, or about `most` of them when there are more."""
    for first, last in runs(db.execute(LAST_PAGE).fetchone()[0], most):
        for row in db.execute(ARRIVALS, (first, last)):
            yield Arrival(*row)


def runs(last: int, most: int) -> Iterator[tuple[int, int]]:
    """Which numbers from 1 to `last` to read: all, or short runs that hold about `most`."""
    if last <= most:
        yield 1, last
        return
    count = max(1, most // RUN)
    for n in range(count):
        first = n * last // count + 1
        yield first, first + RUN - 1


def content_types(db: sqlite3.Connection, folder: Path, most: int) -> Iterator[str]:
    """What pages say they are, read from `most` of them; nothing for one that cannot be read."""
    pages = WarcPages(folder, db)
    last = db.execute(LAST_PAGE).fetchone()[0]
    for n in range(min(last, most)):
        row = db.execute(PAGE_AT, (n * last // min(last, most) + 1,)).fetchone()
        try:
            page = pages.get(UrlId(row[0])) if row else None
        except DataError:
            page = None
        yield page.content_type if page else ""


def largest(db: sqlite3.Connection, limit: int) -> list[tuple[str, int]]:
    """The pages that take the most bytes on disk, largest first."""
    return db.execute(LARGEST, {"limit": limit}).fetchall()


def first_seeds(db: sqlite3.Connection, limit: int) -> list[str]:
    """The first few URLs that people named."""
    return [url for (url,) in db.execute(SEEDS, (limit,))]


def page_count(db: sqlite3.Connection) -> int:
    """How many versions of pages there are."""
    return _number(db, PAGES)


def host_count(db: sqlite3.Connection) -> int:
    """How many hosts we have heard of."""
    return _number(db, "select count(*) from host")


def to_try_again(db: sqlite3.Connection) -> int:
    """How many URLs that failed have a time to come back."""
    return _number(db, TO_TRY_AGAIN)


def _number(db: sqlite3.Connection, sql: str) -> int:
    return int(db.execute(sql).fetchone()[0])
