"""From a query to results: the index picks candidates, the signals order them."""

import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from math import ceil

import numpy as np

from byway.model import (
    AnyOf,
    Chip,
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
from byway.products.record import ATTRIBUTE
from byway.products.understand import Understood, understand
from byway.products.vocabulary import Vocabulary, ours
from byway.search.alike import duplicates, not_canonical
from byway.search.counting import counted
from byway.search.crowding import spread
from byway.search.goods import questions_of
from byway.search.personal import blocked_of, only, raised, without
from byway.search.places import headings_with, places_of, spots_of
from byway.search.query import Collected, parse
from byway.search.related import resolved
from byway.search.shelf import KEYS, Order, Shelf, arranged, offers_of
from byway.search.signals import Evidence, Scored, scores_of, weighted
from byway.search.snippet import Found, looked_at, places, snippet
from byway.search.spelling import instead, widened
from byway.settings import SearchSettings

DEEPEST = 1000
"""Nobody reads further, and every page of results costs as much as all before it."""
MOST_LANGUAGES = 8
"""Languages in which a word is read: each that differs costs another look-up."""
MOST_IN_FACET = 10
MOST_GOODS = 5000
"""Goods that are put in order, grouped and counted; each is looked at."""
MOST_OF_GOODS = 30
"""Values of an attribute of goods that are counted: shoes alone have more than ten sizes."""

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
        today: Callable[[], int] = lambda: 0,
        vocabulary: Callable[[], Vocabulary] = ours,
    ) -> None:
        self._settings = settings
        self._index = index
        self._documents = documents
        self._ranks = ranks
        self._clock = clock
        self._number_of = number_of
        self._today = today
        self._vocabulary = vocabulary  # who looks for no goods need not wait for its files
        self._shelf = Shelf(documents.get)
        weighted(settings.weights)  # a wrong name is said at once, not at the first search

    def search(self, query: Query) -> Results:
        """The best hits for a query, and how many there are in all."""
        watch = Watch(self._clock)
        asked = self._asked(query)
        watch.lap("understand")
        end = min(query.offset + query.limit, DEEPEST)
        block = self._settings.candidates
        most = block * max(1, ceil(end / block))
        goods = query.products or query.sort in KEYS
        if goods:
            most = MOST_GOODS
        for question in asked.questions:
            candidates = self._index.candidates(question, most, sort=query.sort)
            if len(candidates.ids):
                break
        watch.lap("retrieve")
        scored = self._scored(question, candidates, _best(candidates))
        scores, why = raised(scored, candidates.hosts, query.boosts)
        shelf = self._shelf.renewed(self._index.last())
        near = question != asked.questions[0]
        if goods:
            same = not_canonical(candidates, most)
            chips = asked.chips if near else ()
            order = arranged(candidates, scores, query, chips, same, shelf)
        else:
            order = self._ordered(question, query, candidates, scores)
        watch.lap("rank")
        hits = []
        for place in range(query.offset, min(end, len(order.rows))):
            row = order.rows[place]
            id = UrlId(int(candidates.ids[row]))
            hit = self._hit(id, question, float(scores[row]), why(row), order.put_off.get(place, 0))
            if hit is not None and row in order.same and query.duplicates:
                better = self._documents.get(UrlId(int(candidates.ids[order.same[row]])))
                hit = replace(hit, duplicate_of=better.url if better else None)
            if hit is not None and len(order.groups.get(row, ())) > 1:
                hit = replace(hit, offers=offers_of(candidates.ids, order.groups[row], shelf))
            hits += [hit] if hit is not None else []
        watch.lap("show")
        facets: Facets = {}
        if query.facets:
            hidden = () if query.duplicates else [candidates.ids[row] for row in order.same]
            told = _without(question, hidden)
            facets = dict(self._index.facets(told, MOST_IN_FACET))
            if query.products:
                facets |= counted(told, self._all_of, shelf, MOST_OF_GOODS, query.grouped)
            watch.lap("count")
        return Results(
            query,
            tuple(hits),
            candidates.total - _hidden(order, query),
            watch.seconds,
            instead(query.text, asked.likely),
            facets,
            watch.laps,
            asked.chips,
            near,
            order.currencies,
            self._blocked(query),
        )

    def explain(self, text: str, id: UrlId) -> tuple[Signal, ...]:
        """Why this page stands where it does for this query; nothing if it does not match."""
        question, _ = self.understood(Query(text))
        found = self._index.candidates(question, 1, only=id)
        if not len(found.ids):
            return ()
        best = _best(self._index.candidates(question, 1))
        return self._scored(question, found, best).why(0)

    def measured(self, text: str, depth: int) -> "Measurement":
        """All candidates with what the signals say of them, and their order: nothing to show."""
        question, _ = self.understood(Query(text))
        block = self._settings.candidates
        candidates = self._index.candidates(question, block * max(1, ceil(depth / block)))
        scored = self._scored(question, candidates, _best(candidates))
        # Each page is judged for itself, though another may say the same.
        every = Query(text, duplicates=True)
        order = self._ordered(question, every, candidates, scored.total)
        return Measurement(candidates.ids, scored.total, order.rows, scored.values)

    def _scored(self, question: Question, candidates: Candidates, best: float) -> Scored:
        evidence = Evidence(question, candidates, self._ranks.load(), best, self._today())
        return scores_of(evidence, self._settings.weights)

    def understood(self, query: Query) -> tuple[Question, dict[str, str]]:
        """What a query means over this collection, and likelier spellings of its words."""
        asked = self._asked(query)
        return asked.questions[0], asked.likely

    def _asked(self, query: Query) -> "Asked":
        languages = self._index.languages()[:MOST_LANGUAGES]
        collected = Collected(languages, self._index.attributes())
        told = Understood((), query.text)
        if query.products:
            told = understand(query.text, self._vocabulary())
        question = parse(told.rest, query.filters, collected)
        question = resolved(question, self._index, self._documents, self._number_of)
        likely: dict[str, str] = {}
        if self._settings.slips:
            question, likely = widened(question, self._index)
        each = [question]
        if query.products:
            each = list(questions_of(told.chips, question, languages))
        if blocked := blocked_of(query.boosts):
            each = [without(one, blocked) for one in each]
        return Asked(tuple(each), likely, told.chips)

    def _blocked(self, query: Query) -> int:
        """How many sites would have hits, were they worth anything to who asks."""
        blocked = blocked_of(query.boosts)
        if not blocked:
            return 0
        question, _ = self.understood(replace(query, boosts={}))
        return len(self._index.facets(only(question, blocked), MOST_IN_FACET)["site"])

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
            places, more = spread(candidates.hosts[some].tolist(), in_a_row)
            rows += some[places].tolist()
            put_off += more
        return Order(rows, dict(enumerate(put_off)), same)

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
        wanted = {
            term for word in question.words for reading in word.readings for term in reading.terms
        }
        found = places(looked_at(document.text), frozenset(wanted), document.language)
        product = document.attributes.get(ATTRIBUTE)
        return Hit(
            url=document.url,
            id=id,
            title=document.title or document.url,
            score=score,
            snippet=self._snippet(document, wanted, found),
            content_type=document.content_type,
            language=document.language,
            published=document.published,
            signals=signals,
            more=more,
            product=product if isinstance(product, dict) else {},
            headings=headings_with(document, wanted),
            places=places_of(document, wanted, len(found)),
            spots=spots_of(document, found),
        )

    def _all_of(self, question: Question) -> Ids:
        return self._index.numbers(question, MOST_GOODS)

    def _snippet(
        self, document: Document, wanted: Collection[str], found: Found
    ) -> tuple[tuple[str, bool], ...]:
        length, language = self._settings.snippet, document.language
        shown = snippet(document.text, wanted, length, language, found)
        if any(marked for _, marked in shown) or not document.description:
            return shown
        return snippet(document.description, wanted, length, language)


@dataclass(frozen=True, slots=True)
class Asked:
    """What a query means."""

    questions: tuple[Question, ...]
    """The first that has an answer counts; each asks less than the last."""
    likely: dict[str, str]
    """Likelier spellings of its words."""
    chips: tuple[Chip, ...] = ()


@dataclass(frozen=True, slots=True)
class Measurement:
    """What was found for a query, for those who measure: row `n` of each belongs to `ids[n]`."""

    ids: Ids
    scores: Floats
    order: list[int]
    """The rows, best first."""
    values: Floats
    """[page, signal]"""


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
