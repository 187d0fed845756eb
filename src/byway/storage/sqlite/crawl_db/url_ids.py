"""Which URL is this? Each has a number, which it is given when it is first heard of."""

from byway.core.model import Found, State, UrlId
from byway.core.url import hash_of, host_of
from byway.storage.sqlite.crawl_db import removal
from byway.storage.sqlite.crawl_db.requeue import QUEUE
from byway.storage.sqlite.transactions import Changes, Writer

REMEMBERED = 200_000
"""Numbers of URLs kept in memory: most links lead to pages that were linked to before."""

FIND_URL = "select id from url where hash = ? and url = ?"
ADD_URL = """
insert into url (id, hash, host, priority, depth, hops, seed, state, reason, url, job)
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
MARK_SEED = """
update url set seed = 1, state = ?, reason = null, due = null, tries = 0, job = ? where id = ?
"""
QUEUE_AGAIN = """
update url set state = 'queued', reason = null, job = ?
where host = ? and state = 'out_of_scope' returning id
"""
CHANGED = """
select host from url join latest on latest.url = url.id
where id = ? and state = 'kept' and checked_at < ?
"""


class Numbering:
    """Gives URLs their numbers, and a place in their host's queue."""

    def __init__(self, writer: Writer, per_host: int, jobs: dict[str, int]) -> None:
        """`per_host`: how many of one host are ever queued; 0 means no limit."""
        self._writer = writer
        self._db, self._ids, self._votes = writer.db, writer.ids, writer.votes
        self._per_host = per_host
        self.removed = removal.sites(writer.db)
        """Sites of which no URL is visited."""
        self.jobs = jobs
        """The number of each job."""

    def number(self, one: Found, changes: Changes) -> int:
        """The number of a URL, which it is given now if it has none."""
        id = self._ids.get(one.url)
        if id is None:
            id = self._looked_up(one, changes)
        if self._votes:
            changes.votes[id] += 1
        return id

    def make_seed(self, one: Found, id: UrlId, changes: Changes, named: bool = True) -> None:
        """A person named this URL: whatever became of it before, it is in scope now.

        What was removed stays out, though: seeds are named again by habit, and by timers.

        Not `named`, but led to by a seed: then one visit is enough, or loops would not end.
        """
        row = self._db.execute("select state from url where id = ?", (id,)).fetchone()
        state = State(row[0])
        if not named and state not in (State.QUEUED, State.OUT_OF_SCOPE):
            return
        if state is State.REMOVED:
            return
        wanted = State.KEPT if state is State.KEPT else State.QUEUED
        job = self.jobs[one.job]
        self._db.execute(MARK_SEED, (wanted, job, id))
        host = self._writer.hosts.made(host_of(one.url)).id
        again = self._db.execute(QUEUE_AGAIN, (job, host)).fetchall()
        changes.states[state] -= 1
        changes.states[wanted] += 1
        changes.states[State.OUT_OF_SCOPE] -= len(again)
        changes.states[State.QUEUED] += len(again)
        changes.hosts.add(host)

    def queue_changed(self, id: int, at: float, changes: Changes) -> None:
        """Its site says that a page has changed: see it again, if we have not since."""
        row = self._db.execute(CHANGED, (id, at)).fetchone()
        if row:
            self._db.execute(QUEUE, (id,))
            changes.move(State.KEPT, State.QUEUED, row[0])

    def _looked_up(self, one: Found, changes: Changes) -> int:
        hash = hash_of(one.url)
        row = self._db.execute(FIND_URL, (hash, one.url)).fetchone()
        id: int = row[0] if row else self._insert(one, hash, changes)
        if len(self._ids) >= REMEMBERED:
            self._ids.clear()
        self._ids[one.url] = id
        return id

    def _insert(self, one: Found, hash: int, changes: Changes) -> int:
        id = self._writer.next_id
        self._writer.next_id += 1
        host = self._writer.hosts.made(host_of(one.url))
        state, reason = one.state, one.reason or None
        if removed := removal.with_site(self.removed, one.url):
            state, reason = State.REMOVED, removed
        elif state is State.QUEUED:
            if 0 < self._per_host <= host.urls and not one.seed:
                state = State.OUT_OF_SCOPE
                reason = f"more than {self._per_host:,} URLs of its host; crawl.max_urls_per_host"
            else:
                host.urls += 1
                changes.urls[host.id] += 1
                changes.hosts.add(host.id)
        row = (
            id,
            hash,
            host.id,
            one.priority,
            one.depth,
            one.hops,
            one.seed,
            state,
            reason,
            one.url,
        )
        self._db.execute(ADD_URL, (*row, self.jobs[one.job]))
        changes.states[state] += 1
        changes.added += 1
        return id
