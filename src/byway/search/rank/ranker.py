"""Two-stage ranking: candidates from the index, ordered by signals and personal boosts.

Near-duplicates are left out, and the consecutive hits of one host are limited (host diversity)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil

import numpy as np

from byway.core.model import Boost, Query, Signal, Sort
from byway.core.model.candidates import Candidates, CollectionStatistics, Floats, Ids
from byway.core.model.query import ParsedQuery, TermClause
from byway.core.ports import RankStore, SearchIndex
from byway.core.settings.schema import SearchSettings
from byway.core.text.simhash import MAX_DUPLICATE_DISTANCE_BITS
from byway.core.url import url_hash
from byway.search.rank.signals import (
    Evidence,
    SignalScores,
    score_candidates,
    signals_with_weights,
    word_weight_shares,
)
from byway.search.records.record_order import RecordCache, ResultOrder, order_records
from byway.search.understand.query_plan import QueryPlan


def find_duplicates(
    candidates: Candidates, order: Sequence[int], block_size: int
) -> dict[int, int]:
    """Duplicate rows, each with the row it duplicates. `order` has the best row first.

    A page is a duplicate of its canonical page if both match. Among other near-duplicates the best
    one stays, so the choice depends on the query. Rows of a later block never affect earlier
    blocks: more candidates must not change the first page of results.
    """
    duplicates = find_noncanonical(candidates, block_size)
    rows = np.array([row for row in order if row not in duplicates], np.int64)
    hashes = candidates.duplicate_hashes[rows].view(np.uint64)
    near = np.bitwise_count(hashes[:, None] ^ hashes[None, :]) <= MAX_DUPLICATE_DISTANCE_BITS
    near &= (hashes != 0)[:, None]
    np.fill_diagonal(near, False)
    for place in np.flatnonzero(near.any(axis=1)):
        row = int(rows[place])
        better = [int(rows[other]) for other in np.flatnonzero(near[place, :place])]
        originals = [other for other in better if other not in duplicates]
        if originals:
            duplicates[row] = originals[0]
    return duplicates


def find_noncanonical(candidates: Candidates, block_size: int) -> dict[int, int]:
    """Rows whose canonical URL is another candidate, each with that candidate's row."""
    noncanonical = np.flatnonzero(candidates.canonical_hashes != candidates.url_hashes)
    if not len(noncanonical):
        return {}
    row_by_hash = {own: row for row, own in enumerate(candidates.url_hashes.tolist())}
    pairs = (
        (int(row), row_by_hash.get(int(candidates.canonical_hashes[row]))) for row in noncanonical
    )
    return {
        row: other
        for row, other in pairs
        if other is not None and other // block_size <= row // block_size
    }


MIN_SCORE_RATIO = 0.6
"""Minimum score of a hit that moves up, relative to the hit it overtakes. On documentation and
encyclopedia pages, a hit with half the score has only one of two words and is not useful."""


def diversify_hosts(
    hosts: Sequence[int], scores: Sequence[float], max_consecutive: int
) -> tuple[list[int], list[int]]:
    """A new order of hits, best first, and the number of hits demoted at each position.

    A hit beyond the limit of its host waits until a hit of another host has been placed; the number
    of waiting hits is reported at the last hit of the run. If no other host has a hit with a
    sufficient score, the waiting hits follow in order.
    """
    order = list(range(len(hosts)))
    demoted = [0] * len(hosts)
    reported = 0  # hits before this one have been reported as demoted
    next_other = run_length = 0
    for place, hit in enumerate(order):
        same_host = place > 0 and hosts[hit] == hosts[order[place - 1]]
        run_length = run_length + 1 if same_host else 1
        if run_length <= max_consecutive:
            continue
        next_other = max(next_other, place + 1)
        while next_other < len(order) and hosts[order[next_other]] == hosts[hit]:
            next_other += 1
        if next_other == len(order):
            break
        if scores[order[next_other]] >= MIN_SCORE_RATIO * scores[hit]:
            demoted[place - 1] = sum(one >= reported for one in order[place:next_other])
            reported = max(reported, order[next_other])
            order.insert(place, order.pop(next_other))
            run_length = 1
    return order, demoted


