"""The engines of the benchmark: each indexes the same documents and runs the same queries.

`run_query` gives the ids of the best documents. All engines use one thread.
"""

import sqlite3
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Protocol

import tantivy
from tantivy import Occur, Query

from bench.speed.search.queries import BenchQuery
from byway.core.model import Document, Results
from byway.core.model import Query as Typed
from byway.core.model.candidates import Ids
from byway.core.model.query import ParsedQuery, TermClause
from byway.core.ports import PageLinks
from byway.core.settings.schema import IndexSettings, SearchSettings
from byway.index.query_builder import MAX_CODE_POINT
from byway.index.schema import ALL_TEXT_FIELD, metadata_fields, register_tokenizers
from byway.index.schema import build_schema as byway_schema
from byway.index.sharded_index import ShardedIndex
from byway.search.rank.position_features import position_features
from byway.search.searcher import Searcher
from byway.search.suggest.autocomplete import suggestions
from byway.storage.rank_arrays import ArrayRankStore
from byway.storage.sqlite.documents import SqliteDocumentStore, open_documents_to_read
from byway.storage.sqlite.storage import SqliteStorage

WRITER_HEAP_BYTES = 512_000_000
MAX_CANDIDATES = 200


class BenchEngine(Protocol):
    """An engine that is measured."""

    name: str

    def index(self, documents: Iterable[Document]) -> None:
        """Index these documents."""

    def run_query(self, bench_query: BenchQuery) -> Sequence[int]:
        """The ids of the best documents."""

    def clock(self) -> float:
        """CPU seconds of the engine so far."""

    def caller_clock(self) -> float:
        """CPU seconds of the caller's thread that are part of `clock`."""


class InProcessEngine:
    """The clocks of engines in this process."""

    def clock(self) -> float:
        return time.process_time()

    def caller_clock(self) -> float:
        return time.thread_time()


