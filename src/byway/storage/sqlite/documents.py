"""documents.db: the document of each page as compressed JSON; derived from the WARC files."""

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from weakref import finalize

from zstandard import ZstdError

from byway.core.errors import DataError
from byway.core.model import Document, UrlId
from byway.core.model.document import unpack
from byway.core.sqlite_file import open_sqlite_to_read, open_sqlite_to_write

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
SELECT_IDS_SINCE = """
select sequence, url_id, packed_document is null from document
where sequence > ? order by sequence limit ?
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
        has_tombstones = any(packed is None for _, _, packed in rows)
        # The text of removed pages is overwritten with zeros, not just unlinked.
        self._db.execute(f"pragma secure_delete = {'on' if has_tombstones else 'off'}")
        self._db.execute("begin immediate")
        try:
            self._db.executemany(REPLACE_DOCUMENT, rows)
            self._db.execute("commit")
        except BaseException:
            if self._db.in_transaction:  # on a full disk, SQLite has already rolled back
                self._db.execute("rollback")
            raise

    def get(self, id: UrlId) -> Document | None:
        with self._damage_as_data_error():
            row = self._db.execute(SELECT_DOCUMENT, (id,)).fetchone()
            return unpack(row[0]) if row and row[0] else None

    def has(self, id: UrlId) -> bool:
        with self._damage_as_data_error():
            row = self._db.execute("select 1 from document where url_id = ?", (id,)).fetchone()
            return row is not None

    def changes_since(self, sequence: int, limit: int) -> list[tuple[int, UrlId, Document | None]]:
        with self._damage_as_data_error():
            rows = self._db.execute(SELECT_DOCUMENTS_SINCE, (sequence, limit))
            return [(number, id, body and unpack(body)) for number, id, body in rows]

    def changed_ids_since(self, sequence: int, limit: int) -> list[tuple[int, UrlId, bool]]:
        with self._damage_as_data_error():
            rows = self._db.execute(SELECT_IDS_SINCE, (sequence, limit))
            return [(number, UrlId(id), bool(is_deleted)) for number, id, is_deleted in rows]

    def count_documents_since(self, sequence: int) -> int:
        with self._damage_as_data_error():
            return int(self._db.execute(COUNT_DOCUMENTS_SINCE, (sequence,)).fetchone()[0])

    def last_sequence(self) -> int:
        with self._damage_as_data_error():
            return int(self._db.execute(SELECT_LAST_SEQUENCE).fetchone()[0])

    def close(self) -> None:
        """Close the database."""
        self._db.close()

    @contextmanager
    def _damage_as_data_error(self) -> Iterator[None]:
        """Raise `DataError` for a database that is damaged, busy or not created yet."""
        try:
            yield
        except sqlite3.OperationalError as error:
            raise DataError("search.documents_unreadable", cause=str(error)) from error
        except (sqlite3.DatabaseError, ZstdError, ValueError) as error:
            raise DataError(DAMAGE_CODE, path=self._path, detail=str(error)) from error


def open_documents_to_write(path: Path) -> SqliteDocumentStore:
    """The document store, for the one process that writes to it."""
    db = open_sqlite_to_write(path, SCHEMA, SCHEMA_VERSION, OTHER_VERSION, DAMAGE_CODE)
    # Documents lost in a power cut are extracted again from the pages.
    db.execute("pragma synchronous = normal")
    # The writer rarely reads documents, so a large cache would be wasted.
    db.execute("pragma cache_size = -2048")
    return SqliteDocumentStore(db, path)


def open_documents_to_read(path: Path) -> SqliteDocumentStore:
    """The document store, read-only; closed when garbage-collected, if not before."""
    if not path.exists():
        raise DataError("storage.documents_missing", path=path)
    try:
        db = open_sqlite_to_read(path, SCHEMA_VERSION, OTHER_VERSION, DAMAGE_CODE)
    except sqlite3.OperationalError as error:  # busy, or just being deleted
        raise DataError("search.documents_unreadable", cause=str(error)) from error
    documents = SqliteDocumentStore(db, path)
    finalize(documents, db.close)
    return documents