BOOST_SIGNAL_NAME = "personal"
"""The name of a boost among the signals of a hit."""

SignalExplainer = Callable[[int], tuple[Signal, ...]]


def apply_boosts(
    scored: SignalScores, hosts: Ids, boosts: Mapping[str, Boost]
) -> tuple[Floats, SignalExplainer]:
    """The boosted score of every candidate, and a function that explains the score of one."""
    boost_by_hash = _boost_by_hash(boosts)
    rows = [boost_by_hash.get(number) for number in hosts.tolist()] if boost_by_hash else []
    if not any(rows):
        return scored.total, scored.explain
    factors = np.array([boost.factor if boost else 1.0 for boost in rows])
    # Relative to the absolute score, so that a boost never lowers a page with a negative score.
    size = np.abs(scored.total)

    def explain(row: int) -> tuple[Signal, ...]:
        signals, boost = scored.explain(row), rows[row]
        if boost is None:
            return signals
        boosted = Signal(BOOST_SIGNAL_NAME, float(size[row]), boost.factor - 1, boost.reason)
        return (*signals, boosted)

    return scored.total + size * (factors - 1), explain


def _boost_by_hash(boosts: Mapping[str, Boost]) -> dict[int, Boost]:
    """The boosts by host hash; an exact host name wins over its variant with or without www."""
    names = {name: boost for host, boost in boosts.items() for name in _host_names(host)}
    return {url_hash(name): boost for name, boost in (names | dict(boosts)).items()}


def _host_names(host: str) -> tuple[str, str]:
    """The host without and with www, which are the same site to a user."""
    return host.removeprefix("www."), f"www.{host.removeprefix('www.')}"


MAX_PAGED_HITS = 1000
"""The last hit users can page to: each page of results costs as much as all before it."""
MAX_RECORDS = 5000
"""Maximum number of records sorted, grouped and counted; each one is read."""


@dataclass(frozen=True, slots=True)
class RankedCandidates:
    """The candidates of a query, with scores and order: row `n` belongs to `ids[n]`."""

    query: ParsedQuery
    candidates: Candidates
    scores: Floats
    explain: SignalExplainer
    order: ResultOrder

    def hidden_count(self, query: Query) -> int:
        """Candidates that are not shown: duplicates and grouped records."""
        grouped = sum(len(rows) - 1 for rows in self.order.groups.values())
        return grouped + (0 if query.include_duplicates else len(self.order.duplicate_of))


