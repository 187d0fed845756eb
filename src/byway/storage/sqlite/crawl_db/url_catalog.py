"""URL catalog: read-only queries on crawl.db about URLs, hosts, jobs, failures and removals."""

import json
import sqlite3
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from byway.core.messages import NO_REASON, Reason
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
from byway.core.url import url_hash
from byway.storage.removed_sites import removal_reason, removed_site_of
from byway.storage.sqlite.crawl_db import removal
from byway.storage.sqlite.crawl_db.schema import load_reason

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
"""This query reads at most 1000 rows, so that a waiting crawl does not scan a long queue."""
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


class SqliteUrlCatalog:
    """The URL catalog of crawl.db, on a read-only connection."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def find_url(self, url: Url) -> UrlRecord | None:
        row = self._db.execute(SELECT_URL, (url_hash(url), url)).fetchone()
        if row is None:
            return None
        return record_from_row(row)

    def next_retry(self, by: float) -> UrlRecord | None:
        row = (
            self._db.execute(SELECT_NEXT_RETRY, (by,)).fetchone()
            or self._db.execute(SELECT_QUEUED_RETRY).fetchone()
        )
        return self.find_url(Url(row[0])) if row else None

    def hosts_awaiting_retry(self) -> list[str]:
        return [name for (name,) in self._db.execute(SELECT_HOSTS_AWAITING_RETRY)]

    def due_revisits(self, by: float) -> list[Visit]:
        return [
            visit_from_row(row, {0: ""}) for row in self._db.execute(SELECT_DUE_REVISITS, (by,))
        ]

    def next_revisit_at(self) -> float | None:
        due: float | None = self._db.execute("select min(revisit_at) from revisit").fetchone()[0]
        return due

    def traps(self) -> list[tuple[object, ...]]:
        return self._db.execute("select * from url_pattern").fetchall()

    def robots(self, host: str) -> RobotsFile | None:
        row = self._db.execute(SELECT_ROBOTS, (host,)).fetchone()
        return RobotsFile(*row) if row else None

    def urls_with_digest(self, digest: bytes) -> list[Url]:
        digest_prefix = int.from_bytes(digest[:8], signed=True)
        return [
            Url(url) for (url,) in self._db.execute(SELECT_URLS_BY_DIGEST, (digest_prefix, digest))
        ]

    def queue_lengths(self) -> list[tuple[str, int]]:
        return self._db.execute(SELECT_QUEUE_LENGTHS).fetchall()

    def hosts(self, limit: int, name_contains: str = "") -> list[HostRecord]:
        """State counts of each host, longest queue first; scans the whole URL table.

        `name_contains`: only hosts whose name contains this.
        """
        return [HostRecord(*row) for row in self._db.execute(SELECT_HOSTS, (name_contains, limit))]

    def host_count(self, name_contains: str = "") -> int:
        found = self._db.execute("select count(*) from host where instr(name, ?)", (name_contains,))
        return int(found.fetchone()[0])

    def failure_reasons(self) -> Counter[Reason]:
        rows = self._db.execute(COUNT_FAILURE_REASONS)
        unknown = Reason("other")
        return Counter({load_reason(*columns) or unknown: count for *columns, count in rows})

    def state_counts(self) -> Mapping[UrlState, int]:
        rows = self._db.execute("select state, url_count from state_count where url_count > 0")
        return {UrlState(state): urls for state, urls in rows}

    def seeds(self) -> list[Url]:
        return [
            Url(url)
            for (url,) in self._db.execute("select url from url where is_seed = 1 order by id")
        ]

    def unfinished_seeds(self, job: str = "") -> list[Url]:
        return [Url(url) for (url,) in self._db.execute(SELECT_UNFINISHED_SEEDS, (job,))]

    def jobs(self) -> list[Job]:
        return [_job(self._db, *row) for row in job_rows(self._db)]

    def removal_reason(self, url: Url) -> Reason:
        record = self.find_url(url)
        if record is None:
            site = removed_site_of(self.removed_sites(), url)
            return removal_reason(site) if site else NO_REASON
        return record.reason if record.state is UrlState.REMOVED else NO_REASON

    def removed_sites(self) -> frozenset[str]:
        return frozenset(host for (host,) in self._db.execute("select host_name from removed_site"))

    def removed_pages(self, limit: int) -> tuple[list[Url], int]:
        return removal.removed_pages(self._db, limit)

    def count_removal_targets(
        self, urls: Sequence[Url], site: str = "", undo: bool = False
    ) -> tuple[int, int]:
        targets = removal.resolve_targets(self._db, urls, site, undo)
        return len(targets), sum(one.has_page for one in targets)

    def stored_files(self, urls: Sequence[Url], site: str = "") -> list[str]:
        return removal.stored_files(self._db, removal.resolve_targets(self._db, urls, site))


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
    url, id, depth, redirect_hops, attempts, seed, job, *fetch = row
    digest, etag, last_modified, interval, missing_count, checked_at, *reason = fetch
    previous_fetch = digest and PreviousFetch(
        digest, etag, last_modified, interval, missing_count, load_reason(*reason), checked_at
    )
    return Visit(
        url, id, depth, redirect_hops, attempts, bool(seed), previous_fetch or None, jobs[job]
    )
