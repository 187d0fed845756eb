"""accounts.db: who may log in, and what each has asked and opened.

Apart from all else, so that it can be deleted or kept private. The web page and the command line
both write to it, each for a moment at a time.
"""

import sqlite3
from collections.abc import Iterator
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
    History,
    HostPreference,
    Invitation,
    PastClick,
    PastQuery,
    Preferences,
    Role,
    Session,
)
from byway.storage.sqlite.crawl_db.schema import open_to_write

SCHEMA_VERSION = 3
SCHEMA = """
create table if not exists account (
    id integer primary key autoincrement,
    name text not null unique,
    role text not null,
    password text not null,
    made_at real not null,
    remembers integer not null default 1,
    strength real not null default 1
);
-- Of every secret there is only its hash.
create table if not exists session (
    id integer primary key,
    hash blob not null unique,
    account integer not null references account on delete cascade,
    made_at real not null,
    seen_at real not null,
    ends_at real not null,
    agent text not null,
    address text not null
);
create index if not exists session_account on session (account);
create table if not exists invitation (
    id integer primary key,
    hash blob not null unique,
    role text not null,
    made_at real not null,
    ends_at real not null
);
create table if not exists api_key (
    id integer primary key,
    hash blob not null unique,
    account integer not null references account on delete cascade,
    name text not null,
    use text not null,
    made_at real not null,
    used_at real
);
create index if not exists api_key_account on api_key (account);
-- `url` is null for a question, and what was opened for a result.
create table if not exists deed (
    id integer primary key,
    account integer not null references account on delete cascade,
    at real not null,
    text text not null,
    url text
);
create index if not exists deed_account on deed (account, id);
create table if not exists wish (
    account integer not null references account on delete cascade,
    host text not null,
    wish text not null,
    primary key (account, host)
) without rowid;
"""
ACCOUNT_COLUMNS = "account.id, account.name, role, account.made_at, remembers, strength"
INSERT_ACCOUNT = "insert or ignore into account (name, role, password, made_at) values (?, ?, ?, ?)"
SELECT_ACCOUNT_BY_NAME = f"select {ACCOUNT_COLUMNS}, password from account where name = ?"
SELECT_ACCOUNTS = f"select {ACCOUNT_COLUMNS} from account order by name"
COUNT_OTHER_ADMINS = "select count(*) from account where role = 'admin' and id != ?"
INSERT_SESSION = """
insert into session (hash, account, made_at, seen_at, ends_at, agent, address)
values (?, ?, ?, ?, ?, ?, ?)
"""
SESSION_COLUMNS = "session.id, account, session.made_at, seen_at, ends_at, agent, address"
SELECT_SESSION = f"""
select {SESSION_COLUMNS}, {ACCOUNT_COLUMNS}
from session join account on account.id = session.account
where hash = ? and ends_at > ?
"""
SELECT_SESSIONS = f"""
select {SESSION_COLUMNS} from session where account = ? and ends_at > ? order by seen_at desc
"""
INSERT_INVITATION = "insert into invitation (hash, role, made_at, ends_at) values (?, ?, ?, ?)"
API_KEY_COLUMNS = "api_key.id, api_key.name, use, api_key.made_at, used_at"
SELECT_API_KEY = f"""
select {API_KEY_COLUMNS}, {ACCOUNT_COLUMNS}
from api_key join account on account.id = api_key.account where hash = ?
"""
URL_WITHOUT_SCHEME = "substr(url, instr(url, '://') + 3)"
COUNT_OPENED_PAGES = f"""
select substr({URL_WITHOUT_SCHEME}, 1, instr({URL_WITHOUT_SCHEME} || '/', '/') - 1) as host,
count(distinct url)
from deed where account = ? and url is not null group by host
"""
PRUNE_HISTORY = """
delete from deed where account = :account and id <= (
    select id from deed where account = :account order by id desc limit 1 offset :most)
"""
SELECT_RECENT_QUERIES = """
select text from deed where account = ? and url is null group by text order by max(id) desc limit ?
"""
MAX_HISTORY_ENTRIES = 10_000
"""Questions and results of one account; the oldest are forgotten first."""
MAX_HOST_PREFERENCES = 1000
"""Wishes of one account; keys and sessions are fewer."""
MAX_API_KEYS = 50
MAX_SESSIONS = 50
LAST_USED_INTERVAL_SECONDS = 60.0
"""Seconds between two notes that something was used."""


