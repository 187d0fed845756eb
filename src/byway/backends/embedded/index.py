"""The search index: tantivy for which pages, the forward file for how near the words are.

Text is analysed by `byway.text` and reaches tantivy as terms with spaces between, so documents,
queries and snippets are analysed by the same few lines, and tantivy's query parser, which a few
thousand parentheses kill, never sees what a person typed.
"""

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import tantivy
from tantivy import Occur, Query

from byway.backends.embedded.forward import ForwardReader, ForwardWriter
from byway.errors import DataError
from byway.model import Document, Phrase, Question, UrlId, Word
from byway.ports import Candidates
from byway.settings import IndexSettings
from byway.text import terms
from byway.url import bare_host, host_of, path_of

VERSION = 2
"""Raised whenever fields or analysis change: an index of another version is built anew."""

FIELDS: Mapping[str, float] = {
    "title": 3.0,
    "headings": 1.5,
    "body": 1.0,
    "emphasis": 0.6,
    "meta": 0.8,
    "url": 1.0,
    "links": 0.3,
    "capitals": 0.4,
}
"""Where a word may occur, and how much that counts when candidates are picked."""

TIE = 0.3
"""What the other fields add to the best one: 1 lets one word in many fields beat two words."""

NOTHING = Candidates(np.zeros(0, np.int64), np.zeros(0), np.zeros(0), np.zeros(0), 0)


