"""Engines for evaluation, over a test collection indexed into a cache or over a data folder.

The cache key covers the documents, the index settings and the indexing code, so that comparing two
sets of weights indexes nothing twice.
"""

import hashlib
import json
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from itertools import islice
from pathlib import Path

import numpy as np

from byway.app.storage import open_generations, open_storage
from byway.core.errors import UrlError, UsageError
from byway.core.model import Document, Url, UrlId
from byway.core.model.document import pack
from byway.core.ports import DocumentStore, Storage
from byway.core.settings.schema import Settings, StorageSettings
from byway.core.url import normalize, parse_typed_url
from byway.evaluate.collections import Collection, CollectionDocument
from byway.evaluate.measures import Grades
from byway.evaluate.weight_tuner import TrainingExample, ideal_dcg
from byway.extract.language import detect_text_language
from byway.index.indexer import index_new
from byway.search.rank.signals import signals_with_weights
from byway.search.searcher import Searcher

DOCUMENTS_PER_BATCH = 1000
OPERATOR_PATTERN = re.compile(r'["“”„«»()|*:]-*|(?<!\S)-+')
MAX_CACHED_COLLECTIONS = 20
"""Maximum number of collections in the cache; the least recently used is deleted first."""
NAMES_FILE = "names.json"
"""The names of the documents, by id."""
PACKAGE = Path(__file__).parents[1]
COLLECTION_BASE_URL = "https://collection.invalid"
INDEX_SOURCES = (
    *("core", "extract", "index", "storage"),
    *("evaluate/collections.py", "app/evaluation.py", "app/storage"),
)
"""The folders and files whose code and data determine the content of an index."""
IRRELEVANT_FOLDERS = {"messages", "__pycache__"}
"""Subfolders whose content does not affect an index."""


class EvaluatedEngine:
    """A search engine whose document names match those in the relevance judgments."""

    def __init__(
        self,
        searcher: Searcher,
        name_of: Callable[[UrlId], str],
        has_link_ranks: bool = True,
        has_document: Callable[[str], bool] = bool,
    ) -> None:
        self._searcher = searcher
        self._name_of = name_of
        self._has_document = has_document
        self.has_link_ranks = has_link_ranks
        """Whether documents have PageRank; without it, link signals are constant."""

    def run_query(self, text: str, depth: int) -> Sequence[tuple[str, float]]:
        """The names and scores of the best documents."""
        found = self._searcher.measure_signals(_words_only(text), depth)
        return [
            (self._name_of(UrlId(int(found.ids[row]))), float(found.scores[row]))
            for row in found.order[:depth]
        ]

    def count_missing(self, judgements: Mapping[str, Grades]) -> tuple[int, int]:
        """The number of missing judged documents, and of all judged documents."""
        names = {name for judged in judgements.values() for name in judged}
        return sum(not self._has_document(name) for name in names), len(names)

    def training_example(self, text: str, judged: Grades) -> TrainingExample:
        """The signal values of all candidates for a query, as training data."""
        found = self._searcher.measure_signals(_words_only(text), 0)
        names = [self._name_of(UrlId(int(id))) for id in found.ids]
        grades = np.array([max(0, judged.get(name, 0)) for name in names], float)
        return TrainingExample(found.signal_values, grades, ideal_dcg([*judged.values()]))


def _words_only(text: str) -> str:
    """The query without operator syntax: collection queries are plain words."""
    return OPERATOR_PATTERN.sub(" ", text).replace(" OR ", " or ").replace(" AND ", " and ")


@contextmanager
def open_collection(
    collection: Collection, settings: Settings, cache: Path
) -> Iterator[EvaluatedEngine]:
    """An engine over the documents of a collection."""
    settings = replace(settings, storage=StorageSettings())  # the cache is always on disk
    folder = cached_folder(collection, settings, cache)
    names: list[str] = json.loads((folder / NAMES_FILE).read_text())
    storage = open_storage(folder, settings)
    with _searcher(storage, settings) as (searcher, _):
        ranked = bool(len(storage.ranks().load().pages))
        yield EvaluatedEngine(searcher, lambda id: names[id - 1], ranked, set(names).__contains__)


@contextmanager
def open_data_folder(path: Path, settings: Settings) -> Iterator[EvaluatedEngine]:
    """An engine over the pages of a data folder, named by their URLs."""
    storage = open_storage(path, settings)
    storage.require_data()
    with _searcher(storage, settings) as (searcher, documents), storage.reader() as reader:
        catalog = reader.catalog

        def has(name: str) -> bool:
            record = catalog.find_url(Url(name))
            return bool(record and documents.get(record.id))

        def name_of(id: UrlId) -> str:
            document = documents.get(id)
            return document.url if document else ""

        yield EvaluatedEngine(searcher, name_of, has_document=has)


