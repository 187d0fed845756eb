"""Failed logins and registrations in accounts.db, which all web workers count together."""

import sqlite3
from collections.abc import Sequence

from byway.core.model.account import NO_FAILURES, FailureCount, FailureUpdate

SELECT_FAILURES = "select failure_count, last_at from failed_attempt where key_hash = ?"
REPLACE_FAILURES = "insert or replace into failed_attempt values (?, ?, ?)"
DELETE_FAILURES = "delete from failed_attempt where key_hash = ?"
DELETE_EXPIRED = "delete from failed_attempt where last_at < ?"
PRUNE_FAILURES = """
delete from failed_attempt where key_hash in (
    select key_hash from failed_attempt order by last_at desc limit -1 offset ?)
"""
MAX_KEYS = 20_000
"""Maximum number of names and addresses with failed attempts; the oldest are deleted first."""


def update_failures(
    db: sqlite3.Connection, keys: Sequence[bytes], update: FailureUpdate, expired_before: float
) -> None:
    """Replace the failures counted under these keys, in the current transaction."""
    rows = [db.execute(SELECT_FAILURES, (key,)).fetchone() for key in keys]
    failures = update([FailureCount(*row) if row else NO_FAILURES for row in rows])
    for key, failure in zip(keys, failures, strict=True):
        if failure.failures:
            db.execute(REPLACE_FAILURES, (key, failure.failures, failure.last_at))
        else:
            db.execute(DELETE_FAILURES, (key,))
    db.execute(DELETE_EXPIRED, (expired_before,))
    db.execute(PRUNE_FAILURES, (MAX_KEYS,))
