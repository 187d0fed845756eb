"""The frontier in SQLite: leases visits and records their outcomes.

`finish` runs in a thread on the write connection; `lease` runs in the crawl loop on a read
connection and never waits for a commit.
"""

import json
from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path

from byway.core.model import (
    DiscoveredUrl,
    FrontierOptions,
    Job,
    Outcome,
    RobotsFile,
    UnreadablePage,
    Url,
    UrlId,
    UrlState,
    Visit,
)
from byway.core.url import host_of, url_hash
from byway.storage.sqlite.crawl_db import removal, requeue
from byway.storage.sqlite.crawl_db.hosts import HostQueues
from byway.storage.sqlite.crawl_db.url_catalog import SqliteUrlCatalog, job_rows, visit_from_row
from byway.storage.sqlite.crawl_db.url_ids import UrlTable
from byway.storage.sqlite.crawl_db.visit_results import OutcomeWriter
from byway.storage.sqlite.transactions import CrawlDbWriter

SELECT_VISIT = """
select url, id, depth, redirect_hops, attempts, is_seed, job_id,
    digest, etag, last_modified, revisit_interval, missing_count, checked_at,
    reason, reason_params, redirect_target
from url left join revisit on revisit.url_id = url.id
"""
SELECT_VISITS = f"""{SELECT_VISIT}
where url_hash in (select value from json_each(?)) and state = 'queued'
"""
SELECT_HOST_QUEUE = f"""{SELECT_VISIT}
where host_id = ? and state = 'queued' and job_id not in (select value from json_each(?))
and (digest is not null or job_id not in (select value from json_each(?)))
order by priority, id limit ?
"""
SELECT_HOSTS_WITH_WORK = """
select id from host where id > ?
and exists (select 1 from url where host_id = host.id and state = 'queued') order by id limit ?
"""
ADD_URL_PATTERN = "insert into url_pattern values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
COUNT_QUEUED_REVISITS = """
select count(*) from revisit join url on url.id = revisit.url_id where state = 'queued'
"""
SAVE_JOB = """
insert into job (name, overrides) values (?, ?)
on conflict (name) do update set overrides = excluded.overrides returning id
"""


