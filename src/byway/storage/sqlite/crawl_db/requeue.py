"""Requeues URLs that are stale, failed, paused, due for a retry or unreadable."""

from collections.abc import Sequence
from typing import NamedTuple

from byway.core.model import UnreadablePage, Url, UrlState
from byway.core.url import url_hash
from byway.storage.sqlite.crawl_db.reason_columns import reason_columns
from byway.storage.sqlite.transactions import CrawlDbWriter, TransactionChanges

REQUEUE_URL = "update url set state = 'queued', attempts = 0 where id = ?"
SELECT_UNREACHABLE = "select id, host_id from url where state = ? and retry_at is null"
SELECT_DUE_REVISITS = """
select id, host_id from url join revisit on revisit.url_id = url.id
where revisit_at <= ? and state = 'kept'
and (?2 = '' or job_id = (select id from job where name = ?2))
"""
SELECT_REDIRECTING_SEEDS = """
select id, host_id from url where is_seed = 1 and state = 'redirected' and reason = 'redirect'
"""
REQUEUE_PAUSED = """
update url set state = 'queued', reason = null, reason_params = null
where host_id = ? and state = 'paused' returning id
"""
SELECT_URL = "select id, host_id, state from url where url_hash = ? and url = ?"
SELECT_URL_STATE = "select host_id, state from url where id = ?"
REQUEUE_UNREADABLE = """
update url set state = 'queued', reason = ?, reason_params = ?, redirect_target = ?, attempts = 0,
    retry_at = null
where id = ?
"""
SELECT_DUE_RETRIES = "select host_id, state from url where retry_at <= ?"
REQUEUE_DUE_RETRIES = "update url set state = 'queued', retry_at = null where retry_at <= ?"
ADVANCE_RETRIES = "update url set retry_at = ?1 where retry_at > ?1"


class RequeuedUrls(NamedTuple):
    """The number of requeued URLs, and the ids of their hosts."""

    url_count: int
    host_ids: set[int]


def requeue_unreachable(writer: CrawlDbWriter) -> RequeuedUrls:
    """Requeue URLs that were unreachable or at a blocked address."""
    with writer.transaction() as changes:
        for state in (UrlState.UNREACHABLE, UrlState.BLOCKED):
            _requeue_selected(writer, SELECT_UNREACHABLE, (state,), state, changes)
    return _requeued_urls(changes)


def queue_revisits(writer: CrawlDbWriter, now: float, job: str) -> RequeuedUrls:
    """Queue the kept pages, of one job or of all, that are due for a revisit."""
    with writer.transaction() as changes:
        _requeue_selected(writer, SELECT_DUE_REVISITS, (now, job), UrlState.KEPT, changes)
    return _requeued_urls(changes)


def requeue_redirecting_seeds(writer: CrawlDbWriter) -> RequeuedUrls:
    """Requeue seeds with a temporary redirect, which may lead elsewhere each time."""
    with writer.transaction() as changes:
        _requeue_selected(writer, SELECT_REDIRECTING_SEEDS, (), UrlState.REDIRECTED, changes)
    return _requeued_urls(changes)


def requeue_paused(writer: CrawlDbWriter, host: str) -> RequeuedUrls:
    """Requeue the paused URLs of a host."""
    with writer.transaction() as changes:
        row = writer.hosts.get(host)
        for _ in writer.db.execute(REQUEUE_PAUSED, (row.id if row else 0,)).fetchall():
            changes.change_state(UrlState.PAUSED, UrlState.QUEUED, row.id if row else 0)
    return _requeued_urls(changes)


def requeue_for_import(writer: CrawlDbWriter, urls: Sequence[Url]) -> None:
    """Queue these URLs regardless of state, unless they were removed."""
    with writer.transaction() as changes:
        for url in urls:
            id, host, state = writer.db.execute(SELECT_URL, (url_hash(url), url)).fetchone()
            if state not in (UrlState.QUEUED, UrlState.REMOVED):
                writer.db.execute(REQUEUE_URL, (id,))
                changes.change_state(UrlState(state), UrlState.QUEUED, host)


def requeue_due(writer: CrawlDbWriter, now: float) -> RequeuedUrls:
    """Requeue URLs whose retry time has come."""
    with writer.transaction() as changes:
        for host, state in writer.db.execute(SELECT_DUE_RETRIES, (now,)).fetchall():
            changes.change_state(UrlState(state), UrlState.QUEUED, host)
        writer.db.execute(REQUEUE_DUE_RETRIES, (now,))
        changes.retries_changed = True
    return _requeued_urls(changes)


def advance_retries(writer: CrawlDbWriter, retry_at: float) -> None:
    """Bring later retries forward to `retry_at`."""
    with writer.transaction() as changes:
        writer.db.execute(ADVANCE_RETRIES, (retry_at,))
        changes.retries_changed = True


def requeue_unreadable(writer: CrawlDbWriter, pages: Sequence[UnreadablePage]) -> RequeuedUrls:
    """Requeue pages whose stored version cannot be read, and forget their previous fetch."""
    with writer.transaction() as changes:
        for one in pages:
            host, state = writer.db.execute(SELECT_URL_STATE, (one.id,)).fetchone()
            writer.db.execute(REQUEUE_UNREADABLE, (*reason_columns(one.reason), one.id))
            writer.db.execute("delete from revisit where url_id = ?", (one.id,))
            changes.change_state(UrlState(state), UrlState.QUEUED, host)
            changes.retries_changed = True
    return RequeuedUrls(len(pages), changes.host_ids)


def _requeue_selected(
    writer: CrawlDbWriter,
    select: str,
    values: tuple[object, ...],
    state: UrlState,
    changes: TransactionChanges,
) -> None:
    """Requeue the URLs that a query selects; all are in this state."""
    for id, host in writer.db.execute(select, values).fetchall():
        writer.db.execute(REQUEUE_URL, (id,))
        changes.change_state(state, UrlState.QUEUED, host)


def _requeued_urls(changes: TransactionChanges) -> RequeuedUrls:
    return RequeuedUrls(changes.state_deltas[UrlState.QUEUED], changes.host_ids)
