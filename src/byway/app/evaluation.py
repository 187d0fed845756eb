"""How good are the answers? Collections are indexed aside and asked; data folders are just asked.

What is indexed is kept in a cache, under a name made of the documents, the settings that matter
and the code that reads them, so that comparing two weights indexes nothing twice.
"""

import hashlib
import json
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from itertools import islice
from pathlib import Path

import numpy as np

from byway.core.errors import UrlError, UsageError
from byway.core.model import Document, Url, UrlId
from byway.core.model.codec import pack
from byway.core.settings.schema import Settings
from byway.core.url import normalize, parse_typed_url
from byway.evaluate.collections import Collection, CollectionDocument
from byway.evaluate.measures import Grades
from byway.evaluate.weight_tuner import TrainingExample, ideal_dcg
from byway.extract.language.detect import detect_text_language
from byway.index.indexer import index_new
from byway.index.tantivy_index import TantivyIndex
from byway.search.rank.signals import signals_with_weights
from byway.search.searcher import Searcher
from byway.storage.data_folder import DataFolder
from byway.storage.rank_arrays import ArrayRankStore
from byway.storage.sqlite.crawl_db.schema import open_to_read
from byway.storage.sqlite.crawl_db.url_queries import find_url
from byway.storage.sqlite.documents import (
    SqliteDocumentStore,
    open_documents_to_read,
    open_documents_to_write,
)

DOCUMENTS_PER_BATCH = 1000
OPERATOR_PATTERN = re.compile(r'["“”„«»()|*:]-*|(?<!\S)-+')
MAX_CACHED_COLLECTIONS = 20
"""Collections that stay in the cache; the one that was not used for longest goes first."""
COLLECTION_BASE_URL = "https://collection.invalid"
LANGUAGE_SOURCES = (
    "extract/language/function_words.py",
    "extract/language/detect.py",
    "core/languages/*",
)
INDEX_SOURCES = (
    "core/text/*",
    "core/fields.py",
    "index/**/*.py",
    "core/model/codec.py",
    "storage/**/*.py",
    *LANGUAGE_SOURCES,
)
"""The code that decides what is in an index."""


class EvaluatedEngine:
    """A search engine whose documents have the names that judgements use."""

    def __init__(
        self,
        searcher: Searcher,
        name_of: Callable[[UrlId], str],
        has_link_ranks: bool = True,
        has_document: Callable[[str], bool] = bool,
    ) -> None:
        self._searcher = searcher
        self._name_of = name_of
        self._has = has_document  # where nobody can tell, whatever has a name is there
        self.has_link_ranks = has_link_ranks
        """Whether links say anything of the documents; else answers are the same without ranks."""

    def run_query(self, text: str, depth: int) -> Sequence[tuple[str, float]]:
        """The names of the best documents and their scores."""
        found = self._searcher.measure_signals(_words_only(text), depth)
        return [
            (self._name_of(UrlId(int(found.ids[row]))), float(found.scores[row]))
            for row in found.order[:depth]
        ]

    def count_missing(self, judgements: Mapping[str, Grades]) -> tuple[int, int]:
        """How many of the judged documents cannot be found since they are not there, and of all."""
        names = {name for judged in judgements.values() for name in judged}
        return sum(not self._has(name) for name in names), len(names)

    def training_example(self, text: str, judged: Grades) -> TrainingExample:
        """What the signals say of all candidates for a query, to learn from."""
        found = self._searcher.measure_signals(_words_only(text), 0)
        names = [self._name_of(UrlId(int(id))) for id in found.ids]
        grades = np.array([max(0, judged.get(name, 0)) for name in names], float)
        return TrainingExample(found.signal_values, grades, ideal_dcg([*judged.values()]))


def _words_only(text: str) -> str:
    """A query of a collection, which is words: quotes, brackets and OR mean nothing there."""
    return OPERATOR_PATTERN.sub(" ", text).replace(" OR ", " or ").replace(" AND ", " and ")


@contextmanager
def open_collection(
    collection: Collection, settings: Settings, cache: Path
) -> Iterator[EvaluatedEngine]:
    """The documents of a collection, ready to be asked for."""
    folder = _indexed(collection, settings, cache)
    names: list[str] = json.loads((folder.path / "names.json").read_text())
    with _searcher(folder, settings) as (searcher, _):
        ranked = bool(len(ArrayRankStore(folder.rank).load().pages))
        yield EvaluatedEngine(searcher, lambda id: names[id - 1], ranked, set(names).__contains__)


