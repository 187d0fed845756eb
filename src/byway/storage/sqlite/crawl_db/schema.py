"""Schema of crawl.db: connections for writing and reading, and reasons as columns.

One process writes (it holds the folder's `crawl` lock); any number may read.
"""

import sqlite3
from pathlib import Path

from byway.core.messages import NO_REASON, Reason
from byway.core.model import Url
from byway.core.sqlite_file import open_sqlite_to_read, open_sqlite_to_write

SCHEMA_VERSION = 4

SCHEMA = """
-- `crawl_delay`: seconds the host was last left alone; `url_count`: how many of its URLs were ever
-- queued.
create table if not exists host (
    id integer primary key,
    name text not null unique,
    crawl_delay real not null default 0,
    url_count integer not null default 0
);
-- Several crawls may share the folder; 0 is the main one. `overrides`: its own settings, as JSON.
create table if not exists job (id integer primary key, name text not null unique, overrides text);
-- `url_hash` finds a URL, `url` tells two with the same hash apart. A host's queue is ordered by
-- `priority`, then by age. `reason` is a code, `reason_params` its parameters as JSON.
-- `removed_site`: the site it was removed with; empty: removed alone; null: not removed.
create table if not exists url (
    id integer primary key,
    url_hash integer not null,
    host_id integer not null,
    priority integer not null,
    depth integer not null,
    redirect_hops integer not null,
    attempts integer not null default 0,
    is_seed integer not null default 0,
    state text not null,
    reason text,
    reason_params text,
    redirect_target text,
    removed_site text,
    retry_at real,
    url text not null,
    job_id integer not null default 0
);
create index if not exists url_by_hash on url (url_hash);
create index if not exists url_queue on url (host_id, priority, id) where state = 'queued';
create index if not exists url_retry on url (retry_at) where retry_at is not null;
create index if not exists url_seed on url (id) where is_seed = 1;
create index if not exists url_redirected on url (id) where state = 'redirected';
create index if not exists url_removed on url (id) where removed_site = '';
-- How many URLs are in each state, kept up in the same transactions.
create table if not exists state_count (state text primary key, url_count integer not null);
-- A version of a page, or (without a file) its tombstone. Sequence numbers only grow, so "what is
-- new since" is one comparison. `digest_prefix` (8 bytes) finds pages of the same content.
create table if not exists page_version (
    sequence integer primary key autoincrement,
    url_id integer not null,
    fetched_at real not null,
    status integer not null,
    digest blob not null,
    digest_prefix integer not null,
    file text,
    offset integer,
    length integer,
    body_file text,
    body_offset integer,
    body_length integer
);
create index if not exists page_version_url on page_version (url_id);
create index if not exists page_version_digest on page_version (digest_prefix);
-- The newest version of a page, for conditional requests, and when to fetch it again.
create table if not exists revisit (
    url_id integer primary key,
    digest blob not null,
    etag text not null,
    last_modified text not null,
    checked_at real not null,
    revisit_at real not null,
    revisit_interval real not null,
    missing_count integer not null default 0
);
create index if not exists revisit_due on revisit (revisit_at);
-- Statistics of URL patterns that may be crawler traps, see crawl/traps/.
create table if not exists url_pattern (
    host_name, pattern, state, url_count, redundant_share, reason, reason_params, recent_urls,
    duplicates, soft_404s, empty_pages, highest_number, redundant_run, simhashes,
    primary key (host_name, pattern)
) without rowid;
-- Sites that were removed by hand: their URLs, and those of hosts below them, are never visited.
create table if not exists removed_site (host_name text primary key) without rowid;
-- The robots.txt of each host as it last came; it holds for a day.
create table if not exists robots_txt (
    host_name text primary key,
    fetched_at real not null,
    status integer not null,
    body blob not null
) without rowid;
-- The links of a page's newest version: targets as int32 ids (negative: nofollow), anchors as one
-- zstd text.
create table if not exists outlinks (
    source_id integer primary key, target_ids blob, anchor_texts blob
);
"""
ReasonColumns = tuple[str | None, str | None, str | None]
"""Values of `reason`, `reason_params` and `redirect_target`."""


def open_to_write(path: Path) -> sqlite3.Connection:
    """The connection for the one process that writes to crawl.db."""
    return open_sqlite_to_write(path, SCHEMA, SCHEMA_VERSION)


def open_to_read(path: Path) -> sqlite3.Connection:
    """A read-only connection to crawl.db."""
    return open_sqlite_to_read(path, SCHEMA_VERSION)


def reason_columns(reason: Reason, redirect_target: Url | None = None) -> ReasonColumns:
    """The columns of a reason. The target of a redirect is stored once, in its own column."""
    params = {} if redirect_target is None else {"to": redirect_target}
    stored = "" if params and reason.params == params else reason.dump_params()
    return reason.code or None, stored or None, redirect_target


def load_reason(code: str | None, params: str | None, redirect_target: str | None) -> Reason:
    """The reason in these columns; empty if there is none."""
    if not code:
        return NO_REASON
    if redirect_target and not params:
        return Reason(code, to=redirect_target)
    return Reason.load(code, params or "")
