"""accounts.db: accounts, sessions, invitations, API keys and search history.

It is a separate file, so that it can be deleted or kept private. The web server and the command
line both write to it, in short transactions.
"""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any

from byway.core.errors import DataError
from byway.core.model.account import (
    Account,
    AccountId,
    ApiKey,
    ApiKeyScope,
    FailureUpdate,
    History,
    HostPreference,
    Invitation,
    PastClick,
    PastQuery,
    Preferences,
    Role,
    Session,
)
from byway.core.sqlite_file import open_sqlite_to_write
from byway.storage.sqlite import failed_attempts
from byway.storage.sqlite.accounts_schema import OTHER_VERSION, SCHEMA, SCHEMA_VERSION

ACCOUNT_COLUMNS = (
    "account.id, account.name, role, account.created_at, keeps_history, boost_strength"
)
INSERT_ACCOUNT = """
insert or ignore into account (name, role, password_hash, created_at) values (?, ?, ?, ?)
"""
SELECT_ACCOUNT_BY_NAME = f"select {ACCOUNT_COLUMNS}, password_hash from account where name = ?"
SELECT_ACCOUNTS = f"select {ACCOUNT_COLUMNS} from account order by name"
COUNT_OTHER_ADMINS = "select count(*) from account where role = 'admin' and id != ?"
INSERT_SESSION = """
insert into session
    (token_hash, account_id, created_at, last_seen_at, expires_at, user_agent, ip_address)
values (?, ?, ?, ?, ?, ?, ?)
"""
SESSION_COLUMNS = (
    "session.id, account_id, session.created_at, last_seen_at, expires_at, user_agent, ip_address"
)
SELECT_SESSION = f"""
select {SESSION_COLUMNS}, {ACCOUNT_COLUMNS}
from session join account on account.id = session.account_id
where token_hash = ? and expires_at > ?
"""
SELECT_SESSIONS = f"""
select {SESSION_COLUMNS} from session where account_id = ? and expires_at > ?
order by last_seen_at desc
"""
PRUNE_SESSIONS = """
delete from session where account_id = :account_id and id <= (
    select id from session where account_id = :account_id order by id desc limit 1 offset :most)
"""
INSERT_INVITATION = """
insert into invitation (token_hash, role, created_at, expires_at) values (?, ?, ?, ?)
"""
SELECT_INVITED_ROLE = "select role from invitation where token_hash = ? and expires_at > ?"
SELECT_INVITATIONS = """
select id, role, created_at, expires_at from invitation where expires_at > ? order by id
"""
API_KEY_COLUMNS = "api_key.id, api_key.name, scope, api_key.created_at, last_used_at"
SELECT_API_KEY = f"""
select {API_KEY_COLUMNS}, {ACCOUNT_COLUMNS}
from api_key join account on account.id = api_key.account_id where key_hash = ?
"""
INSERT_API_KEY = """
insert into api_key (key_hash, account_id, name, scope, created_at) values (?, ?, ?, ?, ?)
"""
URL_WITHOUT_SCHEME = "substr(clicked_url, instr(clicked_url, '://') + 3)"
COUNT_OPENED_PAGES = f"""
select substr({URL_WITHOUT_SCHEME}, 1, instr({URL_WITHOUT_SCHEME} || '/', '/') - 1) as host,
count(distinct clicked_url)
from history_entry where account_id = ? and clicked_url is not null group by host
"""
INSERT_HISTORY_ENTRY = """
insert into history_entry (account_id, occurred_at, query, clicked_url) values (?, ?, ?, ?)
"""
SELECT_HISTORY = """
select id, occurred_at, query, clicked_url from history_entry where account_id = ? order by id desc
"""
PRUNE_HISTORY = """
delete from history_entry where account_id = :account_id and id <= (
    select id from history_entry where account_id = :account_id
    order by id desc limit 1 offset :most)
"""
SELECT_RECENT_QUERIES = """
select query from history_entry where account_id = ? and clicked_url is null
group by query order by max(id) desc limit ?
"""
SELECT_HOST_PREFERENCES = """
select host_name, preference from host_preference where account_id = ? order by host_name
"""
MAX_HISTORY_ENTRIES = 10_000
"""Maximum queries and clicks per account; the oldest are deleted first."""
MAX_HOST_PREFERENCES = 1000
"""Maximum number of host preferences per account."""
MAX_API_KEYS = 50
MAX_SESSIONS = 50
LAST_USED_INTERVAL_SECONDS = 60.0
"""Seconds between two updates of `last_used_at`."""


