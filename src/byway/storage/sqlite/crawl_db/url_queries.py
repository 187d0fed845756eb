"""Read-only queries on crawl.db: URLs, hosts, jobs and failures."""

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
    UrlId,
    UrlRecord,
    UrlState,
    Visit,
)
from byway.core.model.message import Reason
from byway.core.url import url_hash
from byway.storage.sqlite.crawl_db.reason_columns import load_reason

SELECT_DUE_REVISITS = """
select url, id, depth, redirect_hops, 0, is_seed, 0,
    digest, etag, last_modified, revisit_interval, missing_count, checked_at,
    reason, reason_params, redirect_target
from url join revisit on revisit.url_id = url.id where revisit_at <= ? and state = 'kept'
order by id
"""
SELECT_QUEUE_LENGTHS = """
select name, count(*) as queued from url join host on host.id = url.host_id
where state = 'queued' group by host_id order by queued desc, name
"""
SELECT_HOSTS = """
with queue as (
    select host_id, count(*) as waiting from url where state = 'queued' group by host_id),
shown as (
    select id, name, crawl_delay, coalesce(waiting, 0) as waiting, url_count
    from host left join queue on queue.host_id = host.id where instr(name, ?)
    order by 4 desc, url_count desc, name limit ?)
select name, crawl_delay, waiting, sum(state = 'kept'),
    sum(state in ('unreachable', 'missing', 'extract_failed')), sum(state = 'paused')
from url join shown on shown.id = url.host_id where url.host_id in (select id from shown)
group by shown.id order by waiting desc, shown.url_count desc, name
"""
COUNT_FAILURE_REASONS = """
select reason, reason_params, redirect_target, count(*) from url
where state in ('unreachable', 'missing', 'extract_failed') group by 1, 2, 3
"""
RECORD_COLUMNS = """
url, id, depth, state, is_seed, attempts, retry_at, removed_site,
reason, reason_params, redirect_target
"""
SELECT_URL = f"""
select {RECORD_COLUMNS},
    (select max(fetched_at) from page_version where page_version.url_id = url.id)
from url where url_hash = ? and url = ?
"""
SELECT_NEXT_RETRY = "select url from url where retry_at <= ? order by retry_at limit 1"
SELECT_HOSTS_AWAITING_RETRY = """
select name from host where id in (select host_id from url where retry_at is not null)
order by name
"""
SELECT_QUEUED_RETRY = """
select url from (select url, reason from url where state = 'queued'
    order by host_id, priority, id limit 1000) where reason is not null limit 1
"""
"""Limited to 1000 rows: a long queue is not scanned while a crawl waits."""
SELECT_UNFINISHED_SEEDS = """
select url from url as seed where is_seed = 1 and state <> 'removed'
and (?1 = '' or job_id = (select id from job where name = ?1))
and exists (select 1 from url where host_id = seed.host_id and state = 'queued') order by id
"""
SELECT_ROBOTS = "select fetched_at, status, body from robots_txt where host_name = ?"
SELECT_URLS_BY_DIGEST = """
select url from page_version join url on url.id = page_version.url_id
where digest_prefix = ? and digest = ? and state in ('kept', 'queued') limit 10
"""
COUNT_JOB_STATES = """
select state, count(*) from url where job_id = ? and state in ('kept', 'queued') group by state
"""
COUNT_JOB_PAGES = """
select count(*) from revisit join url on url.id = revisit.url_id
where job_id = ? and state in ('kept', 'queued')
"""


def find_url(db: sqlite3.Connection, url: Url) -> UrlRecord | None:
    """The record of this URL; None if it is unknown."""
    row = db.execute(SELECT_URL, (url_hash(url), url)).fetchone()
    if row is None:
        return None
    return record_from_row(row)


def record_from_row(row: tuple[Any, ...]) -> UrlRecord:
    """The record in a row of `RECORD_COLUMNS`, optionally followed by `fetched_at`."""
    url, id, depth, state, seed, attempts, retry_at, removed_site, *reason = row[:11]
    redirected = state == UrlState.REDIRECTED
    return UrlRecord(
        url=Url(url),
        id=UrlId(id),
        depth=depth,
        state=UrlState(state),
        reason=load_reason(*reason),
        seed=bool(seed),
        attempts=attempts,
        retry_at=retry_at,
        fetched_at=row[11] if len(row) > 11 else None,
        redirect_target=Url(reason[2]) if redirected and reason[2] else None,
        removed_site=removed_site,
    )


def next_retry(db: sqlite3.Connection, by: float) -> UrlRecord | None:
    """A failed URL that is due for a retry by that time, or is queued again; else None."""
    row = (
        db.execute(SELECT_NEXT_RETRY, (by,)).fetchone()
        or db.execute(SELECT_QUEUED_RETRY).fetchone()
    )
    return find_url(db, Url(row[0])) if row else None


def hosts_awaiting_retry(db: sqlite3.Connection) -> list[str]:
    """The distinct hosts of URLs that await a retry."""
    return [name for (name,) in db.execute(SELECT_HOSTS_AWAITING_RETRY)]


