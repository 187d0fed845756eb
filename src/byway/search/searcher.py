"""From a query to results: the index picks candidates, the signals order them."""

import time
from collections.abc import Callable
from math import ceil

import numpy as np

from byway.model import Document, Hit, Query, Question, Results, Signal, UrlId
from byway.ports import Candidates, DocumentStore, RankStore, SearchIndex
from byway.search.query import parse
from byway.search.signals import Evidence, scores_of, weighted
from byway.search.snippet import snippet
from byway.settings import SearchSettings

DEEPEST = 1000
"""Nobody reads further, and every page of results costs as much as all before it."""


class Searcher:
    """Answers queries over one index."""

    def __init__(
        self,
        settings: SearchSettings,
        index: SearchIndex,
        documents: DocumentStore,
        ranks: RankStore,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self._settings = settings
        self._index = index
        self._documents = documents
        self._ranks = ranks
        self._clock = clock
        weighted(settings.weights)  # a wrong name is said at once, not at the first search

    def search(self, query: Query) -> Results:
        """The best hits for a query, and how many there are in all."""
        started = self._clock()
        question = parse(query.text)
        end = min(query.offset + query.limit, DEEPEST)
        block = self._settings.candidates
        candidates = self._index.candidates(question, block * max(1, ceil(end / block)))
        evidence = Evidence(question, candidates, self._ranks.load(), _best(candidates))
        scores, why = scores_of(evidence, self._settings.weights)
        # Whole blocks of candidates are ordered, each by itself, and the number breaks ties: what
        # stands on one page of results does not depend on which page is asked for.
        blocks = np.arange(len(scores)) // block
        order = np.lexsort((candidates.ids, -scores, blocks))[query.offset : end]
        hits = [
            self._hit(UrlId(int(candidates.ids[row])), question, float(scores[row]), why(row))
            for row in order
        ]
        found = tuple(hit for hit in hits if hit is not None)
        return Results(query, found, candidates.total, self._clock() - started)

    def explain(self, text: str, id: UrlId) -> tuple[Signal, ...]:
        """Why this page stands where it does for this query; nothing if it does not match."""
        question = parse(text)
        found = self._index.candidates(question, 1, only=id)
        if not len(found.ids):
            return ()
        best = _best(self._index.candidates(question, 1))
        evidence = Evidence(question, found, self._ranks.load(), best)
        _, why = scores_of(evidence, self._settings.weights)
        return why(0)

    def _hit(
        self, id: UrlId, question: Question, score: float, signals: tuple[Signal, ...]
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
        )

    def _snippet(self, document: Document, question: Question) -> tuple[tuple[str, bool], ...]:
        wanted = frozenset(question.terms)
        found = snippet(document.text, wanted, self._settings.snippet)
        if any(marked for _, marked in found) or not document.description:
            return found
        return snippet(document.description, wanted, self._settings.snippet)


def _best(candidates: Candidates) -> float:
    return float(candidates.text.max(initial=0.0))
