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
from byway.core.url import guess, normalise
from byway.evaluate.collections import Collection, Given
from byway.evaluate.measures import Judged
from byway.evaluate.weight_tuner import Example, ideal_gain
from byway.extract.language.detect import detected
from byway.index.indexer import index_new
from byway.index.tantivy_index import TantivyIndex
from byway.search.rank.signals import weighted
from byway.search.searcher import Searcher
from byway.storage.data_folder import Folder
from byway.storage.rank_arrays import ArrayRanks
from byway.storage.sqlite.crawl_db.schema import open_to_read
from byway.storage.sqlite.crawl_db.url_queries import look_up
from byway.storage.sqlite.documents import (
    SqliteDocuments,
    documents_to_read,
    documents_to_write,
)

BATCH = 1000
OPERATORS = re.compile(r'["“”„«»()|*:]-*|(?<!\S)-+')
MOST_KEPT = 20
"""Collections that stay in the cache; the one that was not used for longest goes first."""
HOST = "https://collection.invalid"
LANGUAGES = (
    "extract/language/function_words.py",
    "extract/language/detect.py",
    "extract/language/l*.txt",
)
SOURCES = (
    "core/text/*",
    "core/fields.py",
    "index/**/*.py",
    "core/model/codec.py",
    "storage/**/*.py",
    *LANGUAGES,
)
"""The code that decides what is in an index."""


class Judge:
    """A search engine whose documents have the names that judgements use."""

    def __init__(
        self,
        searcher: Searcher,
        name_of: Callable[[UrlId], str],
        ranked: bool = True,
        has: Callable[[str], bool] = bool,
    ) -> None:
        self._searcher = searcher
        self._name_of = name_of
        self._has = has  # where nobody can tell, whatever has a name is there
        self.ranked = ranked
        """Whether links say anything of the documents; else answers are the same without ranks."""

    def answer(self, text: str, depth: int) -> Sequence[tuple[str, float]]:
        """The names of the best documents and their scores."""
        found = self._searcher.measured(_words_only(text), depth)
        return [
            (self._name_of(UrlId(int(found.ids[row]))), float(found.scores[row]))
            for row in found.order[:depth]
        ]

    def missing(self, judgements: Mapping[str, Judged]) -> tuple[int, int]:
        """How many of the judged documents cannot be found since they are not there, and of all."""
        names = {name for judged in judgements.values() for name in judged}
        return sum(not self._has(name) for name in names), len(names)

    def example(self, text: str, judged: Judged) -> Example:
        """What the signals say of all candidates for a query, to learn from."""
        found = self._searcher.measured(_words_only(text), 0)
        names = [self._name_of(UrlId(int(id))) for id in found.ids]
        grades = np.array([max(0, judged.get(name, 0)) for name in names], float)
        return Example(found.values, grades, ideal_gain([*judged.values()]))


def _words_only(text: str) -> str:
    """A query of a collection, which is words: quotes, brackets and OR mean nothing there."""
    return OPERATORS.sub(" ", text).replace(" OR ", " or ").replace(" AND ", " and ")


@contextmanager
def judging(collection: Collection, settings: Settings, cache: Path) -> Iterator[Judge]:
    """The documents of a collection, ready to be asked for."""
    folder = _indexed(collection, settings, cache)
    names: list[str] = json.loads((folder.path / "names.json").read_text())
    with _searcher(folder, settings) as (searcher, _):
        ranked = bool(len(ArrayRanks(folder.rank).load().pages))
        yield Judge(searcher, lambda id: names[id - 1], ranked, set(names).__contains__)


@contextmanager
def judging_data(path: Path, settings: Settings) -> Iterator[Judge]:
    """The pages of a data folder, named by their URLs."""
    folder = Folder(path)
    folder.require()
    with (
        _searcher(folder, settings) as (searcher, documents),
        closing(open_to_read(folder.crawl_db)) as db,
    ):

        def has(name: str) -> bool:
            record = look_up(db, Url(name))
            return bool(record and documents.get(record.id))

        def name_of(id: UrlId) -> str:
            document = documents.get(id)
            return document.url if document else ""

        yield Judge(searcher, name_of, has=has)