class SqliteAccountStore:
    """The account store of a data folder; threads may share it."""

    def __init__(self, path: Path) -> None:
        try:
            path.touch(mode=0o600)  # before there is anything in it that others could read
        except OSError as error:
            raise DataError(f"cannot write to {path}: {error.strerror}") from error
        self._db = open_to_write(path, SCHEMA, SCHEMA_VERSION, "storage.other_version_accounts")
        self._db.execute("pragma foreign_keys = on")
        self._db.execute("pragma secure_delete = on")
        self._db.execute("pragma cache_size = -4096")
        self._lock = Lock()

    def close(self) -> None:
        with self._lock:
            self._db.close()

    # Accounts.

    def add(self, name: str, role: Role, password: str, now: float) -> Account | None:
        with self._writing() as db:
            return _added(db, name, role, password, now)

    def account(self, name: str) -> tuple[Account, str] | None:
        row = self._one(SELECT_ACCOUNT_BY_NAME, name)
        return (_account(row[:6]), row[6]) if row else None

    def accounts(self) -> list[Account]:
        return [_account(row) for row in self._all(SELECT_ACCOUNTS)]

    def set_password(self, id: AccountId, password: str) -> None:
        self._run("update account set password = ? where id = ?", password, id)

    def set_role(self, id: AccountId, role: Role) -> bool:
        with self._writing() as db:
            if role is not Role.ADMIN and not db.execute(COUNT_OTHER_ADMINS, (id,)).fetchone()[0]:
                return False
            db.execute("update account set role = ? where id = ?", (role, id))
            return True

    def set_records_history(self, id: AccountId, records_history: bool) -> None:
        self._run("update account set remembers = ? where id = ?", records_history, id)

    def set_boost_strength(self, id: AccountId, strength: float) -> None:
        self._run("update account set strength = ? where id = ?", strength, id)

    def remove(self, id: AccountId) -> bool:
        with self._writing() as db:
            role = db.execute("select role from account where id = ?", (id,)).fetchone()
            others = db.execute(COUNT_OTHER_ADMINS, (id,)).fetchone()[0]
            if role == (Role.ADMIN,) and not others:
                return False
            db.execute("delete from account where id = ?", (id,))
            return True

    # Sessions.

    def start_session(self, session: Session, hash: bytes) -> None:
        given = (
            session.created_at,
            session.last_seen_at,
            session.expires_at,
            session.user_agent,
            session.address,
        )
        with self._writing() as db:
            db.execute("delete from session where ends_at <= ?", (session.created_at,))
            db.execute(INSERT_SESSION, (hash, session.account_id, *given))
            db.execute(
                "delete from session where account = :account and id <= (select id from session "
                "where account = :account order by id desc limit 1 offset :most)",
                {"account": session.account_id, "most": MAX_SESSIONS},
            )

    def session(self, hash: bytes, now: float) -> tuple[Session, Account] | None:
        row = self._one(SELECT_SESSION, hash, now)
        return (Session(*row[:7]), _account(row[7:])) if row else None

    def touch_session(self, session: int, now: float) -> None:
        self._run("update session set seen_at = ? where id = ?", now, session)

    def sessions(self, id: AccountId, now: float) -> list[Session]:
        return [Session(*row) for row in self._all(SELECT_SESSIONS, id, now)]

    def end_sessions(
        self, id: AccountId, session: int | None = None, except_session: int | None = None
    ) -> None:
        if session is not None:
            self._run("delete from session where account = ? and id = ?", id, session)
        else:
            self._run("delete from session where account = ? and id is not ?", id, except_session)

    # Invitations.

    def add_invitation(self, role: Role, hash: bytes, now: float, expires_at: float) -> None:
        with self._writing() as db:
            db.execute("delete from invitation where ends_at <= ?", (now,))
            if not db.execute(COUNT_OTHER_ADMINS, (0,)).fetchone()[0]:
                db.execute("delete from invitation where role = 'admin'")
            db.execute(INSERT_INVITATION, (hash, role, now, expires_at))

    def invitation_role(self, hash: bytes, now: float) -> Role | None:
        row = self._one("select role from invitation where hash = ? and ends_at > ?", hash, now)
        return Role(row[0]) if row else None

    def accept_invitation(
        self, hash: bytes, name: str, password: str, now: float
    ) -> Account | None:
        with self._writing() as db:
            found = "select role from invitation where hash = ? and ends_at > ?"
            row = db.execute(found, (hash, now)).fetchone()
            made = _added(db, name, Role(row[0]), password, now) if row else None
            if made:
                db.execute("delete from invitation where hash = ?", (hash,))
            return made

    def invitations(self, now: float) -> list[Invitation]:
        found = "select id, role, made_at, ends_at from invitation where ends_at > ? order by id"
        return [Invitation(row[0], Role(row[1]), *row[2:]) for row in self._all(found, now)]

    def revoke_invitation(self, id: int) -> None:
        self._run("delete from invitation where id = ?", id)

    # Keys.

    def add_key(
        self, id: AccountId, name: str, scope: ApiKeyScope, hash: bytes, now: float
    ) -> bool:
        with self._writing() as db:
            had = db.execute("select count(*) from api_key where account = ?", (id,)).fetchone()[0]
            if had >= MAX_API_KEYS:
                return False
            made = "insert into api_key (hash, account, name, use, made_at) values (?, ?, ?, ?, ?)"
            db.execute(made, (hash, id, name, scope, now))
            return True

    def key(self, hash: bytes, now: float) -> tuple[ApiKey, Account] | None:
        row = self._one(SELECT_API_KEY, hash)
        if row is None:
            return None
        key = _key(row[:5])
        if now - (key.last_used_at or 0) > LAST_USED_INTERVAL_SECONDS:
            self._run("update api_key set used_at = ? where id = ?", now, key.id)
        return key, _account(row[5:])

    def keys(self, id: AccountId) -> list[ApiKey]:
        found = f"select {API_KEY_COLUMNS} from api_key where account = ? order by id"
        return [_key(row) for row in self._all(found, id)]

    def remove_key(self, id: AccountId, key: int) -> None:
        self._run("delete from api_key where account = ? and id = ?", id, key)

    # History.

    def record_query(self, id: AccountId, text: str, now: float) -> None:
        self._note(id, now, text, None)

    def record_click(self, id: AccountId, url: str, query: str, now: float) -> None:
        self._note(id, now, query, url)

    def set_host_preference(
        self, id: AccountId, host: str, preference: HostPreference | None
    ) -> bool:
        with self._writing() as db:
            db.execute("delete from wish where account = ? and host = ?", (id, host))
            had = db.execute("select count(*) from wish where account = ?", (id,)).fetchone()[0]
            if preference and had < MAX_HOST_PREFERENCES:
                db.execute("insert into wish values (?, ?, ?)", (id, host, preference))
            return not preference or had < MAX_HOST_PREFERENCES

    def history(self, id: AccountId) -> History:
        deeds = "select id, at, text, url from deed where account = ? order by id desc"
        rows = self._all(deeds, id)
        return History(
            tuple(PastQuery(at, text, deed) for deed, at, text, url in rows if url is None),
            tuple(
                PastClick(at, url, text, deed) for deed, at, text, url in rows if url is not None
            ),
            self._wishes(id),
        )

    def recent_queries(self, id: AccountId, limit: int) -> list[str]:
        return [text for (text,) in self._all(SELECT_RECENT_QUERIES, id, limit)]

    def preferences(self, id: AccountId) -> Preferences:
        (strength,) = self._one("select strength from account where id = ?", id) or (0.0,)
        return Preferences(dict(self._all(COUNT_OPENED_PAGES, id)), self._wishes(id), strength)

    def delete_history(self, id: AccountId, entry_id: int | None = None) -> None:
        if entry_id is None:
            self._run("delete from deed where account = ?", id)
        else:
            self._run("delete from deed where account = ? and id = ?", id, entry_id)

    def _wishes(self, id: AccountId) -> dict[str, HostPreference]:
        rows = self._all("select host, wish from wish where account = ? order by host", id)
        return {host: HostPreference(wish) for host, wish in rows}

    def _note(self, id: AccountId, now: float, text: str, url: str | None) -> None:
        with self._writing() as db:
            added = "insert into deed (account, at, text, url) values (?, ?, ?, ?)"
            db.execute(added, (id, now, text, url))
            db.execute(PRUNE_HISTORY, {"account": id, "most": MAX_HISTORY_ENTRIES})

    # SQLite.

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            self._db.execute("begin immediate")
            try:
                yield self._db
                self._db.execute("commit")
            except BaseException:
                self._db.execute("rollback")
                raise

    def _run(self, sql: str, *values: object) -> None:
        with self._writing() as db:
            db.execute(sql, values)

    def _one(self, sql: str, *values: object) -> Any:
        with self._lock:
            return self._db.execute(sql, values).fetchone()

    def _all(self, sql: str, *values: object) -> list[Any]:
        with self._lock:
            return self._db.execute(sql, values).fetchall()


def _added(
    db: sqlite3.Connection, name: str, role: Role, password: str, now: float
) -> Account | None:
    done = db.execute(INSERT_ACCOUNT, (name, role, password, now))
    if not done.rowcount:
        return None
    return Account(AccountId(done.lastrowid or 0), name, role, now)


def _account(row: Any) -> Account:
    id, name, role, made_at, remembers, strength = row
    return Account(id, name, Role(role), made_at, bool(remembers), strength)


def _key(row: Any) -> ApiKey:
    id, name, use, made_at, used_at = row
    return ApiKey(id, name, ApiKeyScope(use), made_at, used_at)
