"""Who takes part? Each engine indexes the same documents and answers the same queries.

An engine's `ask` gives the ten best documents' numbers; `answer`, where there is one, a whole
page of results. All of them use one thread.
"""

import sqlite3
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Protocol

import tantivy
from tantivy import Occur, Query

from bench.speed.search.queries import BenchQuery
from byway.core.fields import FIELDS
from byway.core.model import Document, Results
from byway.core.model import Query as Typed
from byway.core.model.candidates import Ids, empty_ids
from byway.core.model.query import ParsedQuery, TermClause
from byway.core.ports import PageLinks
from byway.core.settings.schema import IndexSettings, SearchSettings
from byway.index.query.terms import MAX_CODE_POINT
from byway.index.schema import build_schema as byway_schema
from byway.index.schema import metadata_fields, register_tokenizers
from byway.index.tantivy_index import TantivyIndex
from byway.search.searcher import Searcher
from byway.search.suggest.autocomplete import suggestions
from byway.storage.data_folder import DataFolder
from byway.storage.rank_arrays import ArrayRankStore
from byway.storage.sqlite.documents import SqliteDocumentStore, open_documents_to_read

WRITER_HEAP_BYTES = 512_000_000
MAX_CANDIDATES = 200


class BenchEngine(Protocol):
    """What is measured of everybody."""

    name: str

    def index(self, documents: Iterable[Document]) -> None:
        """Make these findable."""

    def run_query(self, bench_query: BenchQuery) -> Sequence[int]:
        """The numbers of the best documents."""

    def clock(self) -> float:
        """CPU seconds that it has taken so far."""

    def caller_clock(self) -> float:
        """Those of them that whoever hands it documents may have taken: its caller's thread's."""


class InProcessEngine:
    """What is the same for all that run in this process."""

    def clock(self) -> float:
        return time.process_time()

    def caller_clock(self) -> float:
        return time.thread_time()


class Byway(InProcessEngine):
    """Our own index and searcher."""

    name = "byway"

    def __init__(self, folder: Path, data: DataFolder) -> None:
        folder.mkdir(parents=True)
        self._index = TantivyIndex(
            folder, IndexSettings(writer_memory_mb=WRITER_HEAP_BYTES // 1_000_000)
        )
        self._documents: SqliteDocumentStore = open_documents_to_read(data.documents_db)
        self._searcher = Searcher(
            SearchSettings(),
            self._index,
            self._documents,
            ArrayRankStore(data.rank),
            clock=time.process_time,
        )

    def index(self, documents: Iterable[Document]) -> None:
        self._index.add(documents)
        self._index.commit(1)

    def run_query(self, bench_query: BenchQuery) -> Sequence[int]:
        """The first stage: from what was typed to the numbers and scores of the candidates."""
        numbers: list[int] = self.retrieve(self.parse_query(bench_query)).tolist()
        return numbers

    def parse_query(self, bench_query: BenchQuery) -> ParsedQuery:
        """What byway takes a query for."""
        question, _ = self._searcher.understand(Typed(query_text(bench_query)))
        return question

    def retrieve(self, query: ParsedQuery) -> Ids:
        """Retrieval alone: from words with all their readings to the numbers of the candidates."""
        picked = self._index.retrieve(query, MAX_CANDIDATES)
        return picked.ids if picked else empty_ids()

    def stage_seconds(self, bench_query: BenchQuery) -> Mapping[str, float]:
        """A whole page of results; what each step took."""
        found = self.search(Typed(query_text(bench_query), count_facets=True))
        return found.stage_seconds

    def search(self, query: Typed) -> Results:
        """The answer itself."""
        return self._searcher.search(query)

    def suggest(self, prefix: str, limit: int) -> list[str]:
        """How what somebody has begun to type might go on."""
        return suggestions(self._index, prefix, limit)


class RawTantivy(InProcessEngine):
    """tantivy as it comes, with its own English analysis, over the same texts."""

    name = "tantivy"

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True)
        self._schema = self.schema()
        analyzer = _english()
        self._index = tantivy.Index(self._schema, str(folder))
        self._index.register_tokenizer("terms", analyzer)
        self._analyse: Callable[[str], list[str]] = analyzer.analyze

    def schema(self) -> tantivy.Schema:
        """The fields of an entry."""
        builder = tantivy.SchemaBuilder()
        builder.add_integer_field("id", indexed=True, fast=True)
        for name in ("anywhere", "title", "url"):
            builder.add_text_field(name, tokenizer_name="terms")
        return builder.build()

    def metadata_fields(self, document: Document) -> dict[str, object]:
        """What is known of a document beside its text."""
        return {"id": document.id}

    def index(self, documents: Iterable[Document]) -> None:
        writer = self._index.writer(WRITER_HEAP_BYTES, 1)
        for document in documents:
            texts = plain_fields(document)
            values = {
                **self.metadata_fields(document),
                "anywhere": [text for name, text in texts.items() for _ in range(FIELDS[name])],
                "title": texts["title"],
                "url": texts["url"],
            }
            writer.add_document(tantivy.Document.from_dict(values, self._schema))
        writer.commit()
        writer.wait_merging_threads()
        self._index.reload()

    def run_query(self, bench_query: BenchQuery) -> Sequence[int]:
        searcher = self._index.searcher()
        found = searcher.search(self._query(bench_query), MAX_CANDIDATES, count=True)
        addresses = [address for _, address in found.hits]
        return [int(id or 0) for id in searcher.fast_field_values("id", addresses)]

    def _query(self, asked: BenchQuery) -> Query:
        if asked.kind == "prefix":
            return Query.regex_query(self._schema, "anywhere", asked.words[0] + ".*")
        if asked.kind == "typo":
            return Query.fuzzy_term_query(self._schema, "anywhere", asked.words[0], 1)
        terms = [term for word in asked.words for term in self._analyse(word)]
        if asked.kind == "phrase" and len(terms) > 1:
            return Query.phrase_query(self._schema, "anywhere", list(terms))
        occur = Occur.Should if asked.kind == "3 OR" else Occur.Must
        each = [(occur, Query.term_query(self._schema, "anywhere", term)) for term in terms]
        return Query.boolean_query(each)


