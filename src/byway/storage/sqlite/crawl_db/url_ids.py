"""The URL table of crawl.db: ids, seeds and the queue state of discovered URLs."""

from byway.core.messages import Reason
from byway.core.model import DiscoveredUrl, UrlId, UrlState
from byway.core.url import host_of, url_hash
from byway.storage.removed_sites import removal_reason, removed_site_of
from byway.storage.sqlite.crawl_db.requeue import REQUEUE_URL
from byway.storage.sqlite.crawl_db.schema import reason_columns
from byway.storage.sqlite.transactions import CrawlDbWriter, TransactionChanges

MAX_CACHED_URL_IDS = 200_000
"""URL ids cached in memory: most links point to URLs that were linked before."""

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
    """Assigns URL ids and queues new URLs."""

    def __init__(
        self,
        writer: CrawlDbWriter,
        max_urls_per_host: int,
        job_ids: dict[str, int],
        removed_sites: frozenset[str],
    ) -> None:
        """`max_urls_per_host`: maximum number of URLs ever queued per host; 0 means no limit.

        `removed_sites`: the sites whose URLs are not visited.
        """
        self._writer = writer
        self._db, self._ids, self._count_inlinks = (
            writer.db,
            writer.url_ids,
            writer.prioritize_by_inlinks,
        )
        self._max_urls_per_host = max_urls_per_host
        self.removed_sites = removed_sites
        self.job_ids = job_ids

    def get_or_create_id(self, discovered: DiscoveredUrl, changes: TransactionChanges) -> int:
        """The id of a URL, inserted if it is new."""
        id = self._ids.get(discovered.url)
        if id is None:
            id = self._look_up_or_insert(discovered, changes)
        if self._count_inlinks:
            changes.inlinks_by_url[id] += 1
        return id

    def make_seed(
        self,
        discovered: DiscoveredUrl,
        id: UrlId,
        changes: TransactionChanges,
        explicit: bool = True,
    ) -> None:
        """Make a URL a seed; it is then in scope, regardless of its previous state.

        A removed URL stays removed, since scripts and timers add the same seeds again and again.

        `explicit=False`: a seed redirected to this URL. It is then visited only once, because
        otherwise redirect loops would never end.
        """
        row = self._db.execute("select state from url where id = ?", (id,)).fetchone()
        state = UrlState(row[0])
        if not explicit and state not in (UrlState.QUEUED, UrlState.OUT_OF_SCOPE):
            return
        if state is UrlState.REMOVED:
            return
        new_state = UrlState.KEPT if state is UrlState.KEPT else UrlState.QUEUED
        job = self.job_ids[discovered.job]
        self._db.execute(MARK_SEED, (new_state, job, id))
        host = self._writer.hosts.get_or_create(host_of(discovered.url)).id
        requeued = self._db.execute(REQUEUE_OUT_OF_SCOPE, (job, host)).fetchall()
        changes.state_deltas[state] -= 1
        changes.state_deltas[new_state] += 1
        changes.state_deltas[UrlState.OUT_OF_SCOPE] -= len(requeued)
        changes.state_deltas[UrlState.QUEUED] += len(requeued)
        changes.host_ids.add(host)

    def requeue_changed(self, id: int, at: float, changes: TransactionChanges) -> None:
        """Requeue a page that has changed according to its site, unless it was fetched later."""
        row = self._db.execute(SELECT_CHANGED_PAGE, (id, at)).fetchone()
        if row:
            self._db.execute(REQUEUE_URL, (id,))
            changes.change_state(UrlState.KEPT, UrlState.QUEUED, row[0])

    def _look_up_or_insert(self, one: DiscoveredUrl, changes: TransactionChanges) -> int:
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
        site = removed_site_of(self.removed_sites, one.url) if self.removed_sites else ""
        if site:
            state, reason = UrlState.REMOVED, removal_reason(site)
        elif state is UrlState.QUEUED:
            if 0 < self._max_urls_per_host <= host.url_count and not one.seed:
                state = UrlState.OUT_OF_SCOPE
                reason = Reason("host_budget", limit=self._max_urls_per_host)
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
