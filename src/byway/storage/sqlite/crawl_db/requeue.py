"""Requeues URLs that are stale, failed, paused, due for a retry or unreadable."""

import sqlite3
from collections.abc import Sequence

from byway.core.model import UnreadablePage, Url, UrlState
from byway.core.url import url_hash
from byway.storage.sqlite.crawl_db.schema import reason_columns
from byway.storage.sqlite.transactions import TransactionChanges

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
where host_id = (select id from host where name = ?) and state = 'paused' returning host_id
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
UNREACHABLE_STATES = (UrlState.UNREACHABLE, UrlState.BLOCKED)
ADVANCE_RETRIES = "update url set retry_at = ?1 where retry_at > ?1"


def requeue_unreachable(db: sqlite3.Connection, changes: TransactionChanges) -> None:
    """Requeue URLs that were unreachable or at a blocked address."""
    for state in UNREACHABLE_STATES:
        _requeue_selected(db, changes, state, SELECT_UNREACHABLE, state)


def queue_revisits(
    db: sqlite3.Connection, changes: TransactionChanges, now: float, job: str
) -> None:
    """Queue the kept pages of one job, or of all jobs, that are due for a revisit."""
    _requeue_selected(db, changes, UrlState.KEPT, SELECT_DUE_REVISITS, now, job)


def requeue_redirecting_seeds(db: sqlite3.Connection, changes: TransactionChanges) -> None:
    """Requeue seeds with a temporary redirect, which may lead elsewhere each time."""
    _requeue_selected(db, changes, UrlState.REDIRECTED, SELECT_REDIRECTING_SEEDS)


def requeue_paused(db: sqlite3.Connection, changes: TransactionChanges, host: str) -> None:
    """Requeue the paused URLs of a host."""
    for (host_id,) in db.execute(REQUEUE_PAUSED, (host,)).fetchall():
        changes.change_state(UrlState.PAUSED, UrlState.QUEUED, host_id)


def requeue_for_import(
    db: sqlite3.Connection, changes: TransactionChanges, urls: Sequence[Url]
) -> None:
    """Queue these URLs regardless of state, unless they were removed."""
    for url in urls:
        id, host, state = db.execute(SELECT_URL, (url_hash(url), url)).fetchone()
        if state not in (UrlState.QUEUED, UrlState.REMOVED):
            db.execute(REQUEUE_URL, (id,))
            changes.change_state(UrlState(state), UrlState.QUEUED, host)


def requeue_due(db: sqlite3.Connection, changes: TransactionChanges, now: float) -> None:
    """Requeue URLs whose retry time has come."""
    for host, state in db.execute(SELECT_DUE_RETRIES, (now,)).fetchall():
        changes.change_state(UrlState(state), UrlState.QUEUED, host)
    db.execute(REQUEUE_DUE_RETRIES, (now,))
    changes.retries_changed = True


def advance_retries(db: sqlite3.Connection, changes: TransactionChanges, retry_at: float) -> None:
    """Bring later retries forward to `retry_at`."""
    db.execute(ADVANCE_RETRIES, (retry_at,))
    changes.retries_changed = True


def requeue_unreadable(
    db: sqlite3.Connection, changes: TransactionChanges, pages: Sequence[UnreadablePage]
) -> None:
    """Requeue pages whose stored version cannot be read, and forget their previous fetch."""
    for one in pages:
        host, state = db.execute(SELECT_URL_STATE, (one.id,)).fetchone()
        db.execute(REQUEUE_UNREADABLE, (*reason_columns(one.reason), one.id))
        db.execute("delete from revisit where url_id = ?", (one.id,))
        changes.change_state(UrlState(state), UrlState.QUEUED, host)
        changes.retries_changed = True


def _requeue_selected(
    db: sqlite3.Connection,
    changes: TransactionChanges,
    state: UrlState,
    select: str,
    *values: object,
) -> None:
    """Requeue the URLs that a query selects; all are in this state."""
    for id, host in db.execute(select, values).fetchall():
        db.execute(REQUEUE_URL, (id,))
        changes.change_state(state, UrlState.QUEUED, host)
