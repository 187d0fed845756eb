"""Ranking signals and BM25F: named functions that map candidates to one number per page.

To add a signal, write a function here with the decorator `@signal`, and put its description in
`core/messages` under `[signals]`. Users set weights in `search.weights`; a signal of weight 0 is
measured only for an explanation. The default weights were chosen by `byway tune` on judged
collections; `make bench-quality` guards them. Signals that improve no judged collection have
weight 0: docs/explanation/ranking.md has the figures."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from byway.core.errors import SettingsError
from byway.core.impacts import (
    ANCHOR_TEXT_WEIGHT,
    FIELD_WEIGHT_ARRAY,
    HOST_NAME_WEIGHT,
    K1,
    URL_COVERAGE_WEIGHT,
    B,
)
from byway.core.model import Signal
from byway.core.model.candidates import (
    FIELDS,
    Candidates,
    CollectionStatistics,
    Floats,
)
from byway.core.model.query import ParsedQuery, content_word_positions
from byway.core.ports import Ranks

FIELD_INDEX = {name: place for place, name in enumerate(FIELDS)}

IDF_EXPONENT = 1.3
"""Exponent of the IDF; above 1, rare terms count more: natural-language queries have many frequent
words."""
STOP_WORD_WEIGHT = 0.3
"""Weight of a stop word relative to a content word."""


def saturate(frequency: NDArray[np.floating], k1: float) -> NDArray[np.floating]:
    """Term frequency mapped to 0 .. 1, reaching 0.5 at `k1`."""
    return frequency / (frequency + k1)


SignalFunction = Callable[["Evidence"], Floats]

PROXIMITY_K1 = 1.2
POSITION_HALF_LIFE_WORDS = 100
"""Position in the text at which `first_position` is 0.5."""
FRESHNESS_HALF_LIFE_DAYS = 365.0
MAX_PAGE_RANK_SIGNAL = 2.0
"""Upper bound of the signal, reached at three times the average rank. Tables of contents have a
hundred times the average and are seldom relevant: on bench/quality/known_item, the bound increased
the gain tenfold."""


def word_weights(query: ParsedQuery, statistics: CollectionStatistics) -> Floats:
    """The BM25 weight of each query word: its IDF times its frequency in the query.

    The IDF is ln(all pages / pages with the word), by the word's most frequent analysis.
    """
    words, page_count = query.words, statistics.page_count
    frequencies = [
        max([statistics.frequency(one.tokens) for one in word.typed_analyses], default=0)
        for word in words
    ]
    idf = np.log((page_count + 1) / (np.array(frequencies, np.float64) + 0.5))
    times = np.array(query.term_counts, float)
    times *= [STOP_WORD_WEIGHT if word.is_stop_word else 1.0 for word in words]
    weights: Floats = np.maximum(idf, 0.0) ** IDF_EXPONENT * times
    return weights


def word_weight_shares(query: ParsedQuery, statistics: CollectionStatistics) -> Floats:
    """The share of each query word in the retrieval score; equal if no word has a weight."""
    weights = word_weights(query, statistics)
    total = weights.sum()
    return weights / total if total > 0 else np.full(len(weights), 1 / max(1, len(weights)))


class Evidence:
    """The input of all signals: query, candidates, ranks, and values shared by several signals."""

    def __init__(
        self,
        query: ParsedQuery,
        candidates: Candidates,
        statistics: CollectionStatistics,
        ranks: Ranks,
        max_index_score: float,
        today: int = 0,
    ) -> None:
        self.query = query
        self.candidates = candidates
        self.features = candidates.features
        self.statistics = statistics
        """The statistics of the whole collection."""
        self.ranks = ranks
        self.max_index_score = max_index_score
        """The highest score that the index gives any page for this query."""
        self.today = today
        """Days since 1970; 0 if unknown."""

    @cached_property
    def word_weights(self) -> Floats:
        """The BM25 weight of each query word."""
        return word_weights(self.query, self.statistics)

    @cached_property
    def content_word_positions(self) -> list[int]:
        """Indices of the query words that are not stop words."""
        return content_word_positions(self.query.words)

    @cached_property
    def word_weight_shares(self) -> Floats:
        """The word weights, scaled to a sum of 1."""
        total = self.word_weights.sum()
        return self.word_weights / total if total > 0 else np.zeros(len(self.word_weights))

    @cached_property
    def length_norm(self) -> Floats:
        """Divisor of the term frequencies in each body: above 1 for long ones."""
        body = self.features.field_lengths[:, FIELD_INDEX["body"]]
        return np.asarray(1 - B + B * body / self.statistics.mean_body_terms, float)

    def coverage(self, *fields: str) -> Floats:
        """The share of the query, by weight, that occurs in any of these fields."""
        places = [FIELD_INDEX[name] for name in fields]
        has_word = np.minimum(self.features.term_counts[:, places], 1).max(axis=1)
        return np.asarray(has_word @ self.word_weight_shares, float)


@dataclass(frozen=True, slots=True)
class SignalDefinition:
    """A signal: its name, its default weight and the function that measures it."""

    name: str
    weight: float
    measure: SignalFunction


SIGNALS: dict[str, SignalDefinition] = {}


def signal(weight: float) -> Callable[[SignalFunction], SignalFunction]:
    """Register the decorated function as a signal under its name."""

    def register(measure: SignalFunction) -> SignalFunction:
        name = measure.__name__
        SIGNALS[name] = SignalDefinition(name, weight, measure)
        return measure

    return register


@signal(weight=1.0)
def bm25(evidence: Evidence) -> Floats:
    """BM25F over all fields, from 0 to 1."""
    candidates = evidence.candidates
    has_prefix = not all(word.analyses for word in evidence.query.words)
    if has_prefix or not evidence.word_weight_shares.any():
        # Only the index knows which words match `begin*`.
        return candidates.index_score / max(evidence.max_index_score, 1e-9)
    counts = evidence.features.term_counts * FIELD_WEIGHT_ARRAY[None, :, None]
    body = counts[:, FIELD_INDEX["body"]]
    frequency = body / evidence.length_norm[:, None] + (counts.sum(axis=1) - body)
    return np.asarray(saturate(frequency, K1) @ evidence.word_weight_shares, float)


@signal(weight=0.6)
def phrase(evidence: Evidence) -> Floats:
    """How often consecutive query words are adjacent in the text."""
    return _pair_score(evidence, evidence.features.adjacent_pairs)


@signal(weight=0.2)
def proximity(evidence: Evidence) -> Floats:
    """How often consecutive query words occur within a few words of each other."""
    return _pair_score(evidence, evidence.features.near_pairs)


@signal(weight=0.15)
def shortest_window(evidence: Evidence) -> Floats:
    """Number of query words divided by the length of the shortest window that contains them all."""
    return len(evidence.content_word_positions) / evidence.features.shortest_window


@signal(weight=0.0)
def title_coverage(evidence: Evidence) -> Floats:
    """Share of the query words that occur in the title, by weight."""
    return evidence.coverage("title")


@signal(weight=0.2)
def title_exact(evidence: Evidence) -> Floats:
    """Title coverage times the share of the title that is in the query."""
    length = evidence.features.field_lengths[:, FIELD_INDEX["title"]]
    matches = (evidence.features.term_counts[:, FIELD_INDEX["title"]] > 0).sum(axis=1)
    return np.asarray(evidence.coverage("title") * matches / np.maximum(length, 1), float)


@signal(weight=0.2)
def name_exact(evidence: Evidence) -> Floats:
    """Best exact match among headings, defined names and anchor texts."""
    places = [FIELD_INDEX[name] for name in ("h1", "h2", "h4", "names", "anchor")]
    return np.asarray(evidence.features.piece_match[:, places].max(axis=1), float)


@signal(weight=0.0)
def heading_coverage(evidence: Evidence) -> Floats:
    """Share of the query words that occur in headings, by weight."""
    return evidence.coverage("h1", "h2", "h4")


@signal(weight=ANCHOR_TEXT_WEIGHT)
def anchor_text(evidence: Evidence) -> Floats:
    """Share of the query words that occur in the anchor texts of links to the page."""
    return evidence.coverage("anchor")


@signal(weight=URL_COVERAGE_WEIGHT)
def url_coverage(evidence: Evidence) -> Floats:
    """Share of the query words that occur in the URL, by weight."""
    return evidence.coverage("url", "host")


@signal(weight=HOST_NAME_WEIGHT)
def host_name(evidence: Evidence) -> Floats:
    """Share of the query words in the host name, divided by the length of the URL path."""
    path = evidence.features.field_lengths[:, FIELD_INDEX["url"]]
    return np.asarray(evidence.coverage("host") / (1 + path), float)


@signal(weight=0.0)
def emphasis(evidence: Evidence) -> Floats:
    """Share of the query words that are emphasized or in capitals on the page."""
    return evidence.coverage("emphasis", "capitals")


@signal(weight=0.0)
def meta(evidence: Evidence) -> Floats:
    """Share of the query words that occur in the description, keywords and categories."""
    return evidence.coverage("meta", "categories")


@signal(weight=0.0)
def first_position(evidence: Evidence) -> Floats:
    """How early the first query word occurs in the text."""
    return 1 / (1 + evidence.features.first_position / POSITION_HALF_LIFE_WORDS)


@signal(weight=0.05)
def text_density(evidence: Evidence) -> Floats:
    """Share of the text that is not anchor text of links."""
    lengths = evidence.features.field_lengths
    body = np.maximum(1, lengths[:, FIELD_INDEX["body"]])
    return np.asarray(1 - np.minimum(1.0, lengths[:, FIELD_INDEX["links"]] / body), float)


@signal(weight=0.025)
def pagerank(evidence: Evidence) -> Floats:
    """PageRank of the page on a log scale, bounded."""
    ranks = _ranks_of(evidence.ranks.pages, evidence.candidates)
    return np.minimum(MAX_PAGE_RANK_SIGNAL, np.log2(1 + ranks))


@signal(weight=0.0)
def host_rank(evidence: Evidence) -> Floats:
    """PageRank of the host on a log scale."""
    # An average host has 1; one with a hundred times the rank, under 7.
    return np.log2(1 + _ranks_of(evidence.ranks.hosts, evidence.candidates))


@signal(weight=0.0)
def freshness(evidence: Evidence) -> Floats:
    """Recency of the page: 1 for today, 0.5 after a year, 0 without a date."""
    days = evidence.candidates.epoch_days
    age = np.maximum(evidence.today - days, 0)
    return np.where(
        (days > 0) & (evidence.today > 0), 1 / (1 + age / FRESHNESS_HALF_LIFE_DAYS), 0.0
    )


def signals_with_weights(weights: Mapping[str, float]) -> list[tuple[SignalDefinition, float]]:
    """Every signal with its weight; an unknown name in the settings is an error."""
    for name in weights:
        if name not in SIGNALS:
            raise SettingsError("search.unknown_signal", name=name, known=tuple(SIGNALS))
    return [(one, weights.get(one.name, one.weight)) for one in SIGNALS.values()]


@dataclass(frozen=True, slots=True)
class SignalScores:
    """The values of the measured signals for every candidate, and the weighted sums."""

    signals: tuple[tuple[SignalDefinition, float], ...]
    values: NDArray[np.float64]
    """Signal values, indexed by [page, signal]."""
    total: Floats

    def explain(self, row: int) -> tuple[Signal, ...]:
        """The signals of one candidate."""
        values = self.values[row].tolist()
        return tuple(
            [
                Signal(definition.name, value, weight)
                for (definition, weight), value in zip(self.signals, values, strict=True)
            ]
        )


def score_candidates(
    evidence: Evidence, weights: Mapping[str, float], with_unweighted: bool = False
) -> SignalScores:
    """The score of every candidate, with its signals.

    Signals of weight 0 are left out, unless `with_unweighted`.
    """
    signals = tuple(
        (definition, weight)
        for definition, weight in signals_with_weights(weights)
        if weight or with_unweighted
    )
    if not len(evidence.candidates.ids) or not signals:
        count = len(evidence.candidates.ids)
        return SignalScores(signals, np.zeros((count, len(signals))), np.zeros(count))
    values = np.stack([definition.measure(evidence) for definition, _ in signals], axis=1)
    return SignalScores(signals, values, values @ np.array([weight for _, weight in signals]))


def _pair_score(evidence: Evidence, counts: NDArray[np.float32]) -> Floats:
    """Saturated frequency of query word pairs, weighted by the more frequent word of each pair."""
    weights = evidence.word_weights[evidence.content_word_positions]
    if len(weights) < 2 or not weights.sum():
        return np.zeros(len(counts))
    pair_weights = np.minimum(weights[:-1], weights[1:]) / weights.sum()
    frequency = counts[:, evidence.content_word_positions[:-1]] / evidence.length_norm[:, None]
    return np.asarray(saturate(frequency, PROXIMITY_K1) @ pair_weights, float)


def _ranks_of(
    ranks: np.ndarray[tuple[int], np.dtype[np.float32]], candidates: Candidates
) -> Floats:
    """The rank of each candidate; 0 for pages newer than the ranks."""
    values = np.zeros(len(candidates.ids))
    is_ranked = candidates.ids < len(ranks)
    values[is_ranked] = ranks[candidates.ids[is_ranked]]
    return values
