"""The frontier in SQLite: which visits are next, and how they ended.

`finish` runs in a thread and takes the write connection; `lease` runs in the crawl loop, reads
over a connection of its own and is never held up by a commit.
"""

import json
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path

from byway.core.model import (
    Found,
    Job,
    Lost,
    Outcome,
    RobotsFile,
    State,
    Url,
    UrlId,
    UrlRecord,
    Visit,
)
from byway.core.url import host_of
from byway.storage.sqlite.crawl_db import removal, requeue, url_queries
from byway.storage.sqlite.crawl_db.host_queues import HostQueues
from byway.storage.sqlite.crawl_db.url_ids import Numbering
from byway.storage.sqlite.crawl_db.visit_results import Outcomes
from byway.storage.sqlite.transactions import Writer

QUEUE_OF_HOST = """
select url.url, id, depth, hops, tries, seed, job,
    digest, etag, modified, interval, missing, reason, checked_at
from url left join latest on latest.url = url.id
where host = ? and state = 'queued' and job not in (select value from json_each(?))
and (digest is not null or job not in (select value from json_each(?)))
order by priority, id limit ?
"""
HOSTS_WITH_WORK = """
select id from host where id > ?
and exists (select 1 from url where host = host.id and state = 'queued') order by id limit ?
"""
ADD_TRAP = "insert into trap values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
KEPT_AND_QUEUED = """
select count(*) from latest join url on url.id = latest.url where state = 'queued'
"""
SAVE_JOB = """
insert into job (name, reach) values (?, ?)
on conflict (name) do update set reach = excluded.reach returning id
"""


