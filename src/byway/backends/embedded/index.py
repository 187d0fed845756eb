"""The search index: tantivy for which pages, the forward file for where in them the words are.

Text is analysed by `byway.text` and reaches tantivy as terms with spaces between, so documents,
queries and snippets are analysed by the same few lines, and tantivy's query parser, which a few
thousand parentheses kill, never sees what a person typed.
"""

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import tantivy

from byway.backends.embedded.analysis import Analysis
from byway.backends.embedded.asking import Asking
from byway.backends.embedded.damage import check, damaged, sound
from byway.backends.embedded.entry import FACETS, entry, registered, schema
from byway.backends.embedded.forward import ForwardReader, ForwardWriter
from byway.backends.embedded.phrases import Phrases
from byway.backends.embedded.vocabulary import Vocabulary
from byway.model import Document, Question, Reading, Sort, UrlId, Word
from byway.ports import Candidates, Facets, Floats, Ids, Linked
from byway.settings import IndexSettings
from byway.text import readings

VERSION = 10
"""Raised whenever fields or analysis change: an index of another version is built anew."""

NOTHING = Candidates(np.zeros(0, np.int64), np.zeros(0), np.zeros(0), np.zeros(0), 0)
MEAN = {"mean": {"avg": {"field": "words"}}}
MOST_NAMES = 1000
"""Languages and names of attributes that are looked at."""
MOST_WORDS = 20
"""Words spelt nearly like another one that are told."""
MOST_LANGUAGES = 8
SURELY = 200
"""Pages with a word from which on nobody looks whether all of them are gone."""


