"""Which URL is this? Each has a number, which it is given when it is first heard of."""

from byway.core.model import DiscoveredUrl, UrlId, UrlState
from byway.core.model.message import Reason
from byway.core.url import host_of, url_hash
from byway.storage.sqlite.crawl_db import removal
from byway.storage.sqlite.crawl_db.reason_columns import reason_columns
from byway.storage.sqlite.crawl_db.requeue import REQUEUE_URL
from byway.storage.sqlite.transactions import CrawlDbWriter, TransactionChanges

MAX_CACHED_URL_IDS = 200_000
"""Numbers of URLs kept in memory: most links lead to pages that were linked to before."""

SELECT_URL_ID = "select id from url where url_hash = ? and url = ?"
ADD_URL = """
insert into url (id, url_hash, host_id, priority, depth, redirect_hops, is_seed, state,
    reason, reason_params, redirect_target, removed_site, url, job_id)
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
MARK_SEED = """
update url set is_seed = 1, state = ?, reason = null, reason_params = null,
    redirect_target = null, retry_at = null, attempts = 0, job_id = ?
where id = ?
"""
REQUEUE_OUT_OF_SCOPE = """
update url set state = 'queued', reason = null, reason_params = null, job_id = ?
where host_id = ? and state = 'out_of_scope' returning id
"""
SELECT_CHANGED_PAGE = """
select host_id from url join revisit on revisit.url_id = url.id
where id = ? and state = 'kept' and checked_at < ?
"""


class UrlTable:
    """Gives URLs their numbers, and a place in their host's queue."""

    def __init__(
        self, writer: CrawlDbWriter, max_urls_per_host: int, job_ids: dict[str, int]
    ) -> None:
        """`max_urls_per_host`: how many of one host are ever queued; 0 means no limit."""
        self._writer = writer
        self._db, self._ids, self._votes = writer.db, writer.url_ids, writer.prioritize_by_inlinks
        self._per_host = max_urls_per_host
        self.removed_sites = removal.removed_sites(writer.db)
        """Sites of which no URL is visited."""
        self.job_ids = job_ids
        """The number of each job."""

    def get_or_create_id(self, discovered: DiscoveredUrl, changes: TransactionChanges) -> int:
        """The number of a URL, which it is given now if it has none."""
        id = self._ids.get(discovered.url)
        if id is None:
            id = self._looked_up(discovered, changes)
        if self._votes:
            changes.inlinks_by_url[id] += 1
        return id

    def make_seed(
        self,
        discovered: DiscoveredUrl,
        id: UrlId,
        changes: TransactionChanges,
        explicit: bool = True,
    ) -> None:
        """A person named this URL: whatever became of it before, it is in scope now.

        What was removed stays out, though: seeds are named again by habit, and by timers.

        Not `explicit`, but led to by a seed: then one visit is enough, or loops would not end.
        """
        row = self._db.execute("select state from url where id = ?", (id,)).fetchone()
        state = UrlState(row[0])
        if not explicit and state not in (UrlState.QUEUED, UrlState.OUT_OF_SCOPE):
            return
        if state is UrlState.REMOVED:
            return
        wanted = UrlState.KEPT if state is UrlState.KEPT else UrlState.QUEUED
        job = self.job_ids[discovered.job]
        self._db.execute(MARK_SEED, (wanted, job, id))
        host = self._writer.hosts.get_or_create(host_of(discovered.url)).id
        again = self._db.execute(REQUEUE_OUT_OF_SCOPE, (job, host)).fetchall()
        changes.state_deltas[state] -= 1
        changes.state_deltas[wanted] += 1
        changes.state_deltas[UrlState.OUT_OF_SCOPE] -= len(again)
        changes.state_deltas[UrlState.QUEUED] += len(again)
        changes.host_ids.add(host)

    def requeue_changed(self, id: int, at: float, changes: TransactionChanges) -> None:
        """Its site says that a page has changed: see it again, if we have not since."""
        row = self._db.execute(SELECT_CHANGED_PAGE, (id, at)).fetchone()
        if row:
            self._db.execute(REQUEUE_URL, (id,))
            changes.change_state(UrlState.KEPT, UrlState.QUEUED, row[0])

    def _looked_up(self, one: DiscoveredUrl, changes: TransactionChanges) -> int:
        hash = url_hash(one.url)
        row = self._db.execute(SELECT_URL_ID, (hash, one.url)).fetchone()
        id: int = row[0] if row else self._insert(one, hash, changes)
        if len(self._ids) >= MAX_CACHED_URL_IDS:
            self._ids.clear()
        self._ids[one.url] = id
        return id

    def _insert(self, one: DiscoveredUrl, hash: int, changes: TransactionChanges) -> int:
        id = self._writer.next_id
        self._writer.next_id += 1
        host = self._writer.hosts.get_or_create(host_of(one.url))
        state, reason = one.state, one.reason
        site = removal.removed_site_of(self.removed_sites, one.url)
        if site:
            state, reason = UrlState.REMOVED, removal.removal_reason(site)
        elif state is UrlState.QUEUED:
            if 0 < self._per_host <= host.url_count and not one.seed:
                state = UrlState.OUT_OF_SCOPE
                reason = Reason("host_budget", limit=self._per_host)
            else:
                host.url_count += 1
                changes.new_urls_by_host[host.id] += 1
                changes.host_ids.add(host.id)
        row = (
            id,
            hash,
            host.id,
            one.priority,
            one.depth,
            one.redirect_hops,
            one.seed,
            state,
            *reason_columns(reason),
            site or None,
            one.url,
        )
        self._db.execute(ADD_URL, (*row, self.job_ids[one.job]))
        changes.state_deltas[state] += 1
        changes.added_urls += 1
        return id
