"""Searcher: turns a query into results from one index."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache

import numpy as np

from byway.core.messages import Diagnosis
from byway.core.model import Document, Hit, Query, ResultPosition, Results, Signal, UrlId
from byway.core.model.candidates import Floats, Ids
from byway.core.model.query import AnyOf, Filter, Not, ParsedQuery
from byway.core.model.results import Facets
from byway.core.ports import DocumentStore, IndexPorts, RankStore
from byway.core.settings.schema import SearchSettings
from byway.core.verticals import Vertical
from byway.search.diagnose.no_hits import NoHitsDiagnoser, is_empty_query
from byway.search.diagnose.page_mismatch import PageMismatch, find_mismatch
from byway.search.present.passage import SnippetTerms, snippet_terms_of
from byway.search.present.snippet import build_hit, build_title_hit
from byway.search.rank.ranker import (
    MAX_PAGED_HITS,
    MAX_RECORDS,
    RankedCandidates,
    Ranker,
    best_index_score,
    page_end,
)
from byway.search.records.record_facets import count_facets
from byway.search.records.record_order import RecordCache, group_members
from byway.search.suggest.query_correction import MAX_SCANNED_HITS, QueryCorrector, related_searches
from byway.search.understand.query_plan import QueryPlan, QueryUnderstanding, blocked_hosts
from byway.search.understand.spelling import SpellingCorrections

MAX_FACET_VALUES = 10
MAX_RELATED_PHRASES = 10
MAX_RECORD_FACET_VALUES = 30
"""Maximum values counted per record attribute: shoes alone have more than ten sizes."""


@dataclass(frozen=True, slots=True)
class SignalMeasurement:
    """Signals and scores of all candidates of a query: row `n` belongs to `ids[n]`."""

    ids: Ids
    scores: Floats
    order: list[int]
    """The rows, best first."""
    signal_values: Floats
    """Signal values, indexed by [page, signal]."""


class Searcher:
    """Answers queries from one index."""

    def __init__(
        self,
        settings: SearchSettings,
        ports: IndexPorts,
        documents: DocumentStore,
        ranks: RankStore,
        clock: Callable[[], float] = time.perf_counter,
        today: Callable[[], int] = lambda: 0,
        verticals: Sequence[Vertical] = (),
    ) -> None:
        self._index, self._suggestions = ports.index, ports.suggestions
        self._documents = documents
        self._clock = clock
        self._records = RecordCache(documents.get)
        self._understanding = QueryUnderstanding(
            ports, documents, verticals, settings.typo_tolerance
        )
        self._ranker = Ranker(settings, ports.index, ranks, self._records, today)
        self._corrector = QueryCorrector(
            ports.dictionary, documents, self._understanding, self._ranker
        )
        self._no_hits_diagnoser = NoHitsDiagnoser(ports.index, documents)
        self._snippet_chars = settings.snippet_chars

    def search(self, query: Query) -> Results:
        """The best hits for a query, with the total, facets, suggestions and diagnoses."""
        stages = _StageTimer(self._clock)
        plan = self._understanding.plan(query)
        stages.finish("understand")
        parsed, candidates = self._ranker.retrieve(query, plan)
        stages.finish("retrieve")
        ranked = self._ranker.rank_page(query, plan, parsed, candidates)
        candidates = ranked.candidates
        stages.finish("rank")
        hits = tuple(self._hits(query, plan.vertical, ranked))
        related = () if plan.vertical else self._related_searches(query, ranked, hits)
        corrected_query, corrected_total = self._corrector.correct(query, plan, hits)
        stages.finish("show")
        facets: Facets = {}
        if query.count_facets:
            facets = self._facets(query, plan.vertical, ranked)
            stages.finish("count")
        results = Results(
            query=query,
            hits=hits,
            total=candidates.total - ranked.hidden_count(query),
            seconds=stages.total_seconds,
            did_you_mean=corrected_query,
            did_you_mean_total=corrected_total,
            facets=facets,
            stage_seconds=stages.seconds,
            chips=plan.chips,
            partial_match=plan.is_relaxed(parsed),
            sort_groups=ranked.order.sort_groups,
            blocked_sites=self._blocked_sites(query),
            related_searches=related,
            no_results_reasons=() if candidates.total else self._no_results_reasons(query, plan),
            split_words=plan.split_words if candidates.total else (),
            # Duplicates are known only among the candidates.
            total_is_estimate=(
                not query.include_duplicates and candidates.total > len(candidates.ids)
            ),
            query_warnings=plan.query_warnings,
        )
        return self._with_shard_counts(results)

    def _with_shard_counts(self, results: Results) -> Results:
        """The results with the shards that could not be read, even if one failed just now."""
        collection = self._index.statistics()
        missing = collection.missing_shards
        return replace(
            results,
            shards=len(collection.shards),
            missing_shards=missing,
            total_is_estimate=results.total_is_estimate or missing > 0,
        )

    def explain(self, text: str, id: UrlId) -> tuple[Signal, ...]:
        """The signals of a page for a query; empty if the page does not match."""
        parsed, best = self._ranker.first_match(self._understanding.plan(Query(text)), 1)
        only_page = ParsedQuery((*parsed.clauses, Filter("id", str(id))))
        candidates = self._ranker.find_candidates(only_page, 1)
        if not len(candidates.ids):
            return ()
        scored = self._ranker.score(
            parsed, candidates, best_index_score(best), with_unweighted=True
        )
        return scored.explain(0)

    def explain_mismatch(self, text: str, id: UrlId) -> PageMismatch:
        """The parts of a query that a page does not match, whether it is a hit or not."""
        plan = self._understanding.plan(Query(text))
        query = plan.queries[plan.exact_query_count - 1]
        return find_mismatch(query, plan.corrections, self._index, id)

    def find_position(self, text: str, id: UrlId) -> ResultPosition:
        """The position of a page in the results, or the duplicate shown in its place."""
        query, limit = Query(text), self._ranker.block_multiple(MAX_PAGED_HITS)
        plan = self._understanding.plan(query)
        parsed, candidates = self._ranker.first_match(plan, limit)
        ranked = self._ranker.rank(query, plan, parsed, candidates)
        rows = np.flatnonzero(candidates.ids == id)
        row = int(rows[0]) if len(rows) else -1
        shown = ranked.order.duplicate_of.get(row)
        original = None if shown is None else self._documents.get(UrlId(int(candidates.ids[shown])))
        return ResultPosition(
            position=ranked.order.rows.index(row) + 1 if row in ranked.order.rows else 0,
            total=candidates.total - ranked.hidden_count(query),
            duplicate_of=original.url if original else None,
        )

    def is_searchable(self, id: UrlId) -> bool:
        """Whether the page is in the index."""
        return bool(self._index.matches(ParsedQuery((Filter("id", str(id)),)), 1).total)

    def measure_signals(self, text: str, depth: int) -> SignalMeasurement:
        """Signals, scores and order of all candidates, duplicates included."""
        limit = self._ranker.block_multiple(depth)
        parsed, candidates = self._ranker.first_match(self._understanding.plan(Query(text)), limit)
        scored = self._ranker.score(
            parsed, candidates, best_index_score(candidates), with_unweighted=True
        )
        # Duplicates stay, because judgments are per page.
        query = Query(text, include_duplicates=True)
        order = self._ranker.order(query, parsed, candidates, scored.total)
        return SignalMeasurement(candidates.ids, scored.total, order.rows, scored.values)

    def understand(self, query: Query) -> tuple[ParsedQuery, SpellingCorrections]:
        """The first query of the plan, and the corrections of its words."""
        plan = self._understanding.plan(query)
        return plan.queries[0], plan.corrections

    def _hits(
        self, query: Query, vertical: Vertical | None, ranked: RankedCandidates
    ) -> Iterator[Hit]:
        """The hits of the requested page."""
        order = ranked.order
        for place, document, snippet_terms in self._documents_of(query, ranked):
            row = order.rows[place]
            hit = build_hit(
                document,
                snippet_terms,
                self._snippet_chars,
                float(ranked.scores[row]),
                ranked.explain(row),
                order.demoted.get(place, 0),
            )
            if row in order.duplicate_of and query.include_duplicates:
                original_id = UrlId(int(ranked.candidates.ids[order.duplicate_of[row]]))
                original = self._documents.get(original_id)
                hit = replace(hit, duplicate_of=original.url if original else None)
            if vertical and len(order.groups.get(row, ())) > 1:
                rows = order.groups[row]
                members = group_members(ranked.candidates.ids, rows, vertical, self._records)
                hit = replace(hit, group=members)
            yield hit

    def _documents_of(
        self, query: Query, ranked: RankedCandidates
    ) -> Iterator[tuple[int, Document, SnippetTerms]]:
        """The places and documents of the requested page, with the terms to highlight in each."""
        languages = self._index.statistics().frequent_languages
        terms_in_language = cache(
            lambda language: snippet_terms_of(ranked.query, language, languages)
        )
        rows = ranked.order.rows
        for place in range(query.offset, min(page_end(query), len(rows))):
            document = self._documents.get(UrlId(int(ranked.candidates.ids[rows[place]])))
            if document is not None:
                yield place, document, terms_in_language(document.language)

    def _related_searches(
        self, query: Query, ranked: RankedCandidates, hits: Sequence[Hit]
    ) -> tuple[str, ...]:
        """Related searches for the first result page, independent of the page size."""
        if query.offset:
            return ()
        missing_hits = MAX_SCANNED_HITS - query.max_hits
        if missing_hits > 0:
            next_page = replace(query, offset=query.max_hits, max_hits=missing_hits)
            hits = [
                *hits,
                *(
                    build_title_hit(document, snippet_terms)
                    for _, document, snippet_terms in self._documents_of(next_page, ranked)
                ),
            ]
        typed = " ".join(word.text for word in ranked.query.words if word.is_optional)
        titles = self._suggestions.complete(typed, MAX_RELATED_PHRASES) if typed else ()
        return related_searches(ranked.query, hits, [title.text for title in titles])

    def _facets(self, query: Query, vertical: Vertical | None, ranked: RankedCandidates) -> Facets:
        """Facet counts over all matches, without the known duplicates."""
        hidden = () if query.include_duplicates else ranked.order.duplicate_of
        shown_query = _exclude_ids(ranked.query, [ranked.candidates.ids[row] for row in hidden])
        if query.vertical and vertical:
            return count_facets(
                shown_query,
                vertical,
                lambda parsed: self._index.matches(parsed, MAX_RECORDS).ids,
                self._records,
                MAX_RECORD_FACET_VALUES,
                query.group_records,
            )
        return {
            name: tuple(
                sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:MAX_FACET_VALUES]
            )
            for name, counts in self._index.facets(shown_query).items()
        }

    def _no_results_reasons(self, query: Query, plan: QueryPlan) -> tuple[Diagnosis, ...]:
        """Why there are no hits: an empty query, or filters that no matching page passes."""
        if is_empty_query(query, plan.queries):
            return (Diagnosis("empty_query"),)
        diagnoser = self._no_hits_diagnoser
        reasons = tuple(diagnoser.unmatched_parts(plan.typed_query, plan.queries[0]))
        if reasons or query.vertical:  # its results page offers to drop each detected filter
            return reasons
        return tuple(diagnoser.blocking_filters(plan.queries[-1]))

    def _blocked_sites(self, query: Query) -> int:
        """The number of blocked sites with hits."""
        blocked = tuple(Filter("site", host) for host in blocked_hosts(query.boosts))
        if not blocked:
            return 0
        parsed = self._understanding.plan(replace(query, boosts={})).queries[0]
        return len(self._index.facets(ParsedQuery((*parsed.clauses, AnyOf(blocked))))["site"])


@dataclass
class _StageTimer:
    """Measures the time of each stage of a search, in seconds."""

    clock: Callable[[], float]
    seconds: dict[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._started = self._last = self.clock()

    def finish(self, stage: str) -> None:
        """Record the time since the last stage."""
        now = self.clock()
        self.seconds[stage] = now - self._last
        self._last = now

    @property
    def total_seconds(self) -> float:
        return self._last - self._started


def _exclude_ids(query: ParsedQuery, ids: Sequence[int]) -> ParsedQuery:
    """The query with these pages excluded."""
    filters = tuple(Filter("id", str(id)) for id in ids)
    return ParsedQuery((*query.clauses, Not(AnyOf(filters)))) if filters else query
