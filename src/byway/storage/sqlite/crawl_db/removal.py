"""Manual removal of URLs, or of a site including any URL found on it later."""

import json
import sqlite3
from collections.abc import Sequence
from typing import NamedTuple

from byway.core.errors import UsageError
from byway.core.model import Url, UrlId, UrlState
from byway.core.url import url_hash
from byway.storage.removed_sites import removal_reason, site_names
from byway.storage.sqlite.crawl_db.schema import reason_columns
from byway.storage.sqlite.transactions import CrawlDbWriter

SELECT_URL = "select id, host_id, state from url where url_hash = ? and url = ?"
SELECT_URLS_OF_HOSTS = """
select id, host_id, state from url
where host_id in (select value from json_each(?))
and (state = 'removed') = ? and (? or removed_site = ?)
"""
FROM_REMOVED_PAGES = "from url where removed_site = ''"
"""Must match the partial index `url_removed`, or every URL is scanned."""
SELECT_PAGE_FILES = "select distinct file, body_file from page_version where url_id = ?"
REMOVE_URL = """
update url set state = 'removed', reason = ?, reason_params = ?, redirect_target = ?,
    removed_site = ?, retry_at = null
where id = ?
"""
RESTORE_URL = """
update url set state = 'queued', reason = null, reason_params = null, removed_site = null,
    attempts = 0
where id = ?
"""
SELECT_REMOVED_SITE = "select 1 from removed_site where host_name = ?"
SELECT_HAS_PAGE = (
    "select file is not null from page_version where url_id = ? order by sequence desc limit 1"
)
INSERT_TOMBSTONE = """
insert into page_version (url_id, fetched_at, status, digest, digest_prefix)
values (?, ?, ?, x'', 0)
"""


class RemovalTarget(NamedTuple):
    """A URL to remove or to restore."""

    id: UrlId
    host_id: int
    state: UrlState
    has_page: bool
    """Whether it has a stored page, indexed or noindex."""


def removed_pages(db: sqlite3.Connection, limit: int) -> tuple[list[Url], int]:
    """Individually removed pages, and their total number."""
    rows = db.execute(f"select url {FROM_REMOVED_PAGES} order by id limit ?", (limit,))
    found = [Url(url) for (url,) in rows]
    return found, int(db.execute(f"select count(*) {FROM_REMOVED_PAGES}").fetchone()[0])


def stored_files(db: sqlite3.Connection, targets: Sequence[RemovalTarget]) -> list[str]:
    """The WARC files that hold pages of these URLs."""
    found: set[str] = set()
    for one in targets:
        for pair in db.execute(SELECT_PAGE_FILES, (one.id,)):
            found.update(filter(None, pair))
    return sorted(found)


def resolve_targets(
    db: sqlite3.Connection, urls: Sequence[Url], site: str = "", undo: bool = False
) -> list[RemovalTarget]:
    """The removal targets for URLs or a site; raises `UsageError` for an unknown one."""
    rows = (
        _select_site_urls(db, site, undo) if site else [_select_url(db, url, undo) for url in urls]
    )
    found = [(UrlId(id), host, UrlState(state)) for id, host, state in dict.fromkeys(rows)]
    return [RemovalTarget(*one, _has_page(db, one[0])) for one in found]


def remove(writer: CrawlDbWriter, urls: Sequence[Url], site: str, now: float) -> None:
    """Remove these URLs: their pages get a tombstone, and they are not visited again."""
    writer.db.execute("pragma secure_delete = on")  # overwrite the anchor texts with zeros
    with writer.transaction() as changes:
        for one in resolve_targets(writer.db, urls, site):
            if one.state is not UrlState.REMOVED:  # an individually removed URL stays removed
                columns = reason_columns(removal_reason(site))
                writer.db.execute(REMOVE_URL, (*columns, site, one.id))
                changes.change_state(one.state, UrlState.REMOVED, one.host_id)
            if one.has_page:
                add_tombstone(writer.db, one.id, now, 0)
            else:  # its links may be stored without a page (state links_only)
                writer.db.execute("delete from outlinks where source_id = ?", (one.id,))
        if site:
            writer.db.execute("replace into removed_site values (?)", (site,))
        changes.retries_changed = True


def restore(writer: CrawlDbWriter, urls: Sequence[Url], site: str) -> None:
    """Undo a removal: the next crawl visits these URLs if they are in its scope."""
    with writer.transaction() as changes:
        for one in resolve_targets(writer.db, urls, site, undo=True):
            writer.db.execute(RESTORE_URL, (one.id,))
            changes.change_state(one.state, UrlState.QUEUED, one.host_id)
        writer.db.execute("delete from removed_site where host_name = ?", (site,))


def add_tombstone(db: sqlite3.Connection, id: UrlId, at: float, status: int) -> int:
    """Add a tombstone for a page and delete its links; return the sequence number."""
    for table, column in (("revisit", "url_id"), ("outlinks", "source_id")):
        db.execute(f"delete from {table} where {column} = ?", (id,))
    return int(db.execute(INSERT_TOMBSTONE, (id, at, status)).lastrowid or 0)


def _select_url(db: sqlite3.Connection, url: Url, undo: bool) -> tuple[int, int, str]:
    row: tuple[int, int, str] | None = db.execute(SELECT_URL, (url_hash(url), url)).fetchone()
    if row is None:
        raise UsageError("storage.url_unknown", url=url)
    if undo and row[2] != UrlState.REMOVED:
        raise UsageError("storage.url_not_removed", url=url, state=row[2])
    return row


def _select_site_urls(db: sqlite3.Connection, site: str, undo: bool) -> list[tuple[int, int, str]]:
    hosts = [id for id, name in db.execute("select id, name from host") if site in site_names(name)]
    if undo and not db.execute(SELECT_REMOVED_SITE, (site,)).fetchone():
        raise UsageError("storage.site_not_removed", site=site)
    if not hosts:
        raise UsageError("storage.site_unknown", site=site)
    return db.execute(SELECT_URLS_OF_HOSTS, (json.dumps(hosts), undo, not undo, site)).fetchall()


def _has_page(db: sqlite3.Connection, id: UrlId) -> bool:
    row = db.execute(SELECT_HAS_PAGE, (id,)).fetchone()
    return bool(row and row[0])