class SqliteFrontier:
    """URLs in crawl.db. One writer: it must hold the folder's `crawl` lock."""

    def __init__(
        self,
        path: Path,
        now: float = 0.0,
        delay: float = 0.0,
        per_host: int = 0,
        votes: bool = False,
        hosts: int = 50_000,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """`delay`: a crawl that goes on leaves every host alone that long, from `now` on.

        `per_host`: how many URLs of one host are ever queued; 0 means no limit.

        `votes`: each link to a URL that waits moves it up in its host's queue.

        `hosts`: how many are kept in memory; the others wait on disk.

        `clock`: tells when a page ended that is not asked for any more.
        """
        self._writer = Writer(path, votes, hosts)
        self._read = self._writer.read
        # Whom we asked just before a crash is not on disk, so everyone rests once more from now.
        least = delay if self._writer.next_id > 1 else 0.0
        self._queues = HostQueues(
            self._queue_of,
            lambda id: now + max(self._writer.hosts.rest_of(id), least),
            self._hosts_with_work,
            hosts,
        )
        self._queues.wake_all()
        self._job_ids = {job: id for id, job, _ in url_queries.job_rows(self._read)}
        self._job_names = {id: job for job, id in self._job_ids.items()}
        self._numbering = Numbering(self._writer, per_host, self._job_ids)
        self._outcomes = Outcomes(self._writer, self._numbering, clock)
        self._held: frozenset[int] = frozenset()
        self._full: frozenset[int] = frozenset()

    def close(self) -> None:
        """Let go of the files."""
        self._writer.close()

    def add(self, found: Iterable[Found]) -> int:
        with self._writer.transaction() as changes:
            for one in found:
                id = self._numbering.number(one, changes)
                if one.seed:
                    self._numbering.make_seed(one, UrlId(id), changes)
                if one.changed_at:
                    self._numbering.queue_changed(id, one.changed_at, changes)
        self._queues.wake(changes.hosts)
        return changes.added

    def lease(self, limit: int, now: float) -> list[Visit]:
        self._wake_due(now)
        return self._queues.lease(limit, now)

    def release(self, visit: Visit, free_at: float) -> None:
        self._queues.release(self._writer.hosts[host_of(visit.url)].id, free_at)

    def put_back(self, visit: Visit, free_at: float) -> None:
        host = self._writer.hosts[host_of(visit.url)].id
        job = self._job_ids[visit.job]
        if job in self._held or (job in self._full and visit.known is None):
            self._queues.let_go(host, visit)  # it is still queued on disk
            self._queues.release(host, free_at)
        else:
            self._queues.release(host, free_at, back=visit)

    def finish(self, outcomes: Sequence[Outcome]) -> list[int]:
        sequences: list[int] = []
        with self._writer.transaction() as changes:
            for outcome in outcomes:
                sequences += self._outcomes.record(outcome, changes)
        for outcome in outcomes:
            self._queues.let_go(self._writer.hosts[host_of(outcome.visit.url)].id, outcome.visit)
        self._queues.wake(changes.hosts)
        return sequences

    def kept(self) -> int:
        counted = self._writer.one(
            "select coalesce(sum(urls), 0) from state_count where state = 'kept'"
        )
        return int(counted + self._writer.one(KEPT_AND_QUEUED))

    def queue_unreachable(self) -> int:
        return self._wake(requeue.given_up(self._writer))

    def queue_stale(self, now: float, job: str = "") -> int:
        return self._wake(requeue.stale(self._writer, now, job))

    def queue_lost(self, lost: Sequence[Lost]) -> int:
        return self._wake(requeue.lost(self._writer, lost))

    def queue_entries(self) -> int:
        return self._wake(requeue.entries(self._writer))

    def queue_paused(self, host: str) -> int:
        """Queue what is paused of a host, to be judged again; return how many URLs that are."""
        return self._wake(requeue.paused(self._writer, host))

    def remove(self, urls: Sequence[Url], site: str, undo: bool, now: float) -> None:
        """Take URLs, or all of a site, out for good, or let them in again."""
        if undo:
            removal.restore(self._writer, urls, site)
        else:
            removal.remove(self._writer, urls, site, now)
        self._numbering.removed = removal.sites(self._writer.db)
        self._queues.forget_ahead()
        self._queues.wake_all()

    def traps(self) -> list[tuple[object, ...]]:
        return url_queries.traps(self._read)

    def save_traps(self, rows: Iterable[tuple[object, ...]]) -> None:
        with self._writer.transaction():
            self._writer.db.execute("delete from trap")
            self._writer.db.executemany(ADD_TRAP, rows)

    def robots(self, host: str) -> RobotsFile | None:
        return url_queries.robots(self._read, host)

    def save_robots(self, host: str, file: RobotsFile) -> None:
        self._writer.save_robots(host, file)

    def kept_as(self, digest: bytes) -> list[Url]:
        return url_queries.kept_as(self._read, digest)

    def next_at(self) -> float | None:
        times = (self._queues.next_at(), self._writer.next_due)
        return min((time for time in times if time is not None), default=None)

    def next_try(self, by: float) -> UrlRecord | None:
        return url_queries.next_try(self._read, by)

    def put_off(self) -> list[str]:
        return url_queries.put_off(self._read)

    def bring_forward(self, due: float) -> None:
        requeue.bring_forward(self._writer, due)

    def jobs(self) -> list[Job]:
        return url_queries.jobs(self._read)

    def save_job(self, job: Job) -> None:
        with self._writer.transaction():
            row = self._writer.db.execute(
                SAVE_JOB, (job.name, json.dumps(dict(job.reach)))
            ).fetchone()
        self._job_ids[job.name] = row[0]
        self._job_names[row[0]] = job.name

    def hold(self, jobs: Collection[str], full: Collection[str] = ()) -> None:
        held = frozenset(self._job_ids[job] for job in jobs)
        no_new = frozenset(self._job_ids[job] for job in full)
        if (held, no_new) == (self._held, self._full):
            return
        freed = (self._held - held) | (self._full - no_new)
        self._held, self._full = held, no_new
        self._queues.forget_ahead()
        if freed:
            self._queues.wake_all()

    @property
    def hosts_in_memory(self) -> int:
        """Hosts that wait in memory."""
        return len(self._queues)

    def seeds(self) -> list[Url]:
        return url_queries.seeds(self._read)

    def unfinished_seeds(self, job: str = "") -> list[Url]:
        """The seeds on whose hosts something waits, of one job or of all."""
        return url_queries.unfinished_seeds(self._read, job)

    def look_up(self, url: Url) -> UrlRecord | None:
        return url_queries.look_up(self._read, url)

    def queues(self) -> list[tuple[str, int]]:
        return url_queries.queues(self._read)

    def counts(self) -> Mapping[State, int]:
        return url_queries.counts(self._read)

    # What is next.

    def _hosts_with_work(self, after: int, most: int) -> list[int]:
        return [id for (id,) in self._read.execute(HOSTS_WITH_WORK, (after, most))]

    def _queue_of(self, host: int, most: int) -> list[Visit]:
        held, full = json.dumps(list(self._held)), json.dumps(list(self._full))
        rows = self._read.execute(QUEUE_OF_HOST, (host, held, full, most))
        return [url_queries.visit_of(row, self._job_names) for row in rows]

    def _wake_due(self, now: float) -> None:
        due = self._writer.next_due
        if due is not None and due <= now and not self._writer.busy:
            self._wake(requeue.due(self._writer, now))

    def _wake(self, queued: requeue.Queued) -> int:
        """Hosts of URLs that were queued have work again; return how many URLs that were."""
        self._queues.wake(queued.hosts)
        return queued.urls
