"""What may somebody be about to type? Titles, main headings and what links call pages.

    phrases.db   the phrases of each document, so that they go when it goes; and, ready to be looked
                 up, those of documents that have come since the arrays were made
    *.npy        all phrases as they were then, see `beginnings`

The writer makes the arrays anew when a fifth has been added, and at the end. Until then what has
come is read beside them, and a phrase whose pages have all changed or gone is left out.
"""

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from json import dumps
from pathlib import Path
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
from byway.index.dictionary.delta_db import DeltaReader
from byway.index.dictionary.edit_distance import single_edit_prefixes
from byway.index.suggest.prefix_index import (
    PREFIX_KEY_BYTES,
    PrefixIndex,
    SuggestionMatch,
    prefix_keys,
)
from byway.index.suggest.title_cleanup import (
    MANY_PAGES,
    HostTitle,
    SiteNames,
    best_names,
    site_names,
    strip_site_name,
)

MAX_SUGGESTION_CHARS = 80
"""Characters of a phrase: nobody types more before choosing."""
MAX_ANCHORS_PER_PAGE = 3
"""What links say of a page, that is taken: the most frequent."""
TITLE_WEIGHT = 3
"""How many times a title counts as much as a link."""
DOCUMENTS_PER_WRITE = 500
"""Documents whose phrases are written at once."""
REBUILD_GROWTH_SHARE = 0.2
"""To make all anew takes 35 µs for each document there is; what has come is shown anyway."""
MAX_RECENT_PREFIXES = 500
"""Beginnings that have come since, of which the best are chosen: then any of them will do."""

SCHEMA = """
create table if not exists phrase (id integer, text text, host integer, count integer);
create index if not exists phrase_id on phrase (id);
create table if not exists changed (id integer primary key);
create table if not exists recent (key blob, text text, inside integer, id integer);
create index if not exists recent_key on recent (key);
create index if not exists recent_id on recent (id);
create table if not exists site_name (host integer, piece text, primary key (host, piece));
"""
SELECT_HOST_TITLES = """
select text, host, max(count), count(*), min(id), max(id) from phrase group by host, text
"""
SELECT_DISTINCT_TITLES = "select distinct host, text from phrase order by host"
SELECT_PAGE_PHRASES = "select text, host from phrase where id = ?"
SELECT_SITE_NAMES = "select host, piece from site_name where host = ?"
SELECT_ANY_RECENT_PREFIX = "select 1 from recent limit 1"
SELECT_RECENT_PREFIXES = """
select text, inside from json_each(?) as begun cross join recent
on recent.key >= cast(begun.value as blob) and recent.key < cast(begun.value || x'ff' as blob)
limit ?
"""