class SqliteAccountStore:
    """The account store of a data folder. Thread-safe."""

    def __init__(self, path: Path) -> None:
        try:
            path.touch(mode=0o600)  # before there is content for others to read
        except OSError as error:
            raise DataError("storage.cannot_write", path=path, detail=error.strerror) from error
        self._db = open_sqlite_to_write(path, SCHEMA, SCHEMA_VERSION, OTHER_VERSION)
        for pragma in ("foreign_keys = on", "secure_delete = on", "cache_size = -4096"):
            self._db.execute(f"pragma {pragma}")
        self._lock = Lock()

    def close(self) -> None:
        with self._lock:
            self._db.close()

    def add(self, name: str, role: Role, password: str, now: float) -> Account | None:
        with self._transaction() as db:
            return _insert_account(db, name, role, password, now)

    def account(self, name: str) -> tuple[Account, str] | None:
        row = self._one(SELECT_ACCOUNT_BY_NAME, name)
        return (_account(row[:6]), row[6]) if row else None

    def accounts(self) -> list[Account]:
        return [_account(row) for row in self._all(SELECT_ACCOUNTS)]

    def set_password(self, id: AccountId, password: str) -> None:
        self._execute("update account set password_hash = ? where id = ?", password, id)

    def set_role(self, id: AccountId, role: Role) -> bool:
        with self._transaction() as db:
            if role is not Role.ADMIN and not db.execute(COUNT_OTHER_ADMINS, (id,)).fetchone()[0]:
                return False
            db.execute("update account set role = ? where id = ?", (role, id))
            return True

    def set_records_history(self, id: AccountId, records_history: bool) -> None:
        self._execute("update account set keeps_history = ? where id = ?", records_history, id)

    def set_boost_strength(self, id: AccountId, strength: float) -> None:
        self._execute("update account set boost_strength = ? where id = ?", strength, id)

    def remove(self, id: AccountId) -> bool:
        with self._transaction() as db:
            role = db.execute("select role from account where id = ?", (id,)).fetchone()
            others = db.execute(COUNT_OTHER_ADMINS, (id,)).fetchone()[0]
            if role == (Role.ADMIN,) and not others:
                return False
            db.execute("delete from account where id = ?", (id,))
            return True

    def start_session(self, session: Session, hash: bytes) -> None:
        values = (
            session.created_at,
            session.last_seen_at,
            session.expires_at,
            session.user_agent,
            session.address,
        )
        with self._transaction() as db:
            db.execute("delete from session where expires_at <= ?", (session.created_at,))
            db.execute(INSERT_SESSION, (hash, session.account_id, *values))
            db.execute(PRUNE_SESSIONS, {"account_id": session.account_id, "most": MAX_SESSIONS})

    def session(self, hash: bytes, now: float) -> tuple[Session, Account] | None:
        row = self._one(SELECT_SESSION, hash, now)
        return (Session(*row[:7]), _account(row[7:])) if row else None

    def touch_session(self, session: int, now: float) -> None:
        self._execute("update session set last_seen_at = ? where id = ?", now, session)

    def sessions(self, id: AccountId, now: float) -> list[Session]:
        return [Session(*row) for row in self._all(SELECT_SESSIONS, id, now)]

    def end_sessions(
        self, id: AccountId, session: int | None = None, except_session: int | None = None
    ) -> None:
        if session is not None:
            self._execute("delete from session where account_id = ? and id = ?", id, session)
        else:
            sql = "delete from session where account_id = ? and id is not ?"
            self._execute(sql, id, except_session)

    def add_invitation(self, role: Role, hash: bytes, now: float, expires_at: float) -> None:
        with self._transaction() as db:
            db.execute("delete from invitation where expires_at <= ?", (now,))
            if not db.execute(COUNT_OTHER_ADMINS, (0,)).fetchone()[0]:
                db.execute("delete from invitation where role = 'admin'")
            db.execute(INSERT_INVITATION, (hash, role, now, expires_at))

    def invitation_role(self, hash: bytes, now: float) -> Role | None:
        row = self._one(SELECT_INVITED_ROLE, hash, now)
        return Role(row[0]) if row else None

    def accept_invitation(
        self, hash: bytes, name: str, password: str, now: float
    ) -> Account | None:
        with self._transaction() as db:
            row = db.execute(SELECT_INVITED_ROLE, (hash, now)).fetchone()
            account = _insert_account(db, name, Role(row[0]), password, now) if row else None
            if account:
                db.execute("delete from invitation where token_hash = ?", (hash,))
            return account

    def invitations(self, now: float) -> list[Invitation]:
        rows = self._all(SELECT_INVITATIONS, now)
        return [Invitation(row[0], Role(row[1]), *row[2:]) for row in rows]

    def revoke_invitation(self, id: int) -> None:
        self._execute("delete from invitation where id = ?", id)

    def add_key(
        self, id: AccountId, name: str, scope: ApiKeyScope, hash: bytes, now: float
    ) -> bool:
        with self._transaction() as db:
            count = "select count(*) from api_key where account_id = ?"
            current_count = db.execute(count, (id,)).fetchone()[0]
            if current_count >= MAX_API_KEYS:
                return False
            db.execute(INSERT_API_KEY, (hash, id, name, scope, now))
            return True

    def key(self, hash: bytes, now: float) -> tuple[ApiKey, Account] | None:
        row = self._one(SELECT_API_KEY, hash)
        if row is None:
            return None
        key = _key(row[:5])
        if now - (key.last_used_at or 0) > LAST_USED_INTERVAL_SECONDS:
            self._execute("update api_key set last_used_at = ? where id = ?", now, key.id)
        return key, _account(row[5:])

    def keys(self, id: AccountId) -> list[ApiKey]:
        found = f"select {API_KEY_COLUMNS} from api_key where account_id = ? order by id"
        return [_key(row) for row in self._all(found, id)]

    def remove_key(self, id: AccountId, key: int) -> None:
        self._execute("delete from api_key where account_id = ? and id = ?", id, key)

    def update_failures(
        self, keys: Sequence[bytes], update: FailureUpdate, expired_before: float
    ) -> None:
        with self._transaction() as db:
            failed_attempts.update_failures(db, keys, update, expired_before)

    def record_query(self, id: AccountId, text: str, now: float) -> None:
        self._add_history_entry(id, now, text, None)

    def record_click(self, id: AccountId, url: str, query: str, now: float) -> None:
        self._add_history_entry(id, now, query, url)

    def set_host_preference(
        self, id: AccountId, host: str, preference: HostPreference | None
    ) -> bool:
        with self._transaction() as db:
            delete = "delete from host_preference where account_id = ? and host_name = ?"
            db.execute(delete, (id, host))
            count = "select count(*) from host_preference where account_id = ?"
            current_count = db.execute(count, (id,)).fetchone()[0]
            if preference and current_count < MAX_HOST_PREFERENCES:
                db.execute("insert into host_preference values (?, ?, ?)", (id, host, preference))
            return not preference or current_count < MAX_HOST_PREFERENCES

    def history(self, id: AccountId) -> History:
        rows = self._all(SELECT_HISTORY, id)
        return History(
            tuple(PastQuery(at, query, entry) for entry, at, query, url in rows if url is None),
            tuple(
                PastClick(at, url, query, entry)
                for entry, at, query, url in rows
                if url is not None
            ),
            self._host_preferences(id),
        )

    def recent_queries(self, id: AccountId, limit: int) -> list[str]:
        return [text for (text,) in self._all(SELECT_RECENT_QUERIES, id, limit)]

    def preferences(self, id: AccountId) -> Preferences:
        select = "select boost_strength from account where id = ?"
        (strength,) = self._one(select, id) or (0.0,)
        opened = dict(self._all(COUNT_OPENED_PAGES, id))
        return Preferences(opened, self._host_preferences(id), strength)

    def delete_history(self, id: AccountId, entry_id: int | None = None) -> None:
        if entry_id is None:
            self._execute("delete from history_entry where account_id = ?", id)
        else:
            self._execute("delete from history_entry where account_id = ? and id = ?", id, entry_id)

    def _host_preferences(self, id: AccountId) -> dict[str, HostPreference]:
        rows = self._all(SELECT_HOST_PREFERENCES, id)
        return {host: HostPreference(preference) for host, preference in rows}

    def _add_history_entry(self, id: AccountId, now: float, text: str, url: str | None) -> None:
        with self._transaction() as db:
            db.execute(INSERT_HISTORY_ENTRY, (id, now, text, url))
            db.execute(PRUNE_HISTORY, {"account_id": id, "most": MAX_HISTORY_ENTRIES})

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            self._db.execute("begin immediate")
            try:
                yield self._db
                self._db.execute("commit")
            except BaseException:
                self._db.execute("rollback")
                raise

    def _execute(self, sql: str, *values: object) -> None:
        with self._transaction() as db:
            db.execute(sql, values)

    def _one(self, sql: str, *values: object) -> Any:
        with self._lock:
            return self._db.execute(sql, values).fetchone()

    def _all(self, sql: str, *values: object) -> list[Any]:
        with self._lock:
            return self._db.execute(sql, values).fetchall()


def _insert_account(
    db: sqlite3.Connection, name: str, role: Role, password: str, now: float
) -> Account | None:
    cursor = db.execute(INSERT_ACCOUNT, (name, role, password, now))
    if not cursor.rowcount:
        return None
    return Account(AccountId(cursor.lastrowid or 0), name, role, now)


def _account(row: Any) -> Account:
    id, name, role, created_at, keeps_history, boost_strength = row
    return Account(id, name, Role(role), created_at, bool(keeps_history), boost_strength)


def _key(row: Any) -> ApiKey:
    id, name, scope, created_at, last_used_at = row
    return ApiKey(id, name, ApiKeyScope(scope), created_at, last_used_at)
