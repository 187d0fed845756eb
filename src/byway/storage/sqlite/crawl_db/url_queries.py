"""What is known of URLs and crawls? All of this reads crawl.db, and none of it writes."""

import json
import sqlite3
from collections import Counter
from collections.abc import Mapping
from typing import Any

from byway.core.model import (
    HostRecord,
    Job,
    PreviousFetch,
    RobotsFile,
    Url,
    UrlRecord,
    UrlState,
    Visit,
)
from byway.core.url import url_hash

SELECT_DUE_REVISITS = """
select url.url, id, depth, hops, 0, seed, 0,
    digest, etag, modified, interval, missing, reason, checked_at
from url join latest on latest.url = url.id where again_at <= ? and state = 'kept' order by id
"""
SELECT_QUEUE_LENGTHS = """
select name, count(*) as urls from url join host on host.id = url.host
where state = 'queued' group by host order by urls desc, name
"""
SELECT_HOSTS = """
with queue as (select host, count(*) as waiting from url where state = 'queued' group by host),
shown as (
    select id, name, rest, coalesce(waiting, 0) as waiting, urls
    from host left join queue on queue.host = host.id where instr(name, ?)
    order by 4 desc, urls desc, name limit ?)
select name, rest, waiting, sum(state = 'kept'),
    sum(state in ('unreachable', 'missing', 'extract_failed')), sum(state = 'paused')
from url join shown on shown.id = url.host where url.host in (select id from shown)
group by shown.id order by waiting desc, shown.urls desc, name
"""
COUNT_FAILURE_REASONS = """
select coalesce(reason, state), count(*) from url
where state in ('unreachable', 'missing', 'extract_failed') group by 1
"""
SELECT_URL = """
select url, id, depth, state, coalesce(reason, ''), seed, tries, due,
    (select max(fetched_at) from page where page.url = url.id)
from url where hash = ? and url = ?
"""
SELECT_NEXT_RETRY = "select url from url where due <= ? order by due limit 1"
SELECT_HOSTS_AWAITING_RETRY = """
select name from host where id in (select host from url where due is not null) order by name
"""
SELECT_QUEUED_RETRY = """
select url from (select url, reason from url where state = 'queued'
    order by host, priority, id limit 1000) where reason is not null limit 1
"""
"""Of the first so many: a long queue is not looked through while a crawl waits."""
SELECT_UNFINISHED_SEEDS = """
select url from url as seed where seed = 1 and state <> 'removed'
and (?1 = '' or job = (select id from job where name = ?1))
and exists (select 1 from url where host = seed.host and state = 'queued') order by id
"""
SELECT_ROBOTS = "select fetched_at, status, body from robots where host = ?"
SELECT_URLS_BY_DIGEST = """
select url.url from page join url on url.id = page.url
where content = ? and digest = ? and state in ('kept', 'queued') limit 10
"""
COUNT_JOB_STATES = """
select state, count(*) from url where job = ? and state in ('kept', 'queued') group by state
"""
COUNT_JOB_PAGES = """
select count(*) from latest join url on url.id = latest.url
where job = ? and state in ('kept', 'queued')
"""


def find_url(db: sqlite3.Connection, url: Url) -> UrlRecord | None:
    """What became of this URL; None if we never heard of it."""
    row = db.execute(SELECT_URL, (url_hash(url), url)).fetchone()
    if row is None:
        return None
    url, id, depth, state, reason, seed, tries, due, fetched_at = row
    return UrlRecord(url, id, depth, UrlState(state), reason, bool(seed), tries, due, fetched_at)


def next_retry(db: sqlite3.Connection, by: float) -> UrlRecord | None:
    """A URL that failed before and is tried again by then, or waits for its host; if any."""
    row = (
        db.execute(SELECT_NEXT_RETRY, (by,)).fetchone()
        or db.execute(SELECT_QUEUED_RETRY).fetchone()
    )
    return find_url(db, Url(row[0])) if row else None


def hosts_awaiting_retry(db: sqlite3.Connection) -> list[str]:
    """The hosts of URLs that failed and are tried again, each once."""
    return [name for (name,) in db.execute(SELECT_HOSTS_AWAITING_RETRY)]


def due_revisits(db: sqlite3.Connection, now: float) -> list[Visit]:
    """The kept pages that should be seen again by now."""
    return [visit_from_row(row, {0: ""}) for row in db.execute(SELECT_DUE_REVISITS, (now,))]


