"""Reference document store in memory."""

from collections.abc import Iterable

from byway.core.model import Document, UrlId
from byway.core.model.document import unpack


class MemoryDocumentStore:
    """Documents in a dict, in the order in which they were stored."""

    def __init__(self) -> None:
        self._documents: dict[UrlId, tuple[int, Document | None]] = {}

    def put(self, documents: Iterable[tuple[int, UrlId, bytes]]) -> None:
        for sequence, id, packed in documents:
            self._documents[id] = sequence, unpack(packed) if packed else None

    def get(self, id: UrlId) -> Document | None:
        return self._documents.get(id, (0, None))[1]

    def has(self, id: UrlId) -> bool:
        return id in self._documents

    def changes_since(self, sequence: int, limit: int) -> list[tuple[int, UrlId, Document | None]]:
        rows = ((number, id, document) for id, (number, document) in self._documents.items())
        return sorted((row for row in rows if row[0] > sequence), key=lambda row: row[0])[:limit]

    def changed_ids_since(self, sequence: int, limit: int) -> list[tuple[int, UrlId, bool]]:
        rows = self.changes_since(sequence, limit)
        return [(number, id, document is None) for number, id, document in rows]

    def last_sequence(self) -> int:
        return max((number for number, _ in self._documents.values()), default=0)

    def count_documents_since(self, sequence: int) -> int:
        rows = self._documents.values()
        return sum(number > sequence and document is not None for number, document in rows)