class TantivyIndex:
    """The index of the data folder. Adding needs the folder's `index` lock; searching does not."""

    def __init__(self, folder: Path, settings: IndexSettings) -> None:
        self._folder = folder
        self._settings = settings
        self._schema = _schema()
        self._index: tantivy.Index | None = None
        self._writer: tantivy.IndexWriter | None = None
        self._forward_writer: ForwardWriter | None = None
        self._forward = ForwardReader(folder)
        self._state: tuple[int, dict[str, Any]] = 0, {}

    def add(self, documents: Iterable[Document]) -> None:
        writer, forward = self._writers()
        for document in documents:
            fields = _fields(document)
            writer.delete_documents_by_term("id", document.id)
            writer.add_document(
                tantivy.Document.from_dict(
                    {
                        "id": document.id,
                        **{name: " ".join(value) for name, value in fields.items()},
                    },
                    self._schema,
                )
            )
            forward.add(document.id, fields["title"], fields["body"])

    def remove(self, ids: Iterable[UrlId]) -> None:
        writer, _ = self._writers()
        for id in ids:
            writer.delete_documents_by_term("id", id)

    def commit(self, sequence: int) -> None:
        writer, forward = self._writers()
        forward.sync()
        writer.commit()
        self._write_state({"version": VERSION, "sequence": sequence})
        if self._index:
            self._index.reload()

    def last(self) -> int:
        state = self._read_state()
        return int(state["sequence"]) if state.get("version") == VERSION else 0

    def count(self) -> int:
        index = self._open()
        return index.searcher().num_docs if index else 0

    def candidates(self, question: Question, limit: int, only: UrlId | None = None) -> Candidates:
        index = self._open()
        if index is None or not question:
            return NOTHING
        searcher = index.searcher()
        found = searcher.search(self._query(question, only), limit, count=True)
        if not found.hits:
            return NOTHING
        scores, addresses = zip(*found.hits, strict=True)
        ids = np.array(searcher.fast_field_values("id", list(addresses)), np.int64).reshape(-1)
        self._forward.refresh()
        return Candidates(
            ids=ids,
            text=np.array(scores, np.float64),
            window=self._forward.windows(ids, question.terms),
            in_title=self._forward.title_shares(ids, question.terms),
            total=int(getattr(found, "count", 0)) or len(ids),  # the stub does not know it
        )

    def close(self) -> None:
        """Let go of the files; what was not committed is forgotten."""
        if self._writer is not None:
            self._writer.rollback()
            self._writer = None
        if self._forward_writer is not None:
            self._forward_writer.close()
            self._forward_writer = None
        self._index = None

    # Opening.

    def _open(self) -> tantivy.Index | None:
        """The index to read; None as long as there is none."""
        if self._index is None and self.last():
            self._index = self._registered(tantivy.Index.open(str(self._path)))
        return self._index

    def _writers(self) -> tuple[tantivy.IndexWriter, ForwardWriter]:
        if self._writer is None or self._forward_writer is None:
            if self._read_state().get("version", VERSION) != VERSION:
                self._clear()
            self._path.mkdir(parents=True, exist_ok=True)
            try:
                self._index = self._registered(tantivy.Index(self._schema, str(self._path)))
            except ValueError as error:
                raise DataError(f"the index in {self._path} cannot be opened: {error}") from error
            heap = self._settings.memory * 1_000_000
            self._writer = self._index.writer(heap, self._settings.threads)
            self._forward_writer = ForwardWriter(self._folder)
        return self._writer, self._forward_writer

    def _registered(self, index: tantivy.Index) -> tantivy.Index:
        # tantivy forgets its tokenizers whenever an index is opened.
        for name, tokenizer in (
            ("terms", tantivy.Tokenizer.whitespace()),
            ("raw", tantivy.Tokenizer.raw()),
        ):
            index.register_tokenizer(name, tantivy.TextAnalyzerBuilder(tokenizer).build())
        return index

    def _clear(self) -> None:
        """Forget an index of another version; it is built anew from the documents."""
        for path in (*self._path.glob("*"), *self._folder.glob("forward.*"), self._state_path):
            path.unlink(missing_ok=True)

    @property
    def _path(self) -> Path:
        return self._folder / "tantivy"

    # What the last commit was.

    @property
    def _state_path(self) -> Path:
        return self._folder / "state.json"

    def _read_state(self) -> dict[str, Any]:
        try:
            stamp = self._state_path.stat().st_mtime_ns
            if stamp != self._state[0]:
                self._state = stamp, json.loads(self._state_path.read_text())
        except FileNotFoundError:
            return {}
        except ValueError as error:
            raise DataError(f"{self._state_path} is damaged; delete {self._folder}") from error
        return self._state[1]

    def _write_state(self, state: dict[str, Any]) -> None:
        draft = self._state_path.with_suffix(".draft")
        with draft.open("w") as file:
            json.dump(state, file)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(self._state_path)

    # Questions as tantivy's queries.

    def _query(self, question: Question, only: UrlId | None) -> Query:
        must: list[tuple[Occur, Query]] = []
        if question.words:
            must.append((Occur.Must, self._words(question.words)))
        must += [(Occur.Must, self._phrase(phrase)) for phrase in question.phrases]
        must += [(Occur.MustNot, self._anything(clause)) for clause in question.without]
        if question.hosts:
            hosts = [(Occur.Should, self._term("host", host)) for host in question.hosts]
            must.append((Occur.Must, Query.boost_query(Query.boolean_query(hosts), 0.0)))
        if only is not None:
            this = Query.term_query(self._schema, "id", only)
            must.append((Occur.Must, Query.boost_query(this, 0.0)))
        return Query.boolean_query(must)

    def _words(self, words: tuple[Word, ...]) -> Query:
        """Most of the words must occur; a word that was typed twice counts twice."""
        each = [(Occur.Should, self._anywhere(word.term)) for word in words]
        least = len(words) if len(words) < 3 else len(words) - len(words) // 3
        return Query.boolean_query(each, minimum_number_should_match=least)

    def _anything(self, clause: Word | Phrase) -> Query:
        return self._phrase(clause) if isinstance(clause, Phrase) else self._anywhere(clause.term)

    def _anywhere(self, term: str) -> Query:
        fields = [Query.boost_query(self._term(name, term), w) for name, w in FIELDS.items()]
        return Query.disjunction_max_query(fields, TIE)

    def _phrase(self, phrase: Phrase) -> Query:
        if len(phrase.terms) == 1:
            return self._anywhere(phrase.terms[0])
        terms: list[str | tuple[int, str]] = list(phrase.terms)
        fields = [
            Query.boost_query(Query.phrase_query(self._schema, name, terms), weight)
            for name, weight in FIELDS.items()
        ]
        return Query.disjunction_max_query(fields, TIE)

    def _term(self, field: str, term: str) -> Query:
        return Query.term_query(self._schema, field, term)


def _schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    # Signed: deleting by an unsigned number silently does nothing.
    builder.add_integer_field("id", indexed=True, fast=True)
    builder.add_text_field("host", tokenizer_name="terms", index_option="basic")
    for name in FIELDS:
        builder.add_text_field(name, tokenizer_name="terms")
    return builder.build()


def _fields(document: Document) -> dict[str, list[str]]:
    """The terms of a document, by where they occur."""
    return {
        "title": terms(document.title),
        "headings": terms("\n".join(heading.text for heading in document.headings)),
        "body": terms(document.text),
        "emphasis": terms("\n".join(document.emphasis)),
        "meta": terms(f"{document.description}\n{document.keywords}"),
        "url": terms(path_of(document.url)) + terms(host_of(document.url)),
        "links": terms("\n".join(document.link_text)),
        "capitals": terms("\n".join(document.capitals)),
        "host": host_names(host_of(document.url)),
    }


def host_names(host: str) -> list[str]:
    """All that `site:` may call a host: itself, without its port, and each domain it is in."""
    names = [host]
    labels = bare_host(host).split(".")
    names += [".".join(labels[n:]) for n in range(len(labels))]
    return list(dict.fromkeys(names))
