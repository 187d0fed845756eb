"""Whoosh, a search engine in Python, from the peers' environment."""

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from bench.speed.environment import peers_python
from bench.speed.search.engines import InProcessEngine
from bench.speed.search.queries import BenchQuery
from byway.core.model import Document

try:
    from whoosh import analysis, fields, index, query
except ImportError:
    sys.path += map(str, peers_python().parents[1].glob("lib/python*/site-packages"))
    from whoosh import analysis, fields, index, query


class Whoosh(InProcessEngine):
    """Whoosh with stemmed titles and texts."""

    name = "whoosh"

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True)
        self._stem = analysis.StemmingAnalyzer(stoplist=None)
        text = fields.TEXT(analyzer=self._stem)
        schema = fields.Schema(id=fields.NUMERIC(stored=True), title=text, text=text)
        self._index: Any = index.create_in(folder, schema)

    def index(self, documents: Iterable[Document]) -> None:
        writer = self._index.writer(limitmb=512)
        for document in documents:
            writer.add_document(id=document.id, title=document.title, text=document.text)
        writer.commit()
        self._searcher = self._index.searcher()

    def run_query(self, bench_query: BenchQuery) -> Sequence[int]:
        found = self._searcher.search(self._query(bench_query), limit=10)
        return [hit["id"] for hit in found]

    def _query(self, bench_query: BenchQuery) -> Any:
        if bench_query.kind == "prefix":
            return query.Prefix("text", bench_query.words[0])
        if bench_query.kind == "typo":
            return query.FuzzyTerm("text", bench_query.words[0], maxdist=1)
        terms = [token.text for word in bench_query.words for token in self._stem(word)]
        if bench_query.kind == "phrase":
            return query.Phrase("text", terms)
        queries = [query.Term("text", term) for term in terms]
        return query.Or(queries) if bench_query.kind == "3 OR" else query.And(queries)