@contextmanager
def open_data_folder(path: Path, settings: Settings) -> Iterator[EvaluatedEngine]:
    """The pages of a data folder, named by their URLs."""
    folder = DataFolder(path)
    folder.require_data()
    with (
        _searcher(folder, settings) as (searcher, documents),
        closing(open_to_read(folder.crawl_db)) as db,
    ):

        def has(name: str) -> bool:
            record = find_url(db, Url(name))
            return bool(record and documents.get(record.id))

        def name_of(id: UrlId) -> str:
            document = documents.get(id)
            return document.url if document else ""

        yield EvaluatedEngine(searcher, name_of, has_document=has)


def signal_weights(settings: Settings) -> dict[str, float]:
    """What each signal counts with these settings."""
    return {one.name: weight for one, weight in signals_with_weights(settings.search.weights)}


def normalize_judged_urls(judgements: Mapping[str, Grades]) -> Mapping[str, Grades]:
    """Judgements that name pages, each URL in its one spelling."""
    return {
        query: {_spelt(name): grade for name, grade in judged.items()}
        for query, judged in judgements.items()
    }


@contextmanager
def _searcher(
    folder: DataFolder, settings: Settings
) -> Iterator[tuple[Searcher, SqliteDocumentStore]]:
    built = folder.live_generation
    with (
        closing(open_documents_to_read(built.documents)) as documents,
        closing(TantivyIndex(built.index, settings.index)) as index,
    ):
        ranks = ArrayRankStore(folder.rank)
        yield Searcher(settings.search, index, documents, ranks), documents


def _indexed(collection: Collection, settings: Settings, cache: Path) -> DataFolder:
    """The collection's own data folder, made unless it is in the cache."""
    if not collection.document_files:
        raise UsageError(
            f"{collection.folder} has no documents (docs.jsonl, docs*.trec or *.sgml); "
            "to judge a data folder by its URLs, name it with --data"
        )
    folder = DataFolder(cache / _key(collection, settings))
    if (folder.path / "names.json").exists():
        folder.path.touch()
        return folder
    cache.mkdir(parents=True, exist_ok=True)
    draft = DataFolder(Path(tempfile.mkdtemp(dir=cache, prefix="draft-")))
    try:
        _index(collection, settings, draft)
        shutil.rmtree(folder.path, ignore_errors=True)
        draft.path.rename(folder.path)
    finally:
        shutil.rmtree(draft.path, ignore_errors=True)
    _forget_old(cache)
    return folder


def _index(collection: Collection, settings: Settings, folder: DataFolder) -> None:
    folder.create()
    names: list[str] = []
    given = collection.documents()
    with closing(open_documents_to_write(folder.documents_db)) as documents:
        while batch := list(islice(given, DOCUMENTS_PER_BATCH)):
            start = len(names) + 1
            names += [one.id for one in batch]
            documents.put(
                (id, UrlId(id), pack(_document(one, UrlId(id))))
                for id, one in enumerate(batch, start)
            )
        with closing(TantivyIndex(folder.index, settings.index)) as index:
            for _ in index_new(documents, index, settings.index.batch_size):
                pass
    if not names:
        raise UsageError(f"there are no documents in {collection.folder}")
    (folder.path / "names.json").write_text(json.dumps(names))


def _document(given: CollectionDocument, id: UrlId) -> Document:
    try:
        url = normalize(given.url) if given.url else normalize(f"{COLLECTION_BASE_URL}/{id}")
    except UrlError:
        url = normalize(f"{COLLECTION_BASE_URL}/{id}")
    language = detect_text_language(given.text)
    return Document(url=url, id=id, title=given.title, text=given.text, language=language)


def _key(collection: Collection, settings: Settings) -> str:
    """A name for this collection, indexed with these settings by this code."""
    digest = hashlib.sha256(collection.digest().encode())
    digest.update(repr(settings.index).encode())
    root = Path(__file__).parents[1]
    for path in sorted({path for pattern in INDEX_SOURCES for path in root.glob(pattern)}):
        if path.is_file():
            digest.update(path.read_bytes())
    return f"{collection.name[:40]}-{digest.hexdigest()[:16]}"


def _forget_old(cache: Path) -> None:
    kept = [path for path in cache.iterdir() if (path / "names.json").exists()]
    for path in sorted(kept, key=lambda path: path.stat().st_mtime)[:-MAX_CACHED_COLLECTIONS]:
        shutil.rmtree(path, ignore_errors=True)


def _spelt(name: str) -> str:
    try:
        return parse_typed_url(name)
    except UrlError:
        raise UsageError(f"{name[:200]!r} is not a URL; with --data, qrels name pages") from None
