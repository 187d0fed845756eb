"""Two-stage ranking: candidates from the index, ordered by signals, duplicates and hosts."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil

import numpy as np

from byway.core.model import Chip, Query, Sort
from byway.core.model.candidates import Candidates, Floats, Ids
from byway.core.model.query import ParsedQuery
from byway.core.ports import RankStore, SearchIndex
from byway.core.settings.schema import SearchSettings
from byway.products.search.product_order import (
    SORT_KEYS,
    ProductCache,
    ResultOrder,
    order_products,
)
from byway.search.rank.duplicates import find_duplicates, find_noncanonical
from byway.search.rank.host_diversity import diversify_hosts
from byway.search.rank.personal import SignalExplainer, apply_boosts
from byway.search.rank.signals import Evidence, SignalScores, score_candidates, signals_with_weights
from byway.search.understand.query_plan import QueryPlan

MAX_PAGED_HITS = 1000
"""The last hit that can be paged to: each page of results costs as much as all before it."""
MAX_PRODUCTS = 5000
"""Products that are sorted, grouped and counted; the record of each is read."""


@dataclass(frozen=True, slots=True)
class RankedCandidates:
    """The candidates of a query with scores and order: row `n` belongs to `ids[n]`."""

    query: ParsedQuery
    candidates: Candidates
    scores: Floats
    explain: SignalExplainer
    order: ResultOrder

    def hidden_count(self, query: Query) -> int:
        """The number of candidates that are not shown: duplicates and grouped offers."""
        grouped = sum(len(rows) - 1 for rows in self.order.offer_groups.values())
        return grouped + (0 if query.include_duplicates else len(self.order.duplicate_of))


class Ranker:
    """Retrieves the candidates of a query plan and ranks them."""

    def __init__(
        self,
        settings: SearchSettings,
        index: SearchIndex,
        ranks: RankStore,
        products: ProductCache,
        today: Callable[[], int],
    ) -> None:
        signals_with_weights(settings.weights)  # report an unknown signal now, not at a search
        self._settings = settings
        self._index = index
        self._ranks = ranks
        self._products = products
        self._today = today

    def retrieve(self, query: Query, plan: QueryPlan) -> tuple[ParsedQuery, Candidates]:
        """The first query of the plan with a hit, and as many candidates as the page needs."""
        if is_product_search(query):
            return self.first_match(plan, MAX_PRODUCTS, query.sort)
        return self.first_match(plan, self.block_multiple(page_end(query)), query.sort)

    def first_match(
        self, plan: QueryPlan, limit: int, sort: Sort = "relevance"
    ) -> tuple[ParsedQuery, Candidates]:
        """The first query of the plan with a hit, and its candidates."""
        for parsed in plan.queries:
            candidates = self._index.candidates(parsed, limit, sort=sort)
            if len(candidates.ids):
                return parsed, candidates
        return plan.queries[0], candidates

    def block_multiple(self, hits: int) -> int:
        """The number of candidates needed for this many hits, rounded up to whole blocks."""
        block = self._settings.max_candidates
        return block * max(1, ceil(hits / block))

    def rank_page(
        self,
        query: Query,
        parsed: ParsedQuery,
        candidates: Candidates,
        relaxed_chips: Sequence[Chip],
    ) -> RankedCandidates:
        """The candidates in order; more are retrieved if duplicates take up the page."""
        deepest = self.block_multiple(MAX_PAGED_HITS)
        ranked = self.rank(query, parsed, candidates, relaxed_chips)
        while len(ranked.order.rows) < page_end(query):
            limit = min(deepest, 2 * len(candidates.ids))
            if min(limit, candidates.total) <= len(candidates.ids):
                break
            candidates = self._index.candidates(parsed, limit, sort=query.sort)
            ranked = self.rank(query, parsed, candidates, relaxed_chips)
        return ranked

    def rank(
        self,
        query: Query,
        parsed: ParsedQuery,
        candidates: Candidates,
        relaxed_chips: Sequence[Chip] = (),
    ) -> RankedCandidates:
        """The candidates in order; `relaxed_chips` are filters that not all of them pass."""
        scored = self.score(parsed, candidates, best_index_score(candidates))
        scores, explain = apply_boosts(scored, candidates.host_ids, query.boosts)
        if is_product_search(query):
            duplicates = find_noncanonical(candidates, MAX_PRODUCTS)
            order = order_products(
                candidates, scores, query, relaxed_chips, duplicates, self._products
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
        """The scores of the candidates and their signals, those of weight 0 only on request."""
        evidence = Evidence(parsed, candidates, self._ranks.load(), max_index_score, self._today())
        return score_candidates(evidence, self._settings.weights, with_unweighted)

    def order(
        self, query: Query, parsed: ParsedQuery, candidates: Candidates, scores: Floats
    ) -> ResultOrder:
        """The candidates by score or date, without duplicates, with host diversity."""
        # Blocks of candidates are ordered separately, and the id breaks ties: the order does not
        # depend on which page of results is requested.
        block = self._settings.max_candidates
        blocks = np.arange(len(scores)) // block
        sort_key: Ids | Floats = candidates.epoch_days if query.sort == "date" else scores
        best = np.lexsort((candidates.ids, -sort_key, blocks))
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


def is_product_search(query: Query) -> bool:
    """Whether only products are searched for."""
    return query.product_search or query.sort in SORT_KEYS


def page_end(query: Query) -> int:
    """The end position of the requested page of results."""
    return min(query.offset + query.max_hits, MAX_PAGED_HITS)


def best_index_score(candidates: Candidates) -> float:
    """The highest score that the index gave a candidate."""
    return float(candidates.index_score.max(initial=0.0))
