"""Test corpus: documents in a backend or in memory, and searchers over them."""

from collections.abc import Iterable
from typing import Any

from contract.backends import Backend

from byway.app.verticals.vertical_folders import load_verticals
from byway.core.model import Document, Query, UrlId
from byway.core.model.document import pack
from byway.core.model.query import Filter
from byway.core.operators import parse_filter
from byway.core.settings.schema import SearchSettings
from byway.core.url import normalize
from byway.search.rank.position_features import position_features
from byway.search.searcher import Searcher
from byway.storage.memory.documents import MemoryDocumentStore
from byway.storage.memory.search_index import MemorySearchIndex
from byway.storage.memory.storage import MemoryRankStore

TEN_CANDIDATES = SearchSettings(max_candidates=10)
FIFTY_CANDIDATES = SearchSettings(max_candidates=50)


def document(id: int, text: str, title: str = "", host: str = "a.org", **more: Any) -> Document:
    return Document(normalize(f"http://{host}/{id}"), UrlId(id), title, text, **more)


def _documents(pages: Iterable[tuple[int, str] | Document]) -> list[Document]:
    return [page if isinstance(page, Document) else document(*page) for page in pages]


def index_pages(backend: Backend, *pages: tuple[int, str] | Document) -> None:
    """Have these pages in the backend, and everything about them written down."""
    documents = _documents(pages)
    backend.documents.put((one.id, one.id, pack(one)) for one in documents)
    backend.index.add(documents)
    backend.index.commit(max((one.id for one in documents), default=1))
    getattr(backend.index, "close", lambda: None)()  # the vocabulary is written now and then


def make_searcher(backend: Backend, settings: SearchSettings = FIFTY_CANDIDATES) -> Searcher:
    return Searcher(
        settings,
        backend.ports,
        backend.documents,
        backend.ranks,
        verticals=load_verticals(),
    )


def memory_searcher(
    *pages: tuple[int, str] | Document, settings: SearchSettings = FIFTY_CANDIDATES
) -> Searcher:
    documents, index = MemoryDocumentStore(), MemorySearchIndex(position_features)
    kept = _documents(pages)
    documents.put((one.id, one.id, pack(one)) for one in kept)
    index.add(kept)
    index.commit(1)
    return Searcher(settings, index.ports, documents, MemoryRankStore())


def filters(*typed: str) -> tuple[Filter, ...]:
    """The filters for `name:value`, as they are selected on a page."""
    pairs = (one.partition(":") for one in typed)
    parsed = (parse_filter(name, value, (name,)) for name, _, value in pairs)
    return tuple(one for one in parsed if one)


def hit_ids(searcher: Searcher, text: str, limit: int = 100, **more: Any) -> list[int]:
    """The hits in their order, by number."""
    return [hit.id for hit in searcher.search(Query(text, limit, **more)).hits]


def sorted_hit_ids(backend: Backend, text: str, **more: Any) -> list[int]:
    """The hits, the smallest number first."""
    return sorted(hit_ids(make_searcher(backend), text, **more))
