"""From a query to results: the index picks candidates, the signals order them."""

import time
from collections.abc import Callable
from math import ceil

import numpy as np

from byway.model import (
    Document,
    Filter,
    Hit,
    Not,
    Query,
    Question,
    Results,
    Signal,
    Url,
    UrlId,
)
from byway.ports import Candidates, DocumentStore, Facets, Floats, Ids, RankStore, SearchIndex
from byway.search.crowding import spread
from byway.search.query import Collected, parse
from byway.search.related import resolved
from byway.search.signals import Evidence, scores_of, weighted
from byway.search.snippet import snippet
from byway.search.spelling import instead, widened
from byway.settings import SearchSettings

DEEPEST = 1000
"""Nobody reads further, and every page of results costs as much as all before it."""
MOST_LANGUAGES = 8
"""Languages in which a word is read: each that differs costs another look-up."""
MOST_IN_FACET = 10

NumberOf = Callable[[Url], UrlId | None]


class Searcher:
    """Answers queries over one index."""

    def __init__(
        self,
        settings: SearchSettings,
        index: SearchIndex,
        documents: DocumentStore,
        ranks: RankStore,
        clock: Callable[[], float] = time.perf_counter,
        number_of: NumberOf = lambda url: None,
    ) -> None:
        self._settings = settings
        self._index = index
        self._documents = documents
        self._ranks = ranks
        self._clock = clock
        self._number_of = number_of
        weighted(settings.weights)  # a wrong name is said at once, not at the first search

    def search(self, query: Query) -> Results:
        """The best hits for a query, and how many there are in all."""
        watch = Watch(self._clock)
        question, likely = self.understood(query)
        watch.lap("understand")
        end = min(query.offset + query.limit, DEEPEST)
        block = self._settings.candidates
        most = block * max(1, ceil(end / block))
        candidates = self._index.candidates(question, most, sort=query.sort)
        watch.lap("retrieve")
        evidence = Evidence(question, candidates, self._ranks.load(), _best(candidates))
        scores, why = scores_of(evidence, self._settings.weights)
        order, put_off = self._ordered(question, query, candidates, scores)
        watch.lap("rank")
        hits = []
        for place in range(query.offset, min(end, len(order))):
            row = order[place]
            id = UrlId(int(candidates.ids[row]))
            hit = self._hit(id, question, float(scores[row]), why(row), put_off[place])
            hits += [hit] if hit is not None else []
        watch.lap("show")
        facets: Facets = {}
        if query.facets:
            facets = self._index.facets(question, MOST_IN_FACET)
            watch.lap("count")
        return Results(
            query,
            tuple(hits),
            candidates.total,
            watch.seconds,
            instead(query.text, likely),
            facets,
            watch.laps,
        )

    def explain(self, text: str, id: UrlId) -> tuple[Signal, ...]:
        """Why this page stands where it does for this query; nothing if it does not match."""
        question, _ = self.understood(Query(text, duplicates=True))
        found = self._index.candidates(question, 1, only=id)
        if not len(found.ids):
            return ()
        best = _best(self._index.candidates(question, 1))
        evidence = Evidence(question, found, self._ranks.load(), best)
        _, why = scores_of(evidence, self._settings.weights)
        return why(0)

    def understood(self, query: Query) -> tuple[Question, dict[str, str]]:
        """What a query means over this collection, and likelier spellings of its words."""
        languages = self._index.languages()[:MOST_LANGUAGES]
        collected = Collected(languages, self._index.attributes())
        question = parse(query.text, query.filters, collected)
        question = resolved(question, self._index, self._documents, self._number_of)
        likely: dict[str, str] = {}
        if self._settings.slips:
            question, likely = widened(question, self._index)
        if question and not query.duplicates:
            question = Question((*question.parts, Not(Filter("duplicate"))))
        return question, likely

    def _ordered(
        self, question: Question, query: Query, candidates: Candidates, scores: Floats
    ) -> tuple[list[int], list[int]]:
        """The rows of the candidates in their order, and how many were put off at each place."""
        # Whole blocks of candidates are ordered, each by itself, and the number breaks ties: what
        # stands on one page of results does not depend on which page is asked for.
        block = self._settings.candidates
        blocks = np.arange(len(scores)) // block
        by: Ids | Floats = candidates.days if query.sort == "date" else scores
        order = np.lexsort((candidates.ids, -by, blocks))
        in_a_row = self._settings.in_a_row
        if query.sort == "date" or question.filters("site") or not in_a_row:
            return order.tolist(), [0] * len(order)
        rows: list[int] = []
        put_off: list[int] = []
        for start in range(0, len(order), block):
            some = order[start : start + block]
            places, more = spread(candidates.hosts[some].tolist(), in_a_row)
            rows += some[places].tolist()
            put_off += more
        return rows, put_off

    def _hit(
        self,
        id: UrlId,
        question: Question,
        score: float,
        signals: tuple[Signal, ...],
        more: int,
    ) -> Hit | None:
        document = self._documents.get(id)
        if document is None:
            return None
        return Hit(
            url=document.url,
            id=id,
            title=document.title or document.url,
            score=score,
            snippet=self._snippet(document, question),
            content_type=document.content_type,
            language=document.language,
            published=document.published,
            signals=signals,
            more=more,
        )

    def _snippet(self, document: Document, question: Question) -> tuple[tuple[str, bool], ...]:
        wanted = {
            term for word in question.words for reading in word.readings for term in reading.terms
        }
        length, language, words = self._settings.snippet, document.language, len(question.words)
        found = snippet(document.text, wanted, length, language, words)
        if any(marked for _, marked in found) or not document.description:
            return found
        return snippet(document.description, wanted, length, language)


class Watch:
    """How long did each step take?"""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._started = self._last = clock()
        self.laps: dict[str, float] = {}

    def lap(self, name: str) -> None:
        """The step of that name is over."""
        now = self._clock()
        self.laps[name] = now - self._last
        self._last = now

    @property
    def seconds(self) -> float:
        """From the start to the last lap."""
        return self._last - self._started


def _best(candidates: Candidates) -> float:
    return float(candidates.text.max(initial=0.0))