class Ranker:
    """Retrieves the candidates of a query plan and ranks them."""

    def __init__(
        self,
        settings: SearchSettings,
        index: SearchIndex,
        ranks: RankStore,
        records: RecordCache,
        today: Callable[[], int],
    ) -> None:
        signals_with_weights(settings.weights)  # report an unknown signal now, not during a search
        self._settings = settings
        self._index = index
        self._ranks = ranks
        self._records = records
        self._today = today

    def retrieve(self, query: Query, plan: QueryPlan) -> tuple[ParsedQuery, Candidates]:
        """The first query of the plan that has hits, and as many candidates as the page needs."""
        if plan.vertical:
            return self.first_match(plan, MAX_RECORDS, query.sort)
        return self.first_match(plan, self.block_multiple(page_end(query)), query.sort)

    def first_match(
        self, plan: QueryPlan, limit: int, sort: Sort = "relevance"
    ) -> tuple[ParsedQuery, Candidates]:
        """The first query of the plan that has hits, and its candidates."""
        for parsed in plan.queries:
            candidates = self.find_candidates(parsed, limit, sort)
            if len(candidates.ids):
                return parsed, candidates
        return plan.queries[0], candidates

    def find_candidates(
        self, parsed: ParsedQuery, limit: int, sort: Sort = "relevance"
    ) -> Candidates:
        """The best or newest candidates of a query."""
        statistics = self._index.statistics(parsed.all_terms)
        weights = word_weight_shares(parsed, statistics).tolist()
        matches = self._index.matches(parsed, limit, sort, weights)
        return self._index.candidates(_without_absent_analyses(parsed, statistics), matches)

    def block_multiple(self, hits: int) -> int:
        """The number of candidates needed for this many hits, rounded up to whole blocks."""
        block = self._settings.max_candidates
        return block * max(1, ceil(hits / block))

    def rank_page(
        self, query: Query, plan: QueryPlan, parsed: ParsedQuery, candidates: Candidates
    ) -> RankedCandidates:
        """The candidates in order; retrieves more if duplicates leave the page incomplete."""
        deepest = self.block_multiple(MAX_PAGED_HITS)
        ranked = self.rank(query, plan, parsed, candidates)
        while len(ranked.order.rows) < page_end(query):
            limit = min(deepest, 2 * len(candidates.ids))
            if min(limit, candidates.total) <= len(candidates.ids):
                break
            candidates = self.find_candidates(parsed, limit, query.sort)
            ranked = self.rank(query, plan, parsed, candidates)
        return ranked

    def rank(
        self, query: Query, plan: QueryPlan, parsed: ParsedQuery, candidates: Candidates
    ) -> RankedCandidates:
        """The candidates of one query of the plan, in order."""
        scored = self.score(parsed, candidates, best_index_score(candidates))
        scores, explain = apply_boosts(scored, candidates.host_ids, query.boosts)
        if plan.vertical:
            self._records.invalidate(self._index.committed_sequence())
            # Not all candidates pass the filters of a relaxed query.
            relaxed_chips = plan.chips if plan.is_relaxed(parsed) else ()
            duplicates = find_noncanonical(candidates, MAX_RECORDS)
            order = order_records(
                candidates, scores, query, plan.vertical, relaxed_chips, duplicates, self._records
            )
        else:
            order = self.order(query, parsed, candidates, scores)
        return RankedCandidates(parsed, candidates, scores, explain, order)

    def score(
        self,
        parsed: ParsedQuery,
        candidates: Candidates,
        max_index_score: float,
        with_unweighted: bool = False,
    ) -> SignalScores:
        """The scores and signals of the candidates; signals of weight 0 only on request."""
        statistics = self._index.statistics(parsed.all_terms)
        evidence = Evidence(
            parsed, candidates, statistics, self._ranks.load(), max_index_score, self._today()
        )
        return score_candidates(evidence, self._settings.weights, with_unweighted)

    def order(
        self, query: Query, parsed: ParsedQuery, candidates: Candidates, scores: Floats
    ) -> ResultOrder:
        """The candidates by score or date, without duplicates, with host diversity."""
        # Blocks of candidates are ordered separately, and URL hashes break ties: the order depends
        # neither on which page of results is requested nor on the number of shards.
        block = self._settings.max_candidates
        blocks = np.arange(len(scores)) // block
        sort_key: Ids | Floats = candidates.epoch_days if query.sort == "date" else scores
        best = np.lexsort((candidates.url_hashes, -sort_key, blocks))
        duplicates = find_duplicates(candidates, best.tolist(), block)
        if duplicates and not query.include_duplicates:
            best = best[[int(row) not in duplicates for row in best]]
        max_per_host = self._settings.max_per_host
        if query.sort == "date" or parsed.filters("site") or not max_per_host:
            return ResultOrder(best.tolist(), duplicate_of=duplicates)
        rows: list[int] = []
        demoted: list[int] = []
        for number in range(int(blocks.max(initial=-1)) + 1):
            block_rows = best[blocks[best] == number]
            hosts = candidates.host_ids[block_rows].tolist()
            places, block_demoted = diversify_hosts(
                hosts, scores[block_rows].tolist(), max_per_host
            )
            rows += block_rows[places].tolist()
            demoted += block_demoted
        return ResultOrder(rows, dict(enumerate(demoted)), duplicates)


def _without_absent_analyses(
    parsed: ParsedQuery, statistics: CollectionStatistics
) -> list[TermClause]:
    """The words without analyses that no page can match: each would be checked on every page."""
    return [
        word.with_analyses(tuple(one for one in word.analyses if statistics.frequency(one.tokens)))
        for word in parsed.words
    ]


def page_end(query: Query) -> int:
    """The end position of the requested page of results."""
    return min(query.offset + query.max_hits, MAX_PAGED_HITS)


def best_index_score(candidates: Candidates) -> float:
    """The highest index score of any candidate."""
    return float(candidates.index_score.max(initial=0.0))
