"""From a query to results: the index picks candidates, the signals order them."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from math import ceil

import numpy as np

from byway.core.model import Absent, Chip, Hit, Query, Results, Signal, Sort, Standing, UrlId
from byway.core.model.candidates import Candidates, Floats, Ids
from byway.core.model.query import AnyOf, Filter, Not, Question
from byway.core.ports import DocumentStore, Facets, RankStore, SearchIndex
from byway.core.settings.schema import SearchSettings
from byway.products.search.product_facets import counted
from byway.products.search.product_order import KEYS, Order, Shelf, arranged, offers_of
from byway.products.vocabulary.lookup import Vocabulary, ours
from byway.search.diagnose.no_hits import Absences, says_nothing
from byway.search.diagnose.page_mismatch import Lacking, lacking
from byway.search.present.hit import Showing
from byway.search.present.snippet_terms import wanted_of
from byway.search.query.parser import unquoted
from byway.search.query.related_pages import NumberOf
from byway.search.rank.duplicates import duplicates, not_canonical
from byway.search.rank.host_diversity import spread
from byway.search.rank.personal import Why, raised
from byway.search.rank.signals import Evidence, Scored, scores_of, weighted
from byway.search.stopwatch import Watch
from byway.search.suggest.letter_case import as_written
from byway.search.suggest.related_searches import LOOKED_AT, others
from byway.search.understand.spelling import Likely, instead
from byway.search.understand.understand import Asked, Meaning

DEEPEST = 1000
"""Nobody reads further, and every page of results costs as much as all before it."""
MOST_IN_FACET = 10
SEEN = 3
"""Pages in which it is looked up how a word is written."""
MOST_PHRASES = 10
MOST_GOODS = 5000
"""Goods that are put in order, grouped and counted; each is looked at."""
MOST_OF_GOODS = 30
"""Values of an attribute of goods that are counted: shoes alone have more than ten sizes."""


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
        today: Callable[[], int] = lambda: 0,
        vocabulary: Callable[[], Vocabulary] = ours,
    ) -> None:
        self._settings = settings
        self._index = index
        self._documents = documents
        self._ranks = ranks
        self._clock = clock
        self._today = today
        self._meaning = Meaning(index, documents, number_of, vocabulary, settings.slips)
        self._absences = Absences(index, documents, number_of)
        self._showing = Showing(documents, settings.snippet)
        self._shelf = Shelf(documents.get)
        weighted(settings.weights)  # a wrong name is said at once, not at the first search

    def search(self, query: Query) -> Results:
        """The best hits for a query, and how many there are in all."""
        watch = Watch(self._clock)
        asked = self._meaning.of(query)
        watch.lap("understand")
        question, candidates = self._retrieved(query, asked)
        watch.lap("retrieve")
        near = asked.is_near(question)
        self._shelf.renew(self._index.last())
        candidates, found = self._enough(query, question, candidates, asked.chips if near else ())
        watch.lap("rank")
        hits = tuple(self._hits(query, found))
        also = () if query.offset or _in_goods(query) else self._others(query, found, hits)
        offered, finds = self._offered(query, asked, hits)
        watch.lap("show")
        facets: Facets = {}
        if query.facets:
            facets = self._facets(query, found)
            watch.lap("count")
        return Results(
            query,
            hits,
            candidates.total - _hidden(found.order, query),
            watch.seconds,
            offered,
            facets,
            watch.laps,
            asked.chips,
            near,
            found.order.currencies,
            self._blocked(query),
            also,
            () if candidates.total else self._absent(query, asked),
            asked.apart if candidates.total else (),
            not candidates.total and says_nothing(query, asked.questions),
            # What says the same is known among those that were looked at.
            not query.duplicates and candidates.total > len(candidates.ids),
            finds,
            asked.misread,
        )

    def _retrieved(self, query: Query, asked: Asked) -> tuple[Question, Candidates]:
        """The first question that has an answer, and as many pages as this query needs."""
        block = self._settings.candidates
        most = MOST_GOODS if _in_goods(query) else block * max(1, ceil(_end(query) / block))
        return self._first(asked, most, query.sort)

    def _first(
        self, asked: Asked, most: int, sort: Sort = "relevance"
    ) -> tuple[Question, Candidates]:
        """The first question that has an answer, and the pages that may be it."""
        for question in asked.questions:
            candidates = self._index.candidates(question, most, sort=sort)
            if len(candidates.ids):
                return question, candidates
        return asked.questions[0], candidates

    def _enough(
        self, query: Query, question: Question, candidates: Candidates, near: Sequence[Chip]
    ) -> tuple[Candidates, "_Found"]:
        """The candidates in their order, and more of them where duplicates take up the page."""
        block = self._settings.candidates
        deepest = block * ceil(DEEPEST / block)
        found = self._found(query, question, candidates, near)
        while len(found.order.rows) < _end(query):
            most = min(deepest, 2 * len(candidates.ids))
            if min(most, candidates.total) <= len(candidates.ids):
                break
            candidates = self._index.candidates(question, most, sort=query.sort)
            found = self._found(query, question, candidates, near)
        return candidates, found

    def _found(
        self, query: Query, question: Question, candidates: Candidates, near: Sequence[Chip]
    ) -> "_Found":
        """The candidates in their order; `near` are the chips that not all of them keep."""
        scored = self._scored(question, candidates, _best(candidates))
        scores, why = raised(scored, candidates.hosts, query.boosts)
        if _in_goods(query):
            same = not_canonical(candidates, MOST_GOODS)
            order = arranged(candidates, scores, query, near, same, self._shelf)
        else:
            order = self._ordered(question, query, candidates, scores)
        return _Found(question, candidates.ids, candidates.spoken, scores, why, order)

    def _hits(self, query: Query, found: "_Found") -> Iterator[Hit]:
        """Those of the page of results that is asked for."""
        ids, order = found.ids, found.order
        wanted = cache(partial(wanted_of, found.question))
        for place in range(query.offset, min(_end(query), len(order.rows))):
            row = order.rows[place]
            score, more = float(found.scores[row]), order.put_off.get(place, 0)
            id = UrlId(int(ids[row]))
            # The words of a page are read in its own languages.
            shown = wanted(int(found.spoken[row]))
            hit = self._showing.hit(id, shown, score, found.why(row), more)
            if hit is None:
                continue
            if row in order.same and query.duplicates:
                better = self._documents.get(UrlId(int(ids[order.same[row]])))
                hit = replace(hit, duplicate_of=better.url if better else None)
            if len(order.groups.get(row, ())) > 1:
                hit = replace(hit, offers=offers_of(ids, order.groups[row], self._shelf))
            yield hit

    def _others(self, query: Query, found: "_Found", hits: Sequence[Hit]) -> tuple[str, ...]:
        """Other searches that are near to this one, however many hits are asked for."""
        question, most = found.question, LOOKED_AT - query.limit
        if most > 0:
            hits = [*hits, *self._hits(replace(query, offset=query.limit, limit=most), found)]
        typed = " ".join(word.text for word in question.words if word.loose)
        return others(question, hits, self._index.phrases(typed, MOST_PHRASES) if typed else ())

    def _offered(self, query: Query, asked: Asked, hits: Sequence[Hit]) -> tuple[str, int]:
        """A likelier query as pages write it, and how many pages it finds, if it is a beginning.

        Other spellings were looked for already, so that those pages are among the hits.
        """
        likely = instead(query.text, asked.likely, self._index, hits[0].title if hits else "")
        ids, finds = [hit.id for hit in hits[:SEEN]], 0
        if not hits and not query.offset and (bare := unquoted(query.text)) != query.text:
            quoted = self._offered_quoted(query, bare)
            if quoted[0]:
                return quoted
        if likely.count("*") > query.text.count("*"):
            _, found = self._first(self._meaning.of(replace(query, text=likely)), SEEN)
            ids, finds = [UrlId(int(id)) for id in found.ids], found.total
        pages = filter(None, map(self._documents.get, ids if likely else ()))
        return as_written(likely, query.text, [page.text for page in pages]), finds

    def _offered_quoted(self, query: Query, bare: str) -> tuple[str, int]:
        """The query with likelier spellings of what is in quotes, too, if that finds anything."""
        each = self._meaning.of(replace(query, text=bare)).likely
        whole = {typed: those for typed, those in each.items() if not those[0].endswith("*")}
        likely = instead(query.text, whole, self._index)
        if not likely:
            return "", 0
        _, found = self._first(self._meaning.of(replace(query, text=likely)), SEEN)
        pages = filter(None, (self._documents.get(UrlId(int(id))) for id in found.ids))
        written = as_written(likely, query.text, [page.text for page in pages])
        return (written, found.total) if found.total else ("", 0)

    def _facets(self, query: Query, found: "_Found") -> Facets:
        """How all that is found is spread, without what another page stands for."""
        hidden = () if query.duplicates else [found.ids[row] for row in found.order.same]
        told = _without(found.question, hidden)
        if query.products:  # of which several pages may be one
            return counted(told, self._all_of, self._shelf, MOST_OF_GOODS, query.grouped)
        return self._index.facets(told, MOST_IN_FACET)

    def explain(self, text: str, id: UrlId) -> tuple[Signal, ...]:
        """Why this page stands where it does for this query; nothing if it does not match."""
        question, candidates = self._first(self._meaning.of(Query(text)), 1)
        found = self._index.candidates(question, 1, only=id)
        if not len(found.ids):
            return ()
        best = _best(candidates)
        return self._scored(question, found, best).why(0)

    def lacking(self, text: str, id: UrlId) -> Lacking:
        """What of a query this page does not have, whether it is found or not."""
        asked = self._meaning.of(Query(text))
        return lacking(asked.questions[asked.whole - 1], asked.likely, self._index, id)

    def standing(self, text: str, id: UrlId) -> Standing:
        """Where this page stands for this query, or which one is shown instead of it."""
        block = self._settings.candidates
        most = block * ceil(DEEPEST / block)
        question, candidates = self._first(self._meaning.of(Query(text)), most)
        found = self._found(Query(text), question, candidates, ())
        rows = np.flatnonzero(candidates.ids == id)
        row = int(rows[0]) if len(rows) else -1
        shown = found.order.same.get(row)
        better = None if shown is None else self._documents.get(UrlId(int(candidates.ids[shown])))
        place = found.order.rows.index(row) + 1 if row in found.order.rows else 0
        total = candidates.total - _hidden(found.order, Query(text))
        return Standing(place, total, better.url if better else None)

    def has(self, id: UrlId) -> bool:
        """Could this page be found, if the right words were asked for?"""
        return bool(len(self._index.numbers(Question((Filter("id", str(id)),)), 1)))

    def measured(self, text: str, depth: int) -> "Measurement":
        """All candidates with what the signals say of them, and their order: nothing to show."""
        block = self._settings.candidates
        most = block * max(1, ceil(depth / block))
        question, candidates = self._first(self._meaning.of(Query(text)), most)
        scored = self._scored(question, candidates, _best(candidates))
        # Each page is judged for itself, though another may say the same.
        every = Query(text, duplicates=True)
        order = self._ordered(question, every, candidates, scored.total)
        return Measurement(candidates.ids, scored.total, order.rows, scored.values)

    def _scored(self, question: Question, candidates: Candidates, best: float) -> Scored:
        evidence = Evidence(question, candidates, self._ranks.load(), best, self._today())
        return scores_of(evidence, self._settings.weights)

    def understood(self, query: Query) -> tuple[Question, Likely]:
        """What a query means over this collection, and likelier spellings of its words."""
        asked = self._meaning.of(query)
        return asked.questions[0], asked.likely

    def _absent(self, query: Query, asked: Asked) -> tuple[Absent, ...]:
        """What was asked for that no page here is; or what keeps the rest from being found."""
        found = tuple(self._absences.of(asked.typed, asked.questions[0]))
        if found or query.products:  # of goods, each word that was understood can be left out
            return found
        return tuple(self._absences.emptying(asked.questions[-1]))

    def _blocked(self, query: Query) -> int:
        """How many sites would have hits, were they worth anything to who asks."""
        question = self._meaning.of_blocked(query)
        return len(self._index.facets(question, MOST_IN_FACET)["site"]) if question else 0

    def _ordered(
        self, question: Question, query: Query, candidates: Candidates, scores: Floats
    ) -> Order:
        """The candidates in their order, no host too often in a row."""
        # Whole blocks of candidates are ordered, each by itself, and the number breaks ties: what
        # stands on one page of results does not depend on which page is asked for.
        block = self._settings.candidates
        blocks = np.arange(len(scores)) // block
        by: Ids | Floats = candidates.days if query.sort == "date" else scores
        best = np.lexsort((candidates.ids, -by, blocks))
        same = duplicates(candidates, best.tolist(), block)
        if same and not query.duplicates:
            best = best[[int(row) not in same for row in best]]
        in_a_row = self._settings.in_a_row
        if query.sort == "date" or question.filters("site") or not in_a_row:
            return Order(best.tolist(), same=same)
        rows: list[int] = []
        put_off: list[int] = []
        for number in range(int(blocks.max(initial=-1)) + 1):
            some = best[blocks[best] == number]
            hosts, worth = candidates.hosts[some].tolist(), scores[some].tolist()
            places, more = spread(hosts, worth, in_a_row)
            rows += some[places].tolist()
            put_off += more
        return Order(rows, dict(enumerate(put_off)), same)

    def _all_of(self, question: Question) -> Ids:
        return self._index.numbers(question, MOST_GOODS)


@dataclass(frozen=True, slots=True)
class Measurement:
    """What was found for a query, for those who measure: row `n` of each belongs to `ids[n]`."""

    ids: Ids
    scores: Floats
    order: list[int]
    """The rows, best first."""
    values: Floats
    """[page, signal]"""


@dataclass(frozen=True, slots=True)
class _Found:
    """What answers a question, in its order: row `n` of each belongs to `ids[n]`."""

    question: Question
    ids: Ids
    spoken: Ids
    scores: Floats
    why: Why
    order: Order


def _in_goods(query: Query) -> bool:
    """Is it about things that are for sale?"""
    return query.products or query.sort in KEYS


def _end(query: Query) -> int:
    """The place of the first hit behind those asked for."""
    return min(query.offset + query.limit, DEEPEST)


def _without(question: Question, ids: Sequence[int]) -> Question:
    """The same question about all pages but these."""
    each = tuple(Filter("id", str(id)) for id in ids)
    return Question((*question.parts, Not(AnyOf(each)))) if each else question


def _hidden(order: Order, query: Query) -> int:
    """How many candidates are found and not shown, as others stand for them."""
    grouped = sum(len(rows) - 1 for rows in order.groups.values())
    return grouped + (0 if query.duplicates else len(order.same))


def _best(candidates: Candidates) -> float:
    return float(candidates.text.max(initial=0.0))