class TantivyAllFields(RawTantivy):
    """The same with all the fields of byway's entries, and the same values in them."""

    name = "tantivy, all fields"

    def schema(self) -> tantivy.Schema:
        return byway_schema()

    def metadata_fields(self, document: Document) -> dict[str, object]:
        """As byway works them out; what a text is like is byway's alone, and any number here."""
        found = metadata_fields(document, PageLinks())
        return {**found, "words": len(document.text.split()), "alike": found["own"]}


class TantivySameTerms:
    """tantivy over byway's index, asked for the same words as plainly as its API lets one.

    The pages are in many languages, and a word is read in all of them: `throws` is `throw` in
    English and `throws` in German. tantivy as it comes reads it in English alone.
    """

    def __init__(self, folder: Path) -> None:
        self._schema = byway_schema()
        self._index = register_tokenizers(tantivy.Index.open(str(folder / "tantivy")))

    def run_query(self, kind: str, words: Sequence[TermClause]) -> Sequence[int]:
        """The numbers of the best documents."""
        searcher = self._index.searcher()
        found = searcher.search(self._query(kind, words), MAX_CANDIDATES, count=True)
        addresses = [address for _, address in found.hits]
        return [int(id or 0) for id in searcher.fast_field_values("spread", addresses)]

    def _query(self, kind: str, words: Sequence[TermClause]) -> Query:
        if kind == "3 AND":
            return Query.boolean_query([(Occur.Must, _any(self._ways(word))) for word in words])
        return _any([way for word in words for way in self._ways(word)])

    def _ways(self, word: TermClause) -> list[Query]:
        ways = [self._reading(list(one.tokens)) for one in word.analyses]
        if word.prefix:
            # A range, since that is faster than a regex.
            until = f"{word.prefix}{MAX_CODE_POINT}"
            ways.append(self._index.parse_query(f"anywhere:[{word.prefix} TO {until}]", ["url"]))
        return ways

    def _reading(self, terms: list[str]) -> Query:
        if len(terms) == 1:
            return Query.term_query(self._schema, "anywhere", terms[0])
        return Query.phrase_query(self._schema, "anywhere", list(terms))


def _any(queries: Sequence[Query]) -> Query:
    return Query.boolean_query([(Occur.Should, query) for query in queries])


class Fts5(InProcessEngine):
    """SQLite's full-text search, stemmed, without a copy of the text."""

    name = "SQLite FTS5"

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True)
        self._db = sqlite3.connect(folder / "fts.db")
        self._db.execute("pragma journal_mode = off")
        self._db.execute(
            "create virtual table page using "
            "fts5(title, text, content='', tokenize=\"porter unicode61\")"
        )

    def index(self, documents: Iterable[Document]) -> None:
        rows = ((one.id, one.title, one.text) for one in documents)
        self._db.executemany("insert into page (rowid, title, text) values (?, ?, ?)", rows)
        self._db.commit()

    def run_query(self, bench_query: BenchQuery) -> Sequence[int]:
        match bench_query.kind:
            case "prefix":
                typed = f'"{bench_query.words[0]}" *'
            case "phrase":
                typed = f'"{" ".join(bench_query.words)}"'
            case kind:
                typed = (" OR " if kind == "3 OR" else " ").join(
                    f'"{one}"' for one in bench_query.words
                )
        found = "select rowid from page where page match ? order by rank limit 10"
        return [row[0] for row in self._db.execute(found, (typed,))]


def _english() -> tantivy.TextAnalyzer:
    """The analysis that tantivy calls en_stem."""
    return (
        tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple())
        .filter(tantivy.Filter.remove_long(40))
        .filter(tantivy.Filter.lowercase())
        .filter(tantivy.Filter.stemmer("english"))
        .build()
    )


def plain_fields(document: Document) -> dict[str, str]:
    """The text of each field, not yet analysed."""
    return {
        "title": document.title,
        "h1": "\n".join(one.text for one in document.headings if one.level == 1),
        "h2": "\n".join(one.text for one in document.headings if one.level in (2, 3)),
        "h4": "\n".join(one.text for one in document.headings if one.level > 3),
        "url": document.url,
        "names": "\n".join(document.names),
        "meta": f"{document.description}\n{document.keywords}",
        "emphasis": "\n".join(document.emphasis),
        "capitals": "\n".join(document.capitals),
        "body": document.text,
    }


def query_text(bench_query: BenchQuery) -> str:
    """A query as a person types it for byway."""
    match bench_query.kind:
        case "3 OR":
            return " OR ".join(bench_query.words)
        case "3 AND":
            return " ".join(f'"{word}"' for word in bench_query.words)
        case "phrase":
            return f'"{" ".join(bench_query.words)}"'
        case "prefix":
            return f"{bench_query.words[0]}*"
    return " ".join(bench_query.words)


def folder_bytes(folder: Path) -> int:
    """Bytes on disk."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