def due_revisits(db: sqlite3.Connection, now: float) -> list[Visit]:
    """The kept pages that are due for a revisit."""
    return [visit_from_row(row, {0: ""}) for row in db.execute(SELECT_DUE_REVISITS, (now,))]


def next_revisit_at(db: sqlite3.Connection) -> float | None:
    """When the next revisit is due; None if there is none."""
    due: float | None = db.execute("select min(revisit_at) from revisit").fetchone()[0]
    return due


def traps(db: sqlite3.Connection) -> list[tuple[object, ...]]:
    """The rows of URL patterns (`PatternRow`)."""
    return db.execute("select * from url_pattern").fetchall()


def robots(db: sqlite3.Connection, host: str) -> RobotsFile | None:
    """The stored robots.txt of a host."""
    row = db.execute(SELECT_ROBOTS, (host,)).fetchone()
    return RobotsFile(*row) if row else None


def urls_with_digest(db: sqlite3.Connection, digest: bytes) -> list[Url]:
    """Up to ten URLs of stored pages with this content."""
    digest_prefix = int.from_bytes(digest[:8], signed=True)
    return [Url(url) for (url,) in db.execute(SELECT_URLS_BY_DIGEST, (digest_prefix, digest))]


def queue_lengths(db: sqlite3.Connection) -> list[tuple[str, int]]:
    """Hosts with their number of queued URLs, longest queue first."""
    return db.execute(SELECT_QUEUE_LENGTHS).fetchall()


def hosts(db: sqlite3.Connection, limit: int, name_contains: str = "") -> list[HostRecord]:
    """State counts of each host, longest queue first; scans the whole URL table.

    `name_contains`: only hosts with this in their name.
    """
    return [HostRecord(*row) for row in db.execute(SELECT_HOSTS, (name_contains, limit))]


def host_count(db: sqlite3.Connection, name_contains: str = "") -> int:
    """Number of known hosts with this in their name."""
    found = db.execute("select count(*) from host where instr(name, ?)", (name_contains,))
    return int(found.fetchone()[0])


def failure_reasons(db: sqlite3.Connection) -> Counter[Reason]:
    """Why URLs failed, with counts."""
    rows = db.execute(COUNT_FAILURE_REASONS)
    unknown = Reason("other")
    return Counter({load_reason(*columns) or unknown: count for *columns, count in rows})


def state_counts(db: sqlite3.Connection) -> Mapping[UrlState, int]:
    """Number of URLs in each state, without empty states."""
    rows = db.execute("select state, url_count from state_count where url_count > 0")
    return {UrlState(state): urls for state, urls in rows}


def seeds(db: sqlite3.Connection) -> list[Url]:
    """The seeds, and what they redirected to, in the order they were added."""
    return [Url(url) for (url,) in db.execute("select url from url where is_seed = 1 order by id")]


def unfinished_seeds(db: sqlite3.Connection, job: str) -> list[Url]:
    """The seeds, of one job or of all, whose hosts have queued URLs."""
    return [Url(url) for (url,) in db.execute(SELECT_UNFINISHED_SEEDS, (job,))]


def jobs(db: sqlite3.Connection) -> list[Job]:
    """The jobs of the data folder, with seeds and page counts."""
    return [_job(db, *row) for row in job_rows(db)]


def job_rows(db: sqlite3.Connection) -> list[tuple[int, str, str]]:
    """Id, name and overrides of each job; the main job has no row in the table."""
    return [(0, "", "{}"), *db.execute("select id, name, overrides from job order by id")]


def _job(db: sqlite3.Connection, id: int, name: str, overrides: str) -> Job:
    states = dict(db.execute(COUNT_JOB_STATES, (id,)).fetchall())
    rows = db.execute("select url from url where is_seed = 1 and job_id = ? order by id", (id,))
    return Job(
        name,
        json.loads(overrides),
        tuple(Url(url) for (url,) in rows),
        db.execute(COUNT_JOB_PAGES, (id,)).fetchone()[0],
        states.get(UrlState.QUEUED, 0),
    )


def visit_from_row(row: tuple[Any, ...], jobs: Mapping[int, str]) -> Visit:
    """The visit in a row of the queue."""
    url, id, depth, redirect_hops, attempts, seed, job = row[:7]
    return Visit(
        url=url,
        id=id,
        depth=depth,
        redirect_hops=redirect_hops,
        attempts=attempts,
        seed=bool(seed),
        previous_fetch=_previous_fetch(*row[7:]) if row[7] else None,
        job=jobs[job],
    )


def _previous_fetch(
    digest: bytes,
    etag: str,
    last_modified: str,
    revisit_interval: float,
    missing_count: int,
    checked_at: float,
    *reason: str | None,
) -> PreviousFetch:
    return PreviousFetch(
        digest=digest,
        etag=etag,
        last_modified=last_modified,
        revisit_interval=revisit_interval,
        missing_count=missing_count,
        reason=load_reason(*reason),
        checked_at=checked_at,
    )