def next_revisit_at(db: sqlite3.Connection) -> float | None:
    """When the first kept page should be seen again; None when there is none."""
    due: float | None = db.execute("select min(again_at) from latest").fetchone()[0]
    return due


def traps(db: sqlite3.Connection) -> list[tuple[object, ...]]:
    """What is known of traps."""
    return db.execute("select * from trap").fetchall()


def robots(db: sqlite3.Connection, host: str) -> RobotsFile | None:
    """The robots.txt of a host, as it last came."""
    row = db.execute(SELECT_ROBOTS, (host,)).fetchone()
    return RobotsFile(*row) if row else None


def urls_with_digest(db: sqlite3.Connection, digest: bytes) -> list[Url]:
    """Some of the URLs at which this very content was kept."""
    content = int.from_bytes(digest[:8], signed=True)
    return [Url(url) for (url,) in db.execute(SELECT_URLS_BY_DIGEST, (content, digest))]


def queue_lengths(db: sqlite3.Connection) -> list[tuple[str, int]]:
    """The hosts of which URLs wait, and how many, the longest queue first."""
    return db.execute(SELECT_QUEUE_LENGTHS).fetchall()


def hosts(db: sqlite3.Connection, limit: int, name_contains: str = "") -> list[HostRecord]:
    """How the URLs of each host stand, those with the longest queues first; looks at every URL.

    `name_contains`: of hosts alone with this in their name.
    """
    return [HostRecord(*row) for row in db.execute(SELECT_HOSTS, (name_contains, limit))]


def host_count(db: sqlite3.Connection, name_contains: str = "") -> int:
    """How many hosts are known, with this in their name."""
    found = db.execute("select count(*) from host where instr(name, ?)", (name_contains,))
    return int(found.fetchone()[0])


def failure_reasons(db: sqlite3.Connection) -> Counter[str]:
    """Why URLs that were asked for gave no page."""
    return Counter(dict(db.execute(COUNT_FAILURE_REASONS).fetchall()))


def state_counts(db: sqlite3.Connection) -> Mapping[UrlState, int]:
    """How many URLs are in each state; those in none are left out."""
    rows = db.execute("select state, urls from state_count where urls > 0")
    return {UrlState(state): urls for state, urls in rows}


def seeds(db: sqlite3.Connection) -> list[Url]:
    """The URLs people named, and where those redirected to, in the order they came."""
    return [Url(url) for (url,) in db.execute("select url from url where seed = 1 order by id")]


def unfinished_seeds(db: sqlite3.Connection, job: str) -> list[Url]:
    """The URLs people named on whose hosts something waits, of one job or of all."""
    return [Url(url) for (url,) in db.execute(SELECT_UNFINISHED_SEEDS, (job,))]


def jobs(db: sqlite3.Connection) -> list[Job]:
    """The crawls that share a folder, each with its seeds and how far it has come."""
    return [_job(db, *row) for row in job_rows(db)]


def job_rows(db: sqlite3.Connection) -> list[tuple[int, str, str]]:
    """Number, name and reach of each job; the main one is in no table."""
    return [(0, "", "{}"), *db.execute("select id, name, reach from job order by id")]


def _job(db: sqlite3.Connection, id: int, name: str, reach: str) -> Job:
    states = dict(db.execute(COUNT_JOB_STATES, (id,)).fetchall())
    rows = db.execute("select url from url where seed = 1 and job = ? order by id", (id,))
    return Job(
        name,
        json.loads(reach),
        tuple(Url(url) for (url,) in rows),
        db.execute(COUNT_JOB_PAGES, (id,)).fetchone()[0],
        states.get(UrlState.QUEUED, 0),
    )


def visit_from_row(row: tuple[Any, ...], jobs: Mapping[int, str]) -> Visit:
    """The visit in a row of the queue."""
    url, id, depth, hops, tries, seed, job, digest, *seen = row
    known = _known(digest, *seen) if digest else None
    return Visit(url, id, depth, hops, tries, bool(seed), known, jobs[job])


def _known(
    digest: bytes,
    etag: str,
    modified: str,
    interval: float,
    missing: int,
    reason: str | None,
    checked_at: float,
) -> PreviousFetch:
    return PreviousFetch(digest, etag, modified, interval, missing, reason or "", checked_at)
