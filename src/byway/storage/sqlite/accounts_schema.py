"""Schema of accounts.db."""

OTHER_VERSION, SCHEMA_VERSION = "storage.other_version_accounts", 3
SCHEMA = """
create table if not exists account (
    id integer primary key autoincrement,
    name text not null unique,
    role text not null,
    password_hash text not null,
    created_at real not null,
    keeps_history integer not null default 1,
    boost_strength real not null default 1
);
-- Of every secret there is only its hash.
create table if not exists session (
    id integer primary key,
    token_hash blob not null unique,
    account_id integer not null references account on delete cascade,
    created_at real not null,
    last_seen_at real not null,
    expires_at real not null,
    user_agent text not null,
    ip_address text not null
);
create index if not exists session_account on session (account_id);
create table if not exists invitation (
    id integer primary key,
    token_hash blob not null unique,
    role text not null,
    created_at real not null,
    expires_at real not null
);
create table if not exists api_key (
    id integer primary key,
    key_hash blob not null unique,
    account_id integer not null references account on delete cascade,
    name text not null,
    scope text not null,
    created_at real not null,
    last_used_at real
);
create index if not exists api_key_account on api_key (account_id);
-- `clicked_url` is null for a query, and the result for a click.
create table if not exists history_entry (
    id integer primary key,
    account_id integer not null references account on delete cascade,
    occurred_at real not null,
    query text not null,
    clicked_url text
);
create index if not exists history_entry_account on history_entry (account_id, id);
create table if not exists host_preference (
    account_id integer not null references account on delete cascade,
    host_name text not null,
    preference text not null,
    primary key (account_id, host_name)
) without rowid;
-- A key is the hash of an account name or an address.
create table if not exists failed_attempt (
    key_hash blob primary key,
    failure_count integer not null,
    last_at real not null
) without rowid;
create index if not exists failed_attempt_last on failed_attempt (last_at);
"""