def default_weights(settings: Settings) -> dict[str, float]:
    """What each signal counts with these settings."""
    return {one.name: weight for one, weight in weighted(settings.search.weights)}


def with_urls(judgements: Mapping[str, Judged]) -> Mapping[str, Judged]:
    """Judgements that name pages, each URL in its one spelling."""
    return {
        query: {_spelt(name): grade for name, grade in judged.items()}
        for query, judged in judgements.items()
    }


@contextmanager
def _searcher(folder: Folder, settings: Settings) -> Iterator[tuple[Searcher, SqliteDocuments]]:
    built = folder.built
    with (
        closing(documents_to_read(built.documents)) as documents,
        closing(TantivyIndex(built.index, settings.index)) as index,
    ):
        ranks = ArrayRanks(folder.rank)
        yield Searcher(settings.search, index, documents, ranks), documents


def _indexed(collection: Collection, settings: Settings, cache: Path) -> Folder:
    """The collection's own data folder, made unless it is in the cache."""
    if not collection.document_files:
        raise UsageError(
            f"{collection.folder} has no documents (docs.jsonl, docs*.trec or *.sgml); "
            "to judge a data folder by its URLs, name it with --data"
        )
    folder = Folder(cache / _key(collection, settings))
    if (folder.path / "names.json").exists():
        folder.path.touch()
        return folder
    cache.mkdir(parents=True, exist_ok=True)
    draft = Folder(Path(tempfile.mkdtemp(dir=cache, prefix="draft-")))
    try:
        _index(collection, settings, draft)
        shutil.rmtree(folder.path, ignore_errors=True)
        draft.path.rename(folder.path)
    finally:
        shutil.rmtree(draft.path, ignore_errors=True)
    _forget_old(cache)
    return folder


def _index(collection: Collection, settings: Settings, folder: Folder) -> None:
    folder.create()
    names: list[str] = []
    given = collection.documents()
    with closing(documents_to_write(folder.documents_db)) as documents:
        while batch := list(islice(given, BATCH)):
            start = len(names) + 1
            names += [one.id for one in batch]
            documents.put(
                (id, UrlId(id), pack(_document(one, UrlId(id))))
                for id, one in enumerate(batch, start)
            )
        with closing(TantivyIndex(folder.index, settings.index)) as index:
            for _ in index_new(documents, index, settings.index.batch):
                pass
    if not names:
        raise UsageError(f"there are no documents in {collection.folder}")
    (folder.path / "names.json").write_text(json.dumps(names))


def _document(given: Given, id: UrlId) -> Document:
    try:
        url = normalise(given.url) if given.url else normalise(f"{HOST}/{id}")
    except UrlError:
        url = normalise(f"{HOST}/{id}")
    language = detected(given.text)
    return Document(url=url, id=id, title=given.title, text=given.text, language=language)


def _key(collection: Collection, settings: Settings) -> str:
    """A name for this collection, indexed with these settings by this code."""
    digest = hashlib.sha256(collection.digest().encode())
    digest.update(repr(settings.index).encode())
    root = Path(__file__).parents[1]
    for path in sorted({path for pattern in SOURCES for path in root.glob(pattern)}):
        if path.is_file():
            digest.update(path.read_bytes())
    return f"{collection.name[:40]}-{digest.hexdigest()[:16]}"


def _forget_old(cache: Path) -> None:
    kept = [path for path in cache.iterdir() if (path / "names.json").exists()]
    for path in sorted(kept, key=lambda path: path.stat().st_mtime)[:-MOST_KEPT]:
        shutil.rmtree(path, ignore_errors=True)


def _spelt(name: str) -> str:
    try:
        return guess(name)
    except UrlError:
        raise UsageError(f"{name[:200]!r} is not a URL; with --data, qrels name pages") from None
