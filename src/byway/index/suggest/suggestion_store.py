"""Autocomplete store: titles, main headings and anchor texts of pages, found by prefix.

    suggestions.db   the suggestions of each page, to be deleted with it; and their prefixes, for
                     pages added since the arrays were written
    *.npy            all suggestions at the time of the last write, see `prefix_index`

The writer replaces the arrays when a fifth of the pages is new, and when it closes. Until then, new
suggestions are read from the database, and those whose pages have all changed are left out.
"""

import sqlite3
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple
from zlib import crc32

from byway.core.model import Document, UrlId
from byway.core.ports import PageLinks
from byway.core.text import (
    is_generic_title,
    normalize_phrase,
    page_names,
    storable_text,
    strip_chapter_number,
)
from byway.core.url import host_of
from byway.index.suggest.prefix_index import StoredSuggestions, prefix_keys
from byway.index.suggest.title_cleanup import (
    HostTitle,
    SiteNames,
    best_names,
    site_names,
    strip_site_name,
)

MAX_SUGGESTION_CHARS = 80
MAX_ANCHORS_PER_PAGE = 3
"""Maximum number of anchor texts suggested per page, the most frequent first."""
TITLE_WEIGHT = 3
"""A title counts as much as this many links."""
DOCUMENTS_PER_WRITE = 500
"""Pages whose suggestions are written at once."""
REBUILD_GROWTH_SHARE = 0.2
"""Share of new pages at which the arrays are replaced, which takes 35 µs per indexed page."""

SCHEMA = """
-- The suggestions of each page, with their weight in links.
create table if not exists suggestion (
    page_id integer, text text, host_hash integer, weight integer
);
create index if not exists suggestion_page on suggestion (page_id);
-- Pages that were added, changed or removed since the arrays were written.
create table if not exists changed_page (page_id integer primary key);
-- The prefixes of the suggestions of those pages.
create table if not exists recent_prefix (
    prefix blob, text text, is_inner_word integer, page_id integer
);
create index if not exists recent_prefix_prefix on recent_prefix (prefix);
create index if not exists recent_prefix_page on recent_prefix (page_id);
-- The names of sites that are cut off the titles of their pages.
create table if not exists site_name (
    host_hash integer, name text, primary key (host_hash, name)
);
"""
SELECT_HOST_TITLES = """
select text, host_hash, max(weight), count(*), min(page_id), max(page_id)
from suggestion group by host_hash, text
"""
SELECT_DISTINCT_TITLES = "select distinct host_hash, text from suggestion order by host_hash"
SELECT_PAGE_SUGGESTIONS = "select text, host_hash from suggestion where page_id = ?"
SELECT_SITE_NAMES = "select host_hash, name from site_name where host_hash = ?"


class PageSuggestions(NamedTuple):
    """The suggestions of one page."""

    page_id: UrlId
    host_hash: int
    texts: list[tuple[str, int]]
    """The suggestions with their weights."""


def page_suggestions(document: Document, page_links: PageLinks) -> PageSuggestions:
    """The suggestions of a page: its title, main headings and anchor texts."""
    texts = list(_suggestions(document, page_links))
    return PageSuggestions(document.id, crc32(host_of(document.url).encode()), texts)