class TantivyIndex:
    """The index of the data folder. Adding needs the folder's `index` lock; searching does not."""

    def __init__(self, folder: Path, settings: IndexSettings) -> None:
        self._folder = folder
        self._settings = settings
        self._schema = schema()
        self._index: tantivy.Index | None = None
        self._writer: tantivy.IndexWriter | None = None
        self._forward_writer: ForwardWriter | None = None
        self._forward = ForwardReader(folder)
        self._vocabulary = Vocabulary(folder, settings.vocabulary)
        self._analysis = Analysis(self._vocabulary, settings.numbers == "all")
        self._phrases = Phrases(folder, settings.vocabulary)
        self._state_path = folder / "state.json"
        self._state: tuple[int, dict[str, Any]] = 0, {}
        self._names: dict[str, tuple[int, tuple[str, ...], frozenset[str]]] = {}
        self._mean = -1, 1.0

    def add(
        self, documents: Iterable[Document], links: Mapping[UrlId, Linked] | None = None
    ) -> None:
        writer, forward = self._writers()
        for document in documents:
            linked = (links or {}).get(document.id, Linked())
            said = self._analysis.of(document, linked.anchors)
            writer.delete_documents_by_term("id", document.id)
            writer.add_document(entry(document, said, linked, self._schema))
            forward.add(document.id, said)
            self._phrases.add(document, linked)

    def remove(self, ids: Iterable[UrlId]) -> None:
        writer, _ = self._writers()
        gone = list(ids)
        for id in gone:
            writer.delete_documents_by_term("id", id)
        self._phrases.remove(gone)

    def commit(self, sequence: int) -> None:
        writer, forward = self._writers()
        forward.sync()
        writer.commit()
        self._analysis.commit()
        self._vocabulary.commit()
        self._phrases.commit()
        self._write_state({"version": VERSION, "sequence": sequence})
        if self._index:
            self._index.reload()

    def last(self) -> int:
        state = self._read_state()
        return int(state["sequence"]) if state.get("version") == VERSION else 0

    def count(self) -> int:
        index = self._open()
        return index.searcher().num_docs if index else 0

    def candidates(
        self,
        question: Question,
        limit: int,
        only: UrlId | None = None,
        sort: Sort = "relevance",
    ) -> Candidates:
        picked = self.picked(question, limit, only, sort)
        if picked is None:
            return NOTHING
        with sound(self._path):
            return self._looked_at(question, picked, sort)

    def _looked_at(self, question: Question, picked: "Picked", sort: Sort) -> Candidates:
        """The second stage: where the words stand in each page, and what else is known of it."""
        searcher, column, ids = picked.searcher, picked.column, picked.ids
        self._forward.refresh()
        seen = self._forward.look(ids, question.words)
        return Candidates(
            ids=ids,
            text=np.array(picked.scores) if sort != "date" else np.zeros(len(ids)),
            window=seen.window,
            in_title=seen.in_title,
            total=picked.total,
            counts=seen.counts,
            lengths=seen.lengths,
            phrase=seen.phrase,
            beside=seen.beside,
            near=seen.near,
            called=seen.called,
            first=seen.first,
            rarity=_rarity(searcher, question.words),
            average=self._average(searcher),
            hosts=column("host_number"),
            days=column("day"),
            alike=column("alike"),
            own=column("own"),
            canonical=column("canonical"),
        )

    def picked(
        self,
        question: Question,
        limit: int,
        only: UrlId | None = None,
        sort: Sort = "relevance",
    ) -> "Picked | None":
        """The first stage alone: which pages match, and their scores; None if there are none."""
        index = self._open()
        if index is None or not question:
            return None
        searcher = index.searcher()
        query = self._asking(index).query(question.parts, only)
        order = "day" if sort == "date" else None
        with sound(self._path):
            found = searcher.search(query, limit, count=True, order_by_field=order)
        hits = found.hits  # made anew whenever it is asked for
        if not hits:
            return None
        scores, addresses = zip(*hits, strict=True)
        total = int(getattr(found, "count", 0)) or len(addresses)  # the stub does not know it
        return Picked(self._path, searcher, list(addresses), scores, total)

    def numbers(self, question: Question, most: int) -> Ids:
        picked = self.picked(question, most)
        if picked is None:
            return NOTHING.ids
        with sound(self._path):
            return picked.ids

    def facets(self, question: Question, most: int) -> Facets:
        index = self._open()
        if index is None or not question:
            return dict.fromkeys(FACETS, ())
        query = self._asking(index).query(question.parts)
        asked = {name: {"terms": {"field": name, "size": most}} for name in FACETS}
        with sound(self._path):
            found = index.searcher().aggregate(query, asked)
        return {
            name: tuple((one["key"], one["doc_count"]) for one in found[name]["buckets"])
            for name in FACETS
        }

    def languages(self) -> tuple[str, ...]:
        return self._named("language")[0]

    def attributes(self) -> frozenset[str]:
        return self._named("has")[1]

    def frequency(self, terms: Sequence[str]) -> int:
        index = self._open()
        if index is None or not terms:
            return 0
        searcher = index.searcher()
        return min(searcher.doc_freq("anywhere", term) for term in terms)

    def near(self, word: str, distance: int) -> list[tuple[str, int, int]]:
        found = self._vocabulary.near(word, distance)[:MOST_WORDS]
        return [row for row in found if self._is_there(row[0])]

    def beginning(self, prefix: str, most: int) -> list[str]:
        return [*filter(self._is_there, self._vocabulary.beginning(prefix, most))]

    def beginning_nearly(self, prefix: str, most: int) -> list[str]:
        return [*filter(self._is_there, self._vocabulary.beginning_nearly(prefix, most))]

    def phrases(self, typed: str, most: int) -> list[str]:
        return self._phrases.beginning(typed, most)

    def _is_there(self, word: str) -> bool:
        """Has any page this word still? The vocabulary forgets nothing."""
        index = self._open()
        if index is None:
            return False
        for terms in readings(word, self.languages()[:MOST_LANGUAGES]):
            # Removed pages count until tantivy merges them away, but not so many of them.
            if self.frequency(terms) > SURELY:
                return True
            query = self._asking(index).query((Word(word, (Reading(terms),)),))
            if index.searcher().search(query, 1, count=False).hits:
                return True
        return False

    def _average(self, searcher: tantivy.Searcher) -> float:
        """How many words a text has on average; worked out once a commit."""
        self._read_state()
        if self._mean[0] != self._state[0]:
            found = searcher.aggregate(tantivy.Query.all_query(), MEAN)
            self._mean = self._state[0], float(found["mean"]["value"] or 1.0)
        return max(1.0, self._mean[1])

    def _asking(self, index: tantivy.Index) -> Asking:
        return Asking(index, self._schema, all_numbers=self._settings.numbers == "all")

    def _named(self, field: str) -> tuple[tuple[str, ...], frozenset[str]]:
        """The values of a field that has few, the most frequent first; looked up once a commit."""
        index = self._open()
        if index is None:
            return (), frozenset()
        self._read_state()
        stamp, names, known = self._names.get(field, (-1, (), frozenset()))
        if stamp != self._state[0]:
            with sound(self._path):
                with suppress(ValueError):  # thrown away in this very moment: the old one answers
                    index.reload()  # what another process has committed is seen half a second later
                rows = index.searcher().terms_with_prefix(field, "", limit=MOST_NAMES)
            names = tuple(name for name, _ in sorted(rows, key=lambda row: (-row[1], row[0])))
            known = frozenset(names)
            self._names[field] = self._state[0], names, known
        return names, known

    def close(self) -> None:
        """Let go of the files; what was not committed is forgotten."""
        if self._writer is not None:
            self._writer.rollback()
            self._writer = None
        if self._forward_writer is not None:
            self._forward_writer.close()
            self._forward_writer = None
            self._vocabulary.close()
            self._phrases.close()
        self._index = None

    # Opening.

    def _open(self) -> tantivy.Index | None:
        """The index to read; None as long as there is none."""
        if self._index is None and self.last():
            check(self._path)
            try:
                with sound(self._path):
                    self._index = registered(tantivy.Index.open(str(self._path)))
            except ValueError as error:
                if (self._path / "meta.json").exists():
                    raise damaged(self._path, str(error)) from error
                return None  # thrown away in this very moment, to be built anew
        return self._index

    def _writers(self) -> tuple[tantivy.IndexWriter, ForwardWriter]:
        if self._writer is None or self._forward_writer is None:
            if self._read_state().get("version", VERSION) != VERSION:
                self._clear()
            self._path.mkdir(parents=True, exist_ok=True)
            check(self._path, whole=True)
            try:
                self._index = registered(tantivy.Index(self._schema, str(self._path)))
            except ValueError as error:
                raise damaged(self._path, str(error)) from error
            heap = self._settings.memory * 1_000_000
            self._writer = self._index.writer(heap, self._settings.threads)
            self._forward_writer = ForwardWriter(self._folder)
        return self._writer, self._forward_writer

    def _clear(self) -> None:
        """Forget an index of another version; it is built anew from the documents."""
        ours = (
            path
            for kind in ("forward", "vocabulary", "phrases", "beginnings", "state")
            for path in self._folder.glob(f"{kind}.*")
        )
        for path in (*self._path.glob("*"), *ours):
            path.unlink(missing_ok=True)

    @property
    def _path(self) -> Path:
        return self._folder / "tantivy"

    # What the last commit was.

    def _read_state(self) -> dict[str, Any]:
        try:
            stamp = self._state_path.stat().st_mtime_ns
            if stamp != self._state[0]:
                self._state = stamp, json.loads(self._state_path.read_text())
        except FileNotFoundError:
            return {}
        except ValueError as error:
            raise damaged(self._state_path, str(error)) from error
        return self._state[1]

    def _write_state(self, state: dict[str, Any]) -> None:
        draft = self._state_path.with_suffix(".draft")
        with draft.open("w") as file:
            json.dump(state, file)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(self._state_path)


@dataclass(frozen=True, slots=True)
class Picked:
    """The pages that tantivy finds, best first."""

    folder: Path
    searcher: tantivy.Searcher
    addresses: list[tantivy.DocAddress]
    scores: tuple[float, ...]
    total: int

    @property
    def ids(self) -> Ids:
        """Their numbers."""
        return self.column("id")

    def column(self, name: str) -> Ids:
        """What they have in a field of numbers."""
        values = self.searcher.fast_field_values(name, self.addresses)
        try:
            return np.array(values, np.int64).reshape(-1)
        except TypeError as error:
            raise damaged(self.folder, f"no {name} of a page") from error


def _rarity(searcher: tantivy.Searcher, words: Sequence[Word]) -> Floats:
    """ln(all pages / pages with the word as it was typed), by its most frequent reading."""
    all_pages = searcher.num_docs
    with_word = [
        max(
            (
                min(searcher.doc_freq("anywhere", term) for term in reading.terms)
                for reading in word.typed
            ),
            default=0,
        )
        for word in words
    ]
    # tantivy counts removed pages until they are merged away, so a word may seem too frequent.
    pages = np.minimum(np.array(with_word, np.float64), all_pages)
    return np.log((all_pages + 1) / (pages + 0.5))