class Byway(InProcessEngine):
    """byway's index and searcher."""

    name = "byway"

    def __init__(self, folder: Path, data: SqliteStorage) -> None:
        folder.mkdir(parents=True)
        self._index = ShardedIndex(
            folder,
            IndexSettings(writer_memory_mb=WRITER_HEAP_BYTES // 1_000_000),
            position_features,
        )
        self._documents: SqliteDocumentStore = open_documents_to_read(data.documents_db)
        self._searcher = Searcher(
            SearchSettings(),
            self._index.ports,
            self._documents,
            ArrayRankStore(data.rank),
            clock=time.process_time,
        )

    def index(self, documents: Iterable[Document]) -> None:
        self._index.add(documents)
        self._index.commit(1)

    def run_query(self, bench_query: BenchQuery) -> Sequence[int]:
        """Parsing and first-stage retrieval: from a query text to the ids of the candidates."""
        ids: list[int] = self.retrieve(self.parse_query(bench_query)).tolist()
        return ids

    def parse_query(self, bench_query: BenchQuery) -> ParsedQuery:
        """The parsed query."""
        parsed, _ = self._searcher.understand(Typed(query_text(bench_query)))
        return parsed

    def retrieve(self, query: ParsedQuery) -> Ids:
        """First-stage retrieval alone: from a parsed query to the ids of the candidates."""
        return self._index.matches(query, MAX_CANDIDATES).ids

    def stage_seconds(self, bench_query: BenchQuery) -> Mapping[str, float]:
        """The CPU seconds of each stage of a complete answer."""
        found = self.search(Typed(query_text(bench_query), count_facets=True))
        return found.stage_seconds

    def search(self, query: Typed) -> Results:
        """The complete answer."""
        return self._searcher.search(query)

    def suggest(self, prefix: str, limit: int) -> list[str]:
        """Suggestions for a prefix."""
        return suggestions(self._index.ports, prefix, limit)


class RawTantivy(InProcessEngine):
    """tantivy with its own English analyzer, over the same texts."""

    name = "tantivy"

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True)
        self._schema = self.schema()
        analyzer = _english()
        self._index = tantivy.Index(self._schema, str(folder))
        self._index.register_tokenizer("terms", analyzer)
        self._analyze: Callable[[str], list[str]] = analyzer.analyze

    def schema(self) -> tantivy.Schema:
        """The tantivy schema."""
        builder = tantivy.SchemaBuilder()
        builder.add_integer_field("id", indexed=True, fast=True)
        for name in (ALL_TEXT_FIELD, "title", "url"):
            builder.add_text_field(name, tokenizer_name="terms")
        return builder.build()

    def metadata_fields(self, document: Document) -> dict[str, object]:
        """The values of the fields without text."""
        return {"id": document.id}

    def index(self, documents: Iterable[Document]) -> None:
        writer = self._index.writer(WRITER_HEAP_BYTES, 1)
        for document in documents:
            texts = plain_fields(document)
            values = {
                **self.metadata_fields(document),
                ALL_TEXT_FIELD: [*texts.values()],
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

    def _query(self, bench_query: BenchQuery) -> Query:
        if bench_query.kind == "prefix":
            return Query.regex_query(self._schema, ALL_TEXT_FIELD, bench_query.words[0] + ".*")
        if bench_query.kind == "typo":
            return Query.fuzzy_term_query(self._schema, ALL_TEXT_FIELD, bench_query.words[0], 1)
        terms = [term for word in bench_query.words for term in self._analyze(word)]
        if bench_query.kind == "phrase" and len(terms) > 1:
            return Query.phrase_query(self._schema, ALL_TEXT_FIELD, list(terms))
        occur = Occur.Should if bench_query.kind == "3 OR" else Occur.Must
        each = [(occur, Query.term_query(self._schema, ALL_TEXT_FIELD, term)) for term in terms]
        return Query.boolean_query(each)


class TantivyAllFields(RawTantivy):
    """tantivy with all fields of byway's schema, and the same values."""

    name = "tantivy, all fields"

    def schema(self) -> tantivy.Schema:
        return byway_schema()

    def metadata_fields(self, document: Document) -> dict[str, object]:
        """byway's values; the SimHash, which only byway computes, is replaced by any number."""
        found = metadata_fields(document, PageLinks())
        words = len(document.text.split())
        return {**found, "body_terms": words, "duplicate_hash": found["url_hash"]}


class TantivySameTerms:
    """tantivy over byway's index, with the simplest queries for the same analyses.

    The pages are in many languages, and a word is analyzed in all of them: `throws` is `throw` in
    English and `throws` in German. Raw tantivy analyzes it in English only.
    """

    def __init__(self, folder: Path) -> None:
        self._schema = byway_schema()
        self._index = register_tokenizers(tantivy.Index.open(str(folder / "shard-0" / "tantivy")))

    def run_query(self, kind: str, words: Sequence[TermClause]) -> Sequence[int]:
        """The ids of the best documents."""
        searcher = self._index.searcher()
        found = searcher.search(self._query(kind, words), MAX_CANDIDATES, count=True)
        addresses = [address for _, address in found.hits]
        return [int(id or 0) for id in searcher.fast_field_values("spread_id", addresses)]

    def _query(self, kind: str, words: Sequence[TermClause]) -> Query:
        if kind == "3 AND":
            return Query.boolean_query(
                [(Occur.Must, _any(self._alternatives(word))) for word in words]
            )
        return _any([query for word in words for query in self._alternatives(word)])

    def _alternatives(self, word: TermClause) -> list[Query]:
        queries = [self._terms_query(list(analysis.tokens)) for analysis in word.analyses]
        if word.prefix:
            # A range, since that is faster than a regex.
            until = f"{word.prefix}{MAX_CODE_POINT}"
            text = f"{ALL_TEXT_FIELD}:[{word.prefix} TO {until}]"
            queries.append(self._index.parse_query(text, ["url"]))
        return queries

    def _terms_query(self, terms: list[str]) -> Query:
        if len(terms) == 1:
            return Query.term_query(self._schema, ALL_TEXT_FIELD, terms[0])
        return Query.phrase_query(self._schema, ALL_TEXT_FIELD, list(terms))


def _any(queries: Sequence[Query]) -> Query:
    return Query.boolean_query([(Occur.Should, query) for query in queries])


class Fts5(InProcessEngine):
    """SQLite's full-text search, with stemming, without a copy of the text."""

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
        rows = ((document.id, document.title, document.text) for document in documents)
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
    """The analyzer that tantivy calls en_stem."""
    return (
        tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple())
        .filter(tantivy.Filter.remove_long(40))
        .filter(tantivy.Filter.lowercase())
        .filter(tantivy.Filter.stemmer("english"))
        .build()
    )


def plain_fields(document: Document) -> dict[str, str]:
    """The text of each searched field before analysis."""
    return {
        "title": document.title,
        "url": document.url,
        "names": "\n".join(document.names),
        "meta": f"{document.description}\n{document.keywords}",
        "body": document.text,
    }


def query_text(bench_query: BenchQuery) -> str:
    """A query in byway's syntax."""
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
