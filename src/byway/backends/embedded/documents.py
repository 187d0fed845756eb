"""documents.db: what each page says, as compressed JSON. Derived: it can be made anew from WARC."""

import json
import sqlite3
from collections.abc import Iterable
from dataclasses import fields
from pathlib import Path
from typing import Any

import zstandard

from byway.backends.embedded.database import open_to_read, open_to_write
from byway.model import Document, Heading, Image, UrlId

VERSION = 1
SCHEMA = """
-- `body` is null when the page is one no longer: whoever follows must forget it.
create table if not exists document (
    id integer primary key,
    sequence integer not null,
    body blob
);
create index if not exists document_sequence on document (sequence);
"""
PUT = "replace into document (id, sequence, body) values (?, ?, ?)"
AFTER = "select sequence, id, body from document where sequence > ? order by sequence limit ?"
FIELDS = [item.name for item in fields(Document)]
LAST = "select coalesce(max(sequence), 0) from document"


class SqliteDocuments:
    """The document store of the data folder."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def put(self, documents: Iterable[tuple[int, UrlId, Document | None]]) -> None:
        rows = [
            (id, sequence, document and pack_document(document))
            for sequence, id, document in documents
        ]
        self._db.execute("begin immediate")
        try:
            self._db.executemany(PUT, rows)
            self._db.execute("commit")
        except BaseException:
            self._db.execute("rollback")
            raise

    def get(self, id: UrlId) -> Document | None:
        row = self._db.execute("select body from document where id = ?", (id,)).fetchone()
        return unpack_document(row[0]) if row and row[0] else None

    def after(self, sequence: int, limit: int) -> list[tuple[int, UrlId, Document | None]]:
        rows = self._db.execute(AFTER, (sequence, limit))
        return [(number, id, body and unpack_document(body)) for number, id, body in rows]

    def last(self) -> int:
        return int(self._db.execute(LAST).fetchone()[0])

    def close(self) -> None:
        """Let go of the file."""
        self._db.close()


def documents_to_write(path: Path) -> SqliteDocuments:
    """The document store, for the one process that fills it."""
    db = open_to_write(path, SCHEMA, VERSION)
    # What a power cut takes from here is extracted again from the pages.
    db.execute("pragma synchronous = normal")
    return SqliteDocuments(db)


def documents_to_read(path: Path) -> SqliteDocuments:
    """The document store, for everybody else."""
    return SqliteDocuments(open_to_read(path))


def pack_document(document: Document) -> bytes:
    """A document as bytes; what it does not say takes no room."""
    values = ((name, getattr(document, name)) for name in FIELDS)
    said = {name: value for name, value in values if value}
    return zstandard.compress(json.dumps(said, ensure_ascii=False).encode(), 3)


def unpack_document(body: bytes) -> Document:
    """The document in those bytes."""
    said: dict[str, Any] = json.loads(zstandard.decompress(body))
    for name, kind in (("headings", Heading), ("images", Image)):
        if name in said:
            said[name] = tuple(kind(*item) for item in said[name])
    for name in ("emphasis", "capitals", "link_text"):
        if name in said:
            said[name] = tuple(said[name])
    return Document(**said)