class SuggestionStore:
    """Phrases of the documents, found by how one of their words begins."""

    def __init__(self, folder: Path, max_suggestions: int) -> None:
        self._path = folder / "phrases.db"
        self._most = max_suggestions
        self._db: sqlite3.Connection | None = None
        self._asked = DeltaReader(self._path)
        self._waiting: dict[UrlId, list[tuple[str, int]]] = {}
        self._hosts: dict[UrlId, int] = {}
        self._fresh: set[UrlId] = set()
        self._changed = 0
        self._shown = PrefixIndex(folder)

    # Writing.

    def add(self, document: Document, page_links: PageLinks) -> None:
        """Take in what a document is called, in place of what it was called before."""
        self._waiting[document.id] = list(_called(document, page_links))
        self._hosts[document.id] = crc32(host_of(document.url).encode())
        if len(self._waiting) >= DOCUMENTS_PER_WRITE:
            self._put()

    def remove(self, ids: Iterable[UrlId]) -> None:
        """Forget what these documents are called."""
        self._forget(list(ids))

    def _forget(self, ids: list[UrlId]) -> None:
        for id in ids:
            self._waiting.pop(id, None)
        gone = [(id,) for id in ids]
        self._writing().executemany("delete from phrase where id = ?", gone)
        self._fresh.update(ids)

    def _put(self) -> None:
        """Write down what documents are called that wait for it."""
        rows = [
            (id, text, self._hosts[id], count)
            for id, called in self._waiting.items()
            for text, count in called
        ]
        self._forget(list(self._waiting))
        self._hosts.clear()
        self._writing().executemany("insert into phrase values (?, ?, ?, ?)", rows)

    def commit(self, indexed_documents: int = 0) -> None:
        """Keep what was added, and show it; make all anew where it is much among so many."""
        self._put()
        self._changed += len(self._fresh)
        anew = self._changed > REBUILD_GROWTH_SHARE * indexed_documents
        if not anew:
            self._show(self._fresh)
        self._fresh.clear()
        self._writing().execute("commit")
        self._writing().execute("begin")
        if anew:
            self.write()

    def _show(self, fresh: Iterable[UrlId]) -> None:
        """Have these documents found by what they are called now, and no more by what they were."""
        db = self._writing()

        @cache
        def names_of(host: int) -> SiteNames:
            return set(db.execute(SELECT_SITE_NAMES, (host,)))

        for id in fresh:
            db.execute("insert or ignore into changed values (?)", (id,))
            db.execute("delete from recent where id = ?", (id,))
            for text, host in db.execute(SELECT_PAGE_PHRASES, (id,)).fetchall():
                name = strip_site_name(text, host, names_of(host))
                rows = (
                    prefix_keys(normalize_phrase(name))
                    if not is_generic_title(normalize_phrase(name))
                    else ()
                )
                db.executemany(
                    "insert into recent values (?, ?, ?, ?)",
                    [(key, name, inside, id) for key, inside in rows],
                )

    def write(self) -> None:
        """Make the arrays anew, unless nothing has changed."""
        if not self._changed:
            return
        db = self._writing()
        # Read twice: the names of one host may be those of all pages, too many to be held.
        sites = site_names(db.execute(SELECT_DISTINCT_TITLES))
        self._shown.write(
            best_names(map(HostTitle._make, db.execute(SELECT_HOST_TITLES)), sites, self._most)
        )
        for table in ("changed", "recent", "site_name"):
            db.execute(f"delete from {table}")
        db.executemany("insert into site_name values (?, ?)", sites)
        db.execute("commit")
        db.execute("begin")
        self._changed = 0

    def close(self) -> None:
        """Show all that is committed, and let go of the files."""
        self._waiting.clear()
        self._fresh.clear()
        if self._db is not None:
            self._db.execute("rollback")
            self._db.execute("begin")
            self.write()
            self._db.execute("commit")
            self._db.close()
            self._db = None
        self._asked.close()

    def _writing(self) -> sqlite3.Connection:
        if self._db is None:
            self._db = sqlite3.connect(self._path, isolation_level=None)
            # All of it can be made anew from the documents, so nothing waits for the disk.
            self._db.executescript(f"pragma journal_mode = wal; pragma synchronous = off; {SCHEMA}")
            self._db.execute("begin")
            (self._changed,) = self._db.execute("select count(*) from changed").fetchone()
        return self._db

    # Reading.

    def complete(self, prefix: str, limit: int) -> list[str]:
        """The phrases in which a word, and what follows it, begins like this; the best first."""
        key = normalize_phrase(prefix)
        if not key:
            return []
        return self._like([key], limit)[:limit]

    def fuzzy_complete(self, prefix: str, limit: int) -> list[str]:
        """The same, but for one slip; the slips that happen most are tried first."""
        for some in single_edit_prefixes(normalize_phrase(prefix)):
            if found := self._like(some, limit):
                return found
        return []

    def _like(self, keys: Sequence[str], most: int) -> list[str]:
        """The phrases that begin like one of these."""
        found = {normalize_phrase(text): text for text in self._recent(keys, most)}
        known = {normalize_phrase(text): text for text in self._there(self._shown.find(keys, most))}
        return _going_on(list((known | found).values()), keys)

    def _recent(self, keys: Sequence[str], most: int) -> list[str]:
        """Those of documents that have come since the arrays were made."""
        if not self._asked.rows(SELECT_ANY_RECENT_PREFIX, ()):
            return []
        rows = self._asked.rows(SELECT_RECENT_PREFIXES, (dumps(_cut(keys)), MAX_RECENT_PREFIXES))
        best = sorted({(inside, len(text), text) for text, inside in rows})
        return [text for _, _, text in best[:most]]

    def _there(self, found: list[SuggestionMatch]) -> list[str]:
        """The texts of those that some page may still be called."""
        ids = {id for one in found for id in one.page_ids if id > 0}
        marks = ", ".join("?" * len(ids))
        sql = f"select id from changed where id in ({marks})"
        gone = {0, *(id for (id,) in self._asked.rows(sql, [*ids]))}
        return [one.text for one in found if MANY_PAGES in one.page_ids or {*one.page_ids} - gone]


def _called(document: Document, linked: PageLinks) -> Iterator[tuple[str, int]]:
    """What a document is called, and how much each counts."""
    main = (one.text for one in document.headings if one.level == 1)
    names = dict.fromkeys(map(_tidy, page_names(document.title, main)))
    yield from ((name, TITLE_WEIGHT) for name in names if name)
    for text, count in sorted(linked.anchors, key=lambda item: -item[1])[:MAX_ANCHORS_PER_PAGE]:
        if (name := _tidy(strip_chapter_number(text))) and name not in names:
            yield name, count


def _cut(keys: Sequence[str]) -> list[str]:
    """The keys, each with no more bytes than are compared."""
    if all(map(str.isascii, keys)):
        return [key[:PREFIX_KEY_BYTES] for key in keys]
    return [key.encode()[:PREFIX_KEY_BYTES].decode(errors="ignore") for key in keys]


def _going_on(texts: list[str], keys: Sequence[str]) -> list[str]:
    """Those that have one of these keys whole, of which only the first bytes were looked up."""
    if not texts or max(map(len, map(str.encode, keys))) <= PREFIX_KEY_BYTES:
        return texts
    begun = [f" {key}" for key in keys]
    said = [f" {normalize_phrase(text)}" for text in texts]
    both = zip(texts, said, strict=True)
    return [text for text, words in both if any(key in words for key in begun)]


def _tidy(text: str) -> str:
    text = " ".join(storable_text(text).split())
    return (
        text
        if len(text) <= MAX_SUGGESTION_CHARS
        else text[:MAX_SUGGESTION_CHARS].rpartition(" ")[0]
    )