class SuggestionStore(StoredSuggestions):
    """The suggestions of an index and their writer."""

    def __init__(self, folder: Path, max_suggestions: int) -> None:
        super().__init__(folder)
        self._limit = max_suggestions
        self._db: sqlite3.Connection | None = None
        self._pending: dict[UrlId, list[tuple[str, int]]] = {}
        self._hosts: dict[UrlId, int] = {}
        self._uncommitted: set[UrlId] = set()
        self._changed = 0

    def add(self, suggestions: PageSuggestions) -> None:
        """Add the suggestions of a page, replacing its previous ones."""
        self._pending[suggestions.page_id] = suggestions.texts
        self._hosts[suggestions.page_id] = suggestions.host_hash
        if len(self._pending) >= DOCUMENTS_PER_WRITE:
            self._write_pending()

    def remove(self, ids: Iterable[UrlId]) -> None:
        """Delete the suggestions of these pages."""
        self._delete(list(ids))

    def _delete(self, ids: list[UrlId]) -> None:
        for id in ids:
            self._pending.pop(id, None)
        rows = [(id,) for id in ids]
        self._open_for_writing().executemany("delete from suggestion where page_id = ?", rows)
        self._uncommitted.update(ids)

    def _write_pending(self) -> None:
        rows = [
            (id, text, self._hosts[id], weight)
            for id, suggestions in self._pending.items()
            for text, weight in suggestions
        ]
        self._delete(list(self._pending))
        self._hosts.clear()
        self._open_for_writing().executemany("insert into suggestion values (?, ?, ?, ?)", rows)

    def commit(self, indexed_documents: int = 0) -> None:
        """Make additions durable and visible; replace the arrays once there are enough.

        `indexed_documents`: the number of pages indexed before this commit.
        """
        self._write_pending()
        self._changed += len(self._uncommitted)
        is_outdated = self._changed > REBUILD_GROWTH_SHARE * indexed_documents
        if not is_outdated:
            self._add_recent_prefixes(self._uncommitted)
        self._uncommitted.clear()
        self._open_for_writing().execute("commit")
        self._open_for_writing().execute("begin")
        if is_outdated:
            self.write()

    def _add_recent_prefixes(self, ids: Iterable[UrlId]) -> None:
        """Index the new suggestions of these pages, replacing the old ones."""
        db = self._open_for_writing()

        @cache
        def names_of(host: int) -> SiteNames:
            return set(db.execute(SELECT_SITE_NAMES, (host,)))

        for id in ids:
            db.execute("insert or ignore into changed_page values (?)", (id,))
            db.execute("delete from recent_prefix where page_id = ?", (id,))
            for text, host in db.execute(SELECT_PAGE_SUGGESTIONS, (id,)).fetchall():
                name = strip_site_name(text, host, names_of(host))
                rows = (
                    prefix_keys(normalize_phrase(name))
                    if not is_generic_title(normalize_phrase(name))
                    else ()
                )
                db.executemany(
                    "insert into recent_prefix values (?, ?, ?, ?)",
                    [(prefix, name, is_inner, id) for prefix, is_inner in rows],
                )

    def write(self) -> None:
        """Replace the arrays, unless nothing has changed."""
        if not self._changed:
            return
        db = self._open_for_writing()
        # Two queries: one host may have all the pages, and its titles may not fit in memory.
        sites = site_names(db.execute(SELECT_DISTINCT_TITLES))
        self._prefix_index.write(
            best_names(map(HostTitle._make, db.execute(SELECT_HOST_TITLES)), sites, self._limit)
        )
        for table in ("changed_page", "recent_prefix", "site_name"):
            db.execute(f"delete from {table}")
        db.executemany("insert into site_name values (?, ?)", sites)
        db.execute("commit")
        db.execute("begin")
        self._changed = 0

    def close(self) -> None:
        """Write all committed suggestions to the arrays, and close the files."""
        self._pending.clear()
        self._uncommitted.clear()
        if self._db is not None:
            self._db.execute("rollback")
            self._db.execute("begin")
            self.write()
            self._db.execute("commit")
            self._db.close()
            self._db = None
        self._reader.close()

    def _open_for_writing(self) -> sqlite3.Connection:
        if self._db is None:
            self._db = sqlite3.connect(self._path, isolation_level=None)
            # Derived from the documents, so it need not be synced to disk.
            self._db.executescript(f"pragma journal_mode = wal; pragma synchronous = off; {SCHEMA}")
            self._db.execute("begin")
            (self._changed,) = self._db.execute("select count(*) from changed_page").fetchone()
        return self._db


def _suggestions(document: Document, page_links: PageLinks) -> Iterator[tuple[str, int]]:
    """The suggestions of a page, with their weights."""
    main = (heading.text for heading in document.headings if heading.level == 1)
    names = dict.fromkeys(map(_shorten, page_names(document.title, main)))
    yield from ((name, TITLE_WEIGHT) for name in names if name)
    by_links = sorted(page_links.anchors, key=lambda anchor: -anchor[1])
    for text, count in by_links[:MAX_ANCHORS_PER_PAGE]:
        if (name := _shorten(strip_chapter_number(text))) and name not in names:
            yield name, count


def _shorten(text: str) -> str:
    """The text on one line, cut at a word boundary."""
    text = " ".join(storable_text(text).split())
    return (
        text
        if len(text) <= MAX_SUGGESTION_CHARS
        else text[:MAX_SUGGESTION_CHARS].rpartition(" ")[0]
    )