def signal_weights(settings: Settings) -> dict[str, float]:
    """The weight of each signal with these settings."""
    return {one.name: weight for one, weight in signals_with_weights(settings.search.weights)}


def normalize_judged_urls(judgements: Mapping[str, Grades]) -> Mapping[str, Grades]:
    """Judgments by URL, with each URL normalized."""
    return {
        query: {_normalized_url(name): grade for name, grade in judged.items()}
        for query, judged in judgements.items()
    }


@contextmanager
def _searcher(storage: Storage, settings: Settings) -> Iterator[tuple[Searcher, DocumentStore]]:
    with closing(open_generations(storage, settings).live().open_for_search()) as opened:
        yield (
            Searcher(settings.search, opened.ports, opened.documents, storage.ranks()),
            opened.documents,
        )


def cached_folder(collection: Collection, settings: Settings, cache: Path) -> Path:
    """The data folder of a collection, from the cache or newly indexed."""
    if not collection.document_files:
        raise UsageError("app.no_document_files", folder=collection.folder)
    folder = cache / _cache_key(collection, settings)
    if (folder / NAMES_FILE).exists():
        folder.touch()
        return folder
    cache.mkdir(parents=True, exist_ok=True)
    draft = Path(tempfile.mkdtemp(dir=cache, prefix="draft-"))
    try:
        _index(collection, settings, draft)
        shutil.rmtree(folder, ignore_errors=True)
        draft.rename(folder)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    _delete_oldest(cache)
    return folder


def _index(collection: Collection, settings: Settings, folder: Path) -> None:
    storage = open_storage(folder, settings)
    storage.create()
    generation = open_generations(storage, settings).live()
    names: list[str] = []
    source_documents = collection.documents()
    with generation.documents_to_write() as documents:
        while batch := list(islice(source_documents, DOCUMENTS_PER_BATCH)):
            start = len(names) + 1
            names += [one.id for one in batch]
            documents.put(
                (id, UrlId(id), pack(_document(one, UrlId(id))))
                for id, one in enumerate(batch, start)
            )
    with generation.open_for_update() as stores:
        for _ in index_new(stores.documents, stores.index, settings.index.batch_size):
            pass
    if not names:
        raise UsageError("app.no_documents", folder=collection.folder)
    (folder / NAMES_FILE).write_text(json.dumps(names))


def _document(source: CollectionDocument, id: UrlId) -> Document:
    try:
        url = normalize(source.url) if source.url else normalize(f"{COLLECTION_BASE_URL}/{id}")
    except UrlError:
        url = normalize(f"{COLLECTION_BASE_URL}/{id}")
    language = detect_text_language(source.text)
    return Document(url=url, id=id, title=source.title, text=source.text, language=language)


def _cache_key(collection: Collection, settings: Settings) -> str:
    """The cache key of a collection with these settings and this code."""
    digest = hashlib.sha256(collection.digest().encode())
    digest.update(repr(settings.index).encode())
    for name in index_sources():
        digest.update(f"{name} ".encode() + (PACKAGE / name).read_bytes())
    return f"{collection.name[:40]}-{digest.hexdigest()[:16]}"


def index_sources() -> list[Path]:
    """The files that determine the content of an index, relative to the package."""
    files = [
        path.relative_to(PACKAGE)
        for source in map(PACKAGE.joinpath, INDEX_SOURCES)
        for path in (source.rglob("*") if source.is_dir() else [source])
        if path.is_file()
    ]
    return sorted(path for path in files if not IRRELEVANT_FOLDERS & {*path.parts})


def cache_folder() -> Path:
    """The folder of indexed collections, kept between runs."""
    home = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(home) / "byway" / "eval"


def _delete_oldest(cache: Path) -> None:
    kept = [path for path in cache.iterdir() if (path / NAMES_FILE).exists()]
    for path in sorted(kept, key=lambda path: path.stat().st_mtime)[:-MAX_CACHED_COLLECTIONS]:
        shutil.rmtree(path, ignore_errors=True)


def _normalized_url(name: str) -> str:
    try:
        return parse_typed_url(name)
    except UrlError:
        raise UsageError("app.qrels_not_url", name=name[:200]) from None
