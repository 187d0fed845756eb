"""documents.db: what each page says, as compressed JSON. Derived: it can be made anew from WARC."""

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from weakref import finalize

from zstandard import ZstdError

from byway.core.errors import DataError
from byway.core.model import Document, UrlId
from byway.core.model.codec import unpack
from byway.storage.sqlite.crawl_db.schema import open_to_read, open_to_write

SCHEMA_VERSION = 2
SCHEMA = """
-- `packed_document` (zstd JSON) is null for a tombstone: the page is to be forgotten.
create table if not exists document (
    url_id integer primary key,
    sequence integer not null,
    packed_document blob
);
create index if not exists document_sequence on document (sequence);
"""
REPLACE_DOCUMENT = "replace into document values (?, ?, ?)"
SELECT_DOCUMENTS_SINCE = """
select sequence, url_id, packed_document from document where sequence > ? order by sequence limit ?
"""
COUNT_DOCUMENTS_SINCE = """
select count(*) from document where sequence > ? and packed_document is not null
"""
SELECT_DOCUMENT = "select packed_document from document where url_id = ?"
DAMAGE_CODE = "storage.damaged_documents"
OTHER_VERSION = "storage.other_version_documents"
SELECT_LAST_SEQUENCE = "select coalesce(max(sequence), 0) from document"


class SqliteDocumentStore:
    """The document store of the data folder."""

    def __init__(self, db: sqlite3.Connection, path: Path) -> None:
        self._db = db
        self._path = path

    def put(self, documents: Iterable[tuple[int, UrlId, bytes]]) -> None:
        rows = [(id, sequence, packed or None) for sequence, id, packed in documents]
        ends = any(packed is None for _, _, packed in rows)
        # What a page said that is no more is overwritten with zeros, and not only let go.
        self._db.execute(f"pragma secure_delete = {'on' if ends else 'off'}")
        self._db.execute("begin immediate")
        try:
            self._db.executemany(REPLACE_DOCUMENT, rows)
            self._db.execute("commit")
        except BaseException:
            if self._db.in_transaction:  # where the disk is full, SQLite has ended it by itself
                self._db.execute("rollback")
            raise

    def get(self, id: UrlId) -> Document | None:
        with self._readable():
            row = self._db.execute(SELECT_DOCUMENT, (id,)).fetchone()
            return unpack(row[0]) if row and row[0] else None

    def has(self, id: UrlId) -> bool:
        """Was this page read, even if that gave no document?"""
        with self._readable():
            row = self._db.execute("select 1 from document where url_id = ?", (id,)).fetchone()
            return row is not None

    def changes_since(self, sequence: int, limit: int) -> list[tuple[int, UrlId, Document | None]]:
        with self._readable():
            rows = self._db.execute(SELECT_DOCUMENTS_SINCE, (sequence, limit))
            return [(number, id, body and unpack(body)) for number, id, body in rows]

    def count_documents_since(self, sequence: int) -> int:
        """How many documents, ends of pages not counted, came after this one."""
        return int(self._db.execute(COUNT_DOCUMENTS_SINCE, (sequence,)).fetchone()[0])

    def last_sequence(self) -> int:
        with self._readable():
            return int(self._db.execute(SELECT_LAST_SEQUENCE).fetchone()[0])

    def close(self) -> None:
        """Let go of the file."""
        self._db.close()

    @contextmanager
    def _readable(self) -> Iterator[None]:
        """What cannot be read is said to be damaged; one that is busy, or not made yet, is not."""
        try:
            yield
        except sqlite3.OperationalError:
            raise
        except (sqlite3.DatabaseError, ZstdError, ValueError) as error:
            raise DataError(DAMAGE_CODE, path=self._path, detail=str(error)) from error


def open_documents_to_write(path: Path) -> SqliteDocumentStore:
    """The document store, for the one process that fills it."""
    db = open_to_write(path, SCHEMA, SCHEMA_VERSION, OTHER_VERSION, DAMAGE_CODE)
    # What a power cut takes from here is extracted again from the pages.
    db.execute("pragma synchronous = normal")
    # Documents are added and hardly ever read again here, so a large cache would only fill up.
    db.execute("pragma cache_size = -2048")
    return SqliteDocumentStore(db, path)


def open_documents_to_read(path: Path) -> SqliteDocumentStore:
    """The document store, for everybody else; closed at the latest when nobody can ask it."""
    if not path.exists():
        raise DataError("storage.documents_missing", path=path)
    db = open_to_read(path, SCHEMA_VERSION, OTHER_VERSION, DAMAGE_CODE)
    documents = SqliteDocumentStore(db, path)
    finalize(documents, db.close)
    return documents
