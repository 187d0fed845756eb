"""The search index: tantivy for which pages, the forward file for where in them the words are.

Text is analysed by `byway.core.text` and reaches tantivy as terms with spaces between, so
documents, queries and snippets are analysed by the same few lines, and tantivy's query parser,
which a few thousand parentheses kill, never sees what a person typed.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np
import tantivy

from byway.core.model import Document, Sort, UrlId
from byway.core.model.candidates import Candidates, Ids
from byway.core.model.query import Question, Reading, Word
from byway.core.ports import Facets, Linked
from byway.core.settings.schema import IndexSettings
from byway.core.text import OTHERS, bit_of, readings
from byway.index.analysis.document_analyzer import Analysis
from byway.index.dictionary.term_dictionary import Vocabulary
from byway.index.disk.checksums import Sound
from byway.index.disk.commit_marker import Committed
from byway.index.disk.open import IndexFiles
from byway.index.forward.reader import ForwardReader
from byway.index.language_bloom import SpokenReader
from byway.index.query.builder import Asking
from byway.index.query.terms import Tongues
from byway.index.retrieval import Picked, occurring, rarity_of
from byway.index.schema import FACETS, entry, schema
from byway.index.suggest.suggestion_store import Phrases

VERSION = 22
"""Raised whenever fields or analysis change: an index of another version is built anew."""

NOTHING = Candidates(np.zeros(0, np.int64), np.zeros(0), np.zeros(0), np.zeros(0), 0)
UNLINKED = Linked()
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
        self._all_numbers = settings.numbers == "all"
        self._schema = schema()
        self._committed = Committed(folder / "state.json", VERSION)
        self._files = IndexFiles(folder, settings, self._schema, self._committed)
        self._sound = Sound(self._files.path)
        self._forward = ForwardReader(folder)
        self._spoken = SpokenReader(folder)
        self._vocabulary = Vocabulary(folder, settings.vocabulary)
        self._analysis = Analysis(self._vocabulary, self._all_numbers)
        self._phrases = Phrases(folder, settings.vocabulary)
        self._names: dict[str, tuple[int, tuple[str, ...], frozenset[str]]] = {}
        self._asks: Asking | None = None
        self._mean = -1, 1.0
        self._gone: set[UrlId] = set()

    def add(
        self, documents: Iterable[Document], links: Mapping[UrlId, Linked] | None = None
    ) -> None:
        writer, forward, spoken = self._files.to_fill()
        known = links or {}
        named = ((one, known.get(one.id, UNLINKED).anchors) for one in documents)
        for document, said in self._analysis.of(named):
            linked = known.get(document.id, UNLINKED)
            again = forward.has(document.id)
            if again or not self._files.began_empty:
                writer.delete_documents_by_term("id", document.id)
            is_marked = self._files.marking.is_due(document.language, again)
            writer.add_document(entry(document, said, linked, self._schema, is_marked))
            forward.add(document.id, said)
            self._gone.discard(document.id)
            spoken.add(document.id, document.language, said.codes)
            self._phrases.add(document, linked)

    def remove(self, ids: Iterable[UrlId]) -> None:
        writer, _, _ = self._files.to_fill()
        gone = list(ids)
        for id in gone:
            writer.delete_documents_by_term("id", id)
        self._phrases.remove(gone)
        self._gone.update(gone)

    def commit(self, sequence: int) -> None:
        writer, forward, spoken = self._files.to_fill()
        before = self.count()
        forward.sync()
        spoken.sync()
        writer.commit()
        if self._gone:  # before the last number is written: who was interrupted does it again
            forward.erase(self._gone)
            self._gone.clear()
        self._analysis.commit()
        self._vocabulary.commit(before)
        self._phrases.commit(before)
        self._committed.write(sequence)
        self._files.renew()
        self._names.clear()

    def outdated(self, limit: int) -> list[UrlId]:
        self._files.to_fill()
        languages = filter(self._files.marking.has_few, self._named("unmarked")[0])
        return next(filter(None, (self._without_mark(one, limit) for one in languages)), [])

    def last(self) -> int:
        return self._committed.last()

    def hold(self) -> None:
        """Open what is searched, so that it can be searched even when its files are deleted."""
        self._files.to_ask()
        self._forward.refresh()

    def count(self) -> int:
        index = self._files.to_ask()
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
        with self._sound:
            return self._looked_at(question, picked, sort)

    def _looked_at(self, question: Question, picked: Picked, sort: Sort) -> Candidates:
        """The second stage: where the words stand in each page, and what else is known of it."""
        searcher, column, ids = picked.searcher, picked.column, picked.ids
        self._forward.refresh()
        spoken = column("spoken") | self._quoted()
        seen = self._forward.look(ids, occurring(searcher, question.words), spoken)
        return Candidates(
            ids=ids,
            text=picked.scores if sort != "date" else np.zeros(len(ids)),
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
            rarity=rarity_of(searcher, question.words, self._quoted()),
            average=self._average(searcher),
            hosts=column("host_number"),
            days=column("day"),
            alike=column("alike"),
            spoken=spoken,
            own=column("own"),
            canonical=column("canonical"),
        )

    def picked(
        self,
        question: Question,
        limit: int,
        only: UrlId | None = None,
        sort: Sort = "relevance",
    ) -> Picked | None:
        """The first stage alone: which pages match, and their scores; None if there are none."""
        index = self._files.to_ask()
        if index is None or not question:
            return None
        searcher = index.searcher()
        query = self._asking(index).query(question.parts, only)
        order = "day" if sort == "date" else None
        with self._sound:
            found = searcher.search(query, limit, True, order)
        hits = found.hits  # made anew whenever it is asked for
        if not hits:
            return None
        addresses = [address for _, address in hits]
        total = int(getattr(found, "count", 0)) or len(addresses)  # the stub does not know it
        return Picked(self._files.path, searcher, hits, addresses, total)

    def numbers(self, question: Question, most: int) -> Ids:
        with self._sound:
            picked = self.picked(question, most)
            return picked.ids if picked else NOTHING.ids

    def facets(self, question: Question, most: int) -> Facets:
        index = self._files.to_ask()
        if index is None or not question:
            return dict.fromkeys(FACETS, ())
        query = self._asking(index).query(question.parts)
        asked = {name: {"terms": {"field": name, "size": most}} for name in FACETS}
        with self._sound:
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
        index = self._files.to_ask()
        if index is None or not terms:
            return 0
        searcher = index.searcher()
        return min(searcher.doc_freq("anywhere", term) for term in terms)

    def spoken(self, terms: Sequence[str]) -> int:
        return self._spoken.of(terms)

    def pages_in(self, language: int, terms: Sequence[str]) -> int:
        return self._spoken.pages(terms, language)

    def near(self, word: str, distance: int) -> list[tuple[str, int, int]]:
        found = self._vocabulary.near(word, distance)[:MOST_WORDS]
        return [row for row in found if self._is_there(row[0])]

    def beginning(self, prefix: str, most: int) -> list[str]:
        return [*filter(self._is_there, self.begun(prefix, most))]

    def begun(self, prefix: str, most: int) -> list[str]:
        return self._vocabulary.beginning(prefix, most)

    def beginning_nearly(self, prefix: str, most: int) -> list[str]:
        return [*filter(self._is_there, self._vocabulary.beginning_nearly(prefix, most))]

    def written(self, word: str) -> str:
        return self._vocabulary.written(word)

    def phrases(self, typed: str, most: int) -> list[str]:
        return self._phrases.beginning(typed, most)

    def phrases_nearly(self, typed: str, most: int) -> list[str]:
        return self._phrases.beginning_nearly(typed, most)

    def _is_there(self, word: str) -> bool:
        """Has any page this word still? The vocabulary forgets nothing."""
        index = self._files.to_ask()
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
        stamp = self._committed.stamp()
        if self._mean[0] != stamp:
            found = searcher.aggregate(tantivy.Query.all_query(), MEAN)
            self._mean = stamp, float(found["mean"]["value"] or 1.0)
        return max(1.0, self._mean[1])

    def _asking(self, index: tantivy.Index) -> Asking:
        # As they were when the question was understood: to look at the file anew takes some time.
        known = self._names.get("language")
        languages = known[1] if known else self.languages()
        asking = self._asks
        if asking is None or not asking.is_for(index, languages):
            # Of pages that are gone the index still tells for a while.
            unmarked = [one for one in self._named("unmarked")[0] if self._without_mark(one, 1)]
            tongues = Tongues(languages, unmarked, self._spoken.of)
            asking = Asking(index, self._schema, tongues, all_numbers=self._all_numbers)
            self._asks = asking
        return asking

    def _without_mark(self, language: str, limit: int) -> list[UrlId]:
        """Pages in this language that are not marked."""
        index = self._files.to_ask()
        if index is None:
            return []
        searcher = index.searcher()
        query = tantivy.Query.term_query(self._schema, "unmarked", language)
        hits = searcher.search(query, limit, count=False).hits
        addresses = [address for _, address in hits]
        ids = Picked(self._files.path, searcher, hits, addresses, len(hits)).ids
        return [UrlId(id) for id in ids.tolist()]

    def _quoted(self) -> int:
        """The bits of languages that pages in any other quote: that of most pages, and English."""
        return bit_of(next(iter(self.languages()), "")) | OTHERS

    def _named(self, field: str) -> tuple[tuple[str, ...], frozenset[str]]:
        """The values of a field that has few, the most frequent first; looked up once a commit."""
        index = self._files.to_ask()
        if index is None:
            return (), frozenset()
        now = self._committed.stamp()
        stamp, names, known = self._names.get(field, (-1, (), frozenset()))
        if stamp != now:
            self._spoken.renew()
            with self._sound:
                with suppress(ValueError):  # thrown away in this very moment: the old one answers
                    index.reload()  # what another process has committed is seen half a second later
                rows = index.searcher().terms_with_prefix(field, "", limit=MOST_NAMES)
            names = tuple(name for name, _ in sorted(rows, key=lambda row: (-row[1], row[0])))
            known = frozenset(names)
            self._names[field] = now, names, known
        return names, known

    def close(self) -> None:
        """Let go of the files; what was not committed is forgotten."""
        self._files.close()
        self._vocabulary.close()
        self._phrases.close()