class SqliteFrontier(SqliteUrlCatalog):
    """The frontier in crawl.db. Its single writer must hold the folder's `crawl` lock."""

    def __init__(self, path: Path, options: FrontierOptions | None = None) -> None:
        """Without options, all hosts are free at once."""
        now, options = (options.clock(), options) if options else (0.0, FrontierOptions())
        self._writer = CrawlDbWriter(path, options)
        super().__init__(self._writer.read_db)
        # Requests just before a crash are not on disk, so every host gets a full delay from now.
        min_delay = options.delay if self._writer.next_id > 1 else 0.0
        self._queues = HostQueues(
            self._load_queue,
            lambda id: now + max(self._writer.hosts.crawl_delay_of(id), min_delay),
            self._hosts_with_work,
            options.max_hosts_in_memory,
        )
        self._queues.wake_all()
        self._job_ids = {job: id for id, job, _ in job_rows(self._db)}
        self._job_names = {id: job for job, id in self._job_ids.items()}
        self._url_table = UrlTable(
            self._writer, options.max_urls_per_host, self._job_ids, self.removed_sites()
        )
        self._outcomes = OutcomeWriter(self._writer, self._url_table, options.clock)
        self._paused_job_ids: frozenset[int] = frozenset()
        self._full_job_ids: frozenset[int] = frozenset()

    def close(self) -> None:
        """Close the database."""
        self._writer.close()

    def add(self, urls: Iterable[DiscoveredUrl]) -> int:
        with self._writer.transaction() as changes:
            for one in urls:
                id = self._url_table.get_or_create_id(one, changes)
                if one.seed:
                    self._url_table.make_seed(one, UrlId(id), changes)
                if one.changed_at:
                    self._url_table.requeue_changed(id, one.changed_at, changes)
        self._queues.wake(changes.host_ids)
        return changes.added_urls

    def lease(self, limit: int, now: float) -> list[Visit]:
        self._requeue_due(now)
        return self._queues.lease(limit, now)

    def release(self, visit: Visit, free_at: float) -> None:
        self._queues.release(self._writer.hosts[host_of(visit.url)].id, free_at)

    def requeue_visit(self, visit: Visit, free_at: float) -> None:
        host = self._writer.hosts[host_of(visit.url)].id
        job = self._job_ids[visit.job]
        if job in self._paused_job_ids or (
            job in self._full_job_ids and visit.previous_fetch is None
        ):
            self._queues.forget_visit(host, visit)  # it is still queued on disk
            self._queues.release(host, free_at)
        else:
            self._queues.release(host, free_at, requeued=visit)

    def finish(self, outcomes: Sequence[Outcome]) -> list[int]:
        sequences: list[int] = []
        with self._writer.transaction() as changes:
            for outcome in outcomes:
                sequences += self._outcomes.record(outcome, changes)
        for outcome in outcomes:
            self._queues.forget_visit(
                self._writer.hosts[host_of(outcome.visit.url)].id, outcome.visit
            )
        self._queues.wake(changes.host_ids)
        return sequences

    def claim(self, urls: Sequence[Url]) -> list[Visit]:
        self.add(map(DiscoveredUrl, urls))
        self._requeue(requeue.requeue_for_import, urls)
        rows = self._db.execute(SELECT_VISITS, (json.dumps(list(map(url_hash, urls))),))
        visits = {row[0]: visit_from_row(row, self._job_names) for row in rows}
        return [visits[url] for url in dict.fromkeys(urls) if url in visits]

    def count_kept(self) -> int:
        counted = self._writer.select_value(
            "select coalesce(sum(url_count), 0) from state_count where state = 'kept'"
        )
        return int(counted + self._writer.select_value(COUNT_QUEUED_REVISITS))

    def requeue_unreachable(self) -> int:
        if not self.state_counts().keys() & requeue.UNREACHABLE_STATES:
            return 0  # spares a scan of all URLs
        return self._requeue(requeue.requeue_unreachable)

    def queue_revisits(self, now: float, job: str = "") -> int:
        return self._requeue(requeue.queue_revisits, now, job)

    def requeue_unreadable(self, pages: Sequence[UnreadablePage]) -> int:
        self._requeue(requeue.requeue_unreadable, pages)
        return len(pages)

    def requeue_redirecting_seeds(self) -> int:
        return self._requeue(requeue.requeue_redirecting_seeds)

    def requeue_paused(self, host: str) -> int:
        """Requeue the paused URLs of a host; return their number."""
        return self._requeue(requeue.requeue_paused, host)

    def remove(self, urls: Sequence[Url], site: str, undo: bool, now: float) -> None:
        """Permanently remove URLs or a whole site, or undo a removal."""
        if undo:
            removal.restore(self._writer, urls, site)
        else:
            removal.remove(self._writer, urls, site, now)
        self._url_table.removed_sites = self.removed_sites()
        self._queues.clear_prefetched()
        self._queues.wake_all()

    def save_traps(self, rows: Iterable[tuple[object, ...]]) -> None:
        with self._writer.transaction():
            self._writer.db.execute("delete from url_pattern")
            self._writer.db.executemany(ADD_URL_PATTERN, rows)

    def save_robots(self, host: str, file: RobotsFile) -> None:
        self._writer.save_robots(host, file)

    def next_lease_at(self) -> float | None:
        times = (self._queues.next_lease_at(), self._writer.next_retry_at)
        return min((time for time in times if time is not None), default=None)

    def advance_retries(self, latest: float) -> None:
        self._requeue(requeue.advance_retries, latest)

    def save_job(self, job: Job) -> None:
        with self._writer.transaction():
            row = self._writer.db.execute(
                SAVE_JOB, (job.name, json.dumps(dict(job.overrides)))
            ).fetchone()
        self._job_ids[job.name] = row[0]
        self._job_names[row[0]] = job.name

    def set_paused_jobs(self, jobs: Collection[str], full_jobs: Collection[str] = ()) -> None:
        paused = frozenset(self._job_ids[job] for job in jobs)
        full = frozenset(self._job_ids[job] for job in full_jobs)
        if (paused, full) == (self._paused_job_ids, self._full_job_ids):
            return
        resumed = (self._paused_job_ids - paused) | (self._full_job_ids - full)
        self._paused_job_ids, self._full_job_ids = paused, full
        self._queues.clear_prefetched()
        if resumed:
            self._queues.wake_all()

    @property
    def hosts_in_memory(self) -> int:
        """Number of host queues in memory."""
        return len(self._queues)

    def _hosts_with_work(self, after: int, limit: int) -> list[int]:
        return [id for (id,) in self._db.execute(SELECT_HOSTS_WITH_WORK, (after, limit))]

    def _load_queue(self, host: int, limit: int) -> list[Visit]:
        paused, full = json.dumps(list(self._paused_job_ids)), json.dumps(list(self._full_job_ids))
        rows = self._db.execute(SELECT_HOST_QUEUE, (host, paused, full, limit))
        return [visit_from_row(row, self._job_names) for row in rows]

    def _requeue_due(self, now: float) -> None:
        due = self._writer.next_retry_at
        if due is not None and due <= now and not self._writer.busy:
            self._requeue(requeue.requeue_due, now)

    def _requeue(self, change: Callable[..., None], *values: object) -> int:
        """Requeue URLs in a transaction and wake their hosts; return the number of URLs."""
        with self._writer.transaction() as changes:
            change(self._writer.db, changes, *values)
        self._queues.wake(changes.host_ids)
        return changes.state_deltas[UrlState.QUEUED]
