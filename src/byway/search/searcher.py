"""From a query to results: the index picks candidates, the signals order them."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from math import ceil

import numpy as np

from byway.core.model import (
    Chip,
    Hit,
    NoResultsReason,
    Query,
    ResultPosition,
    Results,
    Signal,
    Sort,
    UrlId,
)
from byway.core.model.candidates import Candidates, Floats, Ids
from byway.core.model.query import AnyOf, Filter, Not, ParsedQuery
from byway.core.ports import DocumentStore, Facets, RankStore, SearchIndex
from byway.core.settings.schema import SearchSettings
from byway.products.search.product_facets import count_facets
from byway.products.search.product_order import (
    SORT_KEYS,
    ProductCache,
    ResultOrder,
    offers_of,
    order_products,
)
from byway.products.vocabulary.lookup import ProductVocabulary, default_vocabulary
from byway.search.diagnose.no_hits import NoHitsDiagnoser, is_empty_query
from byway.search.diagnose.page_mismatch import PageMismatch, find_mismatch
from byway.search.present.hit import HitBuilder
from byway.search.present.snippet_terms import snippet_terms_of
from byway.search.query.parser import strip_quotes
from byway.search.query.related_pages import UrlIdLookup
from byway.search.rank.duplicates import find_duplicates, find_noncanonical
from byway.search.rank.host_diversity import diversify_hosts
from byway.search.rank.personal import SignalExplainer, apply_boosts
from byway.search.rank.signals import Evidence, SignalScores, score_candidates, signals_with_weights
from byway.search.stopwatch import Stopwatch
from byway.search.suggest.letter_case import restore_letter_case
from byway.search.suggest.related_searches import MAX_SCANNED_HITS, related_searches
from byway.search.understand.spelling import SpellingCorrections, did_you_mean
from byway.search.understand.understand import QueryPlan, QueryUnderstanding

MAX_PAGED_HITS = 1000
"""Nobody reads further, and every page of results costs as much as all before it."""
MAX_FACET_VALUES = 10
LETTER_CASE_PAGES = 3
"""Pages in which it is looked up how a word is written."""
MAX_RELATED_PHRASES = 10
MAX_PRODUCTS = 5000
"""Goods that are put in order, grouped and counted; each is looked at."""
MAX_PRODUCT_FACET_VALUES = 30
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
        find_url_id: UrlIdLookup = lambda url: None,
        today: Callable[[], int] = lambda: 0,
        vocabulary: Callable[[], ProductVocabulary] = default_vocabulary,
    ) -> None:
        self._settings = settings
        self._index = index
        self._documents = documents
        self._ranks = ranks
        self._clock = clock
        self._today = today
        self._understanding = QueryUnderstanding(
            index, documents, find_url_id, vocabulary, settings.typo_tolerance
        )
        self._no_hits_diagnoser = NoHitsDiagnoser(index, documents, find_url_id)
        self._hit_builder = HitBuilder(documents, settings.snippet_chars)
        self._products = ProductCache(documents.get)
        signals_with_weights(
            settings.weights
        )  # a wrong name is said at once, not at the first search

    def search(self, query: Query) -> Results:
        """The best hits for a query, and how many there are in all."""
        watch = Stopwatch(self._clock)
        asked = self._understanding.plan(query)
        watch.lap("understand")
        question, candidates = self._retrieved(query, asked)
        watch.lap("retrieve")
        near = asked.is_relaxed(question)
        self._products.invalidate(self._index.committed_sequence())
        candidates, found = self._enough(query, question, candidates, asked.chips if near else ())
        watch.lap("rank")
        hits = tuple(self._hits(query, found))
        also = () if query.offset or _in_goods(query) else self._others(query, found, hits)
        offered, finds = self._offered(query, asked, hits)
        watch.lap("show")
        facets: Facets = {}
        if query.count_facets:
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
            asked.split_words if candidates.total else (),
            not candidates.total and is_empty_query(query, asked.queries),
            # What says the same is known among those that were looked at.
            not query.include_duplicates and candidates.total > len(candidates.ids),
            finds,
            asked.operator_typos,
        )

    def _retrieved(self, query: Query, asked: QueryPlan) -> tuple[ParsedQuery, Candidates]:
        """The first question that has an answer, and as many pages as this query needs."""
        block = self._settings.max_candidates
        most = MAX_PRODUCTS if _in_goods(query) else block * max(1, ceil(_end(query) / block))
        return self._first(asked, most, query.sort)

    def _first(
        self, asked: QueryPlan, most: int, sort: Sort = "relevance"
    ) -> tuple[ParsedQuery, Candidates]:
        """The first question that has an answer, and the pages that may be it."""
        for question in asked.queries:
            candidates = self._index.candidates(question, most, sort=sort)
            if len(candidates.ids):
                return question, candidates
        return asked.queries[0], candidates

    def _enough(
        self, query: Query, question: ParsedQuery, candidates: Candidates, near: Sequence[Chip]
    ) -> tuple[Candidates, "_RankedCandidates"]:
        """The candidates in their order, and more of them where duplicates take up the page."""
        block = self._settings.max_candidates
        deepest = block * ceil(MAX_PAGED_HITS / block)
        found = self._found(query, question, candidates, near)
        while len(found.order.rows) < _end(query):
            most = min(deepest, 2 * len(candidates.ids))
            if min(most, candidates.total) <= len(candidates.ids):
                break
            candidates = self._index.candidates(question, most, sort=query.sort)
            found = self._found(query, question, candidates, near)
        return candidates, found

    def _found(
        self, query: Query, question: ParsedQuery, candidates: Candidates, near: Sequence[Chip]
    ) -> "_RankedCandidates":
        """The candidates in their order; `near` are the chips that not all of them keep."""
        scored = self._scored(question, candidates, _best(candidates))
        scores, why = apply_boosts(scored, candidates.host_ids, query.boosts)
        if _in_goods(query):
            same = find_noncanonical(candidates, MAX_PRODUCTS)
            order = order_products(candidates, scores, query, near, same, self._products)
        else:
            order = self._ordered(question, query, candidates, scores)
        return _RankedCandidates(
            question, candidates.ids, candidates.language_bits, scores, why, order
        )

    def _hits(self, query: Query, found: "_RankedCandidates") -> Iterator[Hit]:
        """Those of the page of results that is asked for."""
        ids, order = found.ids, found.order
        wanted = cache(partial(snippet_terms_of, found.query))
        for place in range(query.offset, min(_end(query), len(order.rows))):
            row = order.rows[place]
            score, more = float(found.scores[row]), order.demoted.get(place, 0)
            id = UrlId(int(ids[row]))
            # The words of a page are read in its own languages.
            shown = wanted(int(found.languages[row]))
            hit = self._hit_builder.build(id, shown, score, found.explain(row), more)
            if hit is None:
                continue
            if row in order.duplicate_of and query.include_duplicates:
                better = self._documents.get(UrlId(int(ids[order.duplicate_of[row]])))
                hit = replace(hit, duplicate_of=better.url if better else None)
            if len(order.offer_groups.get(row, ())) > 1:
                hit = replace(hit, offers=offers_of(ids, order.offer_groups[row], self._products))
            yield hit

    def _others(
        self, query: Query, found: "_RankedCandidates", hits: Sequence[Hit]
    ) -> tuple[str, ...]:
        """Other searches that are near to this one, however many hits are asked for."""
        question, most = found.query, MAX_SCANNED_HITS - query.max_hits
        if most > 0:
            hits = [*hits, *self._hits(replace(query, offset=query.max_hits, max_hits=most), found)]
        typed = " ".join(word.text for word in question.words if word.is_optional)
        return related_searches(
            question, hits, self._index.complete_title(typed, MAX_RELATED_PHRASES) if typed else ()
        )

    def _offered(self, query: Query, asked: QueryPlan, hits: Sequence[Hit]) -> tuple[str, int]:
        """A likelier query as pages write it, and how many pages it finds, if it is a beginning.

        Other spellings were looked for already, so that those pages are among the hits.
        """
        likely = did_you_mean(
            query.text, asked.corrections, self._index, hits[0].title if hits else ""
        )
        ids, finds = [hit.id for hit in hits[:LETTER_CASE_PAGES]], 0
        if not hits and not query.offset and (bare := strip_quotes(query.text)) != query.text:
            quoted = self._offered_quoted(query, bare)
            if quoted[0]:
                return quoted
        if likely.count("*") > query.text.count("*"):
            _, found = self._first(
                self._understanding.plan(replace(query, text=likely)), LETTER_CASE_PAGES
            )
            ids, finds = [UrlId(int(id)) for id in found.ids], found.total
        pages = filter(None, map(self._documents.get, ids if likely else ()))
        return restore_letter_case(likely, query.text, [page.text for page in pages]), finds

    def _offered_quoted(self, query: Query, bare: str) -> tuple[str, int]:
        """The query with likelier spellings of what is in quotes, too, if that finds anything."""
        each = self._understanding.plan(replace(query, text=bare)).corrections
        whole = {typed: those for typed, those in each.items() if not those[0].endswith("*")}
        likely = did_you_mean(query.text, whole, self._index)
        if not likely:
            return "", 0
        _, found = self._first(
            self._understanding.plan(replace(query, text=likely)), LETTER_CASE_PAGES
        )
        pages = filter(None, (self._documents.get(UrlId(int(id))) for id in found.ids))
        written = restore_letter_case(likely, query.text, [page.text for page in pages])
        return (written, found.total) if found.total else ("", 0)

    def _facets(self, query: Query, found: "_RankedCandidates") -> Facets:
        """How all that is found is spread, without what another page stands for."""
        hidden = (
            () if query.include_duplicates else [found.ids[row] for row in found.order.duplicate_of]
        )
        told = _without(found.query, hidden)
        if query.product_search:  # of which several pages may be one
            return count_facets(
                told, self._all_of, self._products, MAX_PRODUCT_FACET_VALUES, query.group_offers
            )
        return self._index.facets(told, MAX_FACET_VALUES)

    def explain(self, text: str, id: UrlId) -> tuple[Signal, ...]:
        """Why this page stands where it does for this query; nothing if it does not match."""
        question, candidates = self._first(self._understanding.plan(Query(text)), 1)
        found = self._index.candidates(question, 1, only_id=id)
        if not len(found.ids):
            return ()
        best = _best(candidates)
        return self._scored(question, found, best).explain(0)

    def explain_mismatch(self, text: str, id: UrlId) -> PageMismatch:
        """What of a query this page does not have, whether it is found or not."""
        asked = self._understanding.plan(Query(text))
        return find_mismatch(
            asked.queries[asked.exact_query_count - 1], asked.corrections, self._index, id
        )

    def find_position(self, text: str, id: UrlId) -> ResultPosition:
        """Where this page stands for this query, or which one is shown instead of it."""
        block = self._settings.max_candidates
        most = block * ceil(MAX_PAGED_HITS / block)
        question, candidates = self._first(self._understanding.plan(Query(text)), most)
        found = self._found(Query(text), question, candidates, ())
        rows = np.flatnonzero(candidates.ids == id)
        row = int(rows[0]) if len(rows) else -1
        shown = found.order.duplicate_of.get(row)
        better = None if shown is None else self._documents.get(UrlId(int(candidates.ids[shown])))
        place = found.order.rows.index(row) + 1 if row in found.order.rows else 0
        total = candidates.total - _hidden(found.order, Query(text))
        return ResultPosition(place, total, better.url if better else None)

    def is_searchable(self, id: UrlId) -> bool:
        """Could this page be found, if the right words were asked for?"""
        return bool(len(self._index.top_ids(ParsedQuery((Filter("id", str(id)),)), 1)))

    def measure_signals(self, text: str, depth: int) -> "SignalMeasurement":
        """All candidates with what the signals say of them, and their order: nothing to show."""
        block = self._settings.max_candidates
        most = block * max(1, ceil(depth / block))
        question, candidates = self._first(self._understanding.plan(Query(text)), most)
        scored = self._scored(question, candidates, _best(candidates))
        # Each page is judged for itself, though another may say the same.
        every = Query(text, include_duplicates=True)
        order = self._ordered(question, every, candidates, scored.total)
        return SignalMeasurement(candidates.ids, scored.total, order.rows, scored.values)

    def _scored(self, question: ParsedQuery, candidates: Candidates, best: float) -> SignalScores:
        evidence = Evidence(question, candidates, self._ranks.load(), best, self._today())
        return score_candidates(evidence, self._settings.weights)

    def understand(self, query: Query) -> tuple[ParsedQuery, SpellingCorrections]:
        """What a query means over this collection, and likelier spellings of its words."""
        asked = self._understanding.plan(query)
        return asked.queries[0], asked.corrections

    def _absent(self, query: Query, asked: QueryPlan) -> tuple[NoResultsReason, ...]:
        """What was asked for that no page here is; or what keeps the rest from being found."""
        found = tuple(self._no_hits_diagnoser.unmatched_parts(asked.typed_query, asked.queries[0]))
        if found or query.product_search:  # of goods, each word that was understood can be left out
            return found
        return tuple(self._no_hits_diagnoser.blocking_filters(asked.queries[-1]))

    def _blocked(self, query: Query) -> int:
        """How many sites would have hits, were they worth anything to who asks."""
        question = self._understanding.plan_blocked_hosts(query)
        return len(self._index.facets(question, MAX_FACET_VALUES)["site"]) if question else 0

    def _ordered(
        self, question: ParsedQuery, query: Query, candidates: Candidates, scores: Floats
    ) -> ResultOrder:
        """The candidates in their order, no host too often in a row."""
        # Whole blocks of candidates are ordered, each by itself, and the number breaks ties: what
        # stands on one page of results does not depend on which page is asked for.
        block = self._settings.max_candidates
        blocks = np.arange(len(scores)) // block
        by: Ids | Floats = candidates.epoch_days if query.sort == "date" else scores
        best = np.lexsort((candidates.ids, -by, blocks))
        same = find_duplicates(candidates, best.tolist(), block)
        if same and not query.include_duplicates:
            best = best[[int(row) not in same for row in best]]
        in_a_row = self._settings.max_per_host
        if query.sort == "date" or question.filters("site") or not in_a_row:
            return ResultOrder(best.tolist(), duplicate_of=same)
        rows: list[int] = []
        put_off: list[int] = []
        for number in range(int(blocks.max(initial=-1)) + 1):
            some = best[blocks[best] == number]
            hosts, worth = candidates.host_ids[some].tolist(), scores[some].tolist()
            places, more = diversify_hosts(hosts, worth, in_a_row)
            rows += some[places].tolist()
            put_off += more
        return ResultOrder(rows, dict(enumerate(put_off)), same)

    def _all_of(self, question: ParsedQuery) -> Ids:
        return self._index.top_ids(question, MAX_PRODUCTS)


@dataclass(frozen=True, slots=True)
class SignalMeasurement:
    """What was found for a query, for those who measure: row `n` of each belongs to `ids[n]`."""

    ids: Ids
    scores: Floats
    order: list[int]
    """The rows, best first."""
    signal_values: Floats
    """[page, signal]"""


@dataclass(frozen=True, slots=True)
class _RankedCandidates:
    """What answers a question, in its order: row `n` of each belongs to `ids[n]`."""

    query: ParsedQuery
    ids: Ids
    languages: Ids
    scores: Floats
    explain: SignalExplainer
    order: ResultOrder


def _in_goods(query: Query) -> bool:
    """Is it about things that are for sale?"""
    return query.product_search or query.sort in SORT_KEYS


def _end(query: Query) -> int:
    """The place of the first hit behind those asked for."""
    return min(query.offset + query.max_hits, MAX_PAGED_HITS)


def _without(question: ParsedQuery, ids: Sequence[int]) -> ParsedQuery:
    """The same question about all pages but these."""
    each = tuple(Filter("id", str(id)) for id in ids)
    return ParsedQuery((*question.clauses, Not(AnyOf(each)))) if each else question


def _hidden(order: ResultOrder, query: Query) -> int:
    """How many candidates are found and not shown, as others stand for them."""
    grouped = sum(len(rows) - 1 for rows in order.offer_groups.values())
    return grouped + (0 if query.include_duplicates else len(order.duplicate_of))


def _best(candidates: Candidates) -> float:
    return float(candidates.index_score.max(initial=0.0))
