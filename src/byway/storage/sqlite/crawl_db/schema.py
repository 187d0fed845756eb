"""crawl.db: what the tables are, and how it is opened.

One process writes (it holds the folder's `crawl` lock); any number read.
"""

import sqlite3
from collections.abc import Mapping
from pathlib import Path

from byway.core.errors import DataError

SCHEMA_VERSION = 3

MIGRATIONS = {2: "alter table url add column job integer not null default 0"}
"""What makes a database of each earlier version one of the next."""

RESTORE_HINT = "restore it, or name another folder with --data"
"""What helps with a damaged database that cannot be made anew."""

SCHEMA = """
-- `rest` is how many seconds the host was last left alone; `urls`, how many of it we ever queued.
create table if not exists host (
    id integer primary key,
    name text not null unique,
    rest real not null default 0,
    urls integer not null default 0
);
-- Several crawls may share the folder; 0 is the main one. `reach`: its own settings, as JSON.
create table if not exists job (id integer primary key, name text not null unique, reach text);
-- `hash` finds a URL, `url` tells two that share one apart. `due` is when to try again.
-- The queue of a host goes by `priority`, then by age.
create table if not exists url (
    id integer primary key,
    hash integer not null,
    host integer not null,
    priority integer not null,
    depth integer not null,
    hops integer not null,
    tries integer not null default 0,
    seed integer not null default 0,
    state text not null,
    reason text,
    due real,
    url text not null,
    job integer not null default 0
);
create index if not exists url_hash on url (hash);
create index if not exists url_queue on url (host, priority, id) where state = 'queued';
create index if not exists url_due on url (due) where due is not null;
create index if not exists url_seed on url (id) where seed = 1;
create index if not exists url_redirected on url (id) where state = 'redirected';
create index if not exists url_removed on url (id) where reason = 'removed by hand';
-- How many URLs are in each state, kept up in the same transactions.
create table if not exists state_count (state text primary key, urls integer not null);
-- A version of a page, or (without a file) its end. Sequence numbers only grow, so "what is new
-- since" is one comparison. `content` finds pages of the same content: 8 bytes of the digest.
create table if not exists page (
    sequence integer primary key autoincrement,
    url integer not null,
    fetched_at real not null,
    status integer not null,
    digest blob not null,
    content integer not null,
    file text,
    offset integer,
    length integer,
    body_file text,
    body_offset integer,
    body_length integer
);
create index if not exists page_url on page (url);
create index if not exists page_content on page (content);
-- What the newest version of a page was like, for asking whether it has changed since.
create table if not exists latest (
    url integer primary key,
    digest blob not null,
    etag text not null,
    modified text not null,
    checked_at real not null,
    again_at real not null,
    interval real not null,
    missing integer not null default 0
);
create index if not exists latest_again on latest (again_at);
-- What is known of parts of hosts that may have no end; crawl/traps says what the columns are.
create table if not exists trap (
    host, pattern, standing, urls, share, reason, tried, near, lost, empty, highest, in_a_row,
    contents, primary key (host, pattern)
) without rowid;
-- Hosts that were removed by hand: what is found of them, and of those below, is never visited.
create table if not exists removed (host text primary key) without rowid;
-- The robots.txt of each host as it last came, and when: it holds for a day. `body` is its text.
create table if not exists robots (
    host text primary key, fetched_at real not null, status integer not null, body blob not null
) without rowid;
-- The links of a page's newest version: targets as int32 numbers, anchors as one zstd text.
create table if not exists link (source integer primary key, targets blob, anchors blob);
"""


def open_to_write(
    path: Path,
    schema: str = SCHEMA,
    version: int = SCHEMA_VERSION,
    migrations: Mapping[int, str] = MIGRATIONS,
) -> sqlite3.Connection:
    """A connection that writes; what it commits survives a power cut."""
    # synchronous=NORMAL lost acknowledged rows in 38 of 40 simulated power cuts, FULL in none.
    db = _connect(f"file:{_quoted(path)}", path)
    try:
        db.execute("pragma journal_mode = wal")
        db.execute("pragma synchronous = full")
        db.execute("pragma cache_size = -65536")
        found = db.execute("pragma user_version").fetchone()[0]
        while found in migrations and found < version:
            db.executescript(
                f"begin; {migrations[found]}; pragma user_version = {found + 1}; commit"
            )
            found += 1
        if found not in (0, version):
            raise DataError(f"{path} was written by another version of byway (format {found})")
        db.executescript(schema)
        db.execute(f"pragma user_version = {version}")
    except sqlite3.DatabaseError as error:
        raise DataError(f"{path} cannot be used: {error}") from error
    return db


def open_to_read(path: Path, hint: str = RESTORE_HINT) -> sqlite3.Connection:
    """A connection that never writes."""
    db = _connect(f"file:{_quoted(path)}?mode=ro", path)
    try:
        db.execute("pragma schema_version")  # nothing is read before something is asked
    except sqlite3.OperationalError:
        raise  # busy, or taken away: whoever asked may ask again
    except sqlite3.DatabaseError as error:
        db.close()
        raise DataError(f"{path} is damaged ({error}); {hint}") from error
    return db


def _connect(uri: str, path: Path) -> sqlite3.Connection:
    try:
        # Commits run in a thread of their own; each connection has its own lock around it.
        return sqlite3.connect(
            uri, uri=True, isolation_level=None, check_same_thread=False, timeout=10
        )
    except sqlite3.OperationalError as error:
        raise DataError(f"cannot open {path}: {error}") from error


def _quoted(path: Path) -> str:
    return str(path.absolute()).replace("%", "%25").replace("?", "%3f").replace("#", "%23")
