"""Why does one page stand above another? Each reason has a name, a weight and a sentence.

A signal is a function from candidates and ranks to one number for each page. To add one, write
it here and put `@signal` on it. Users set weights in `search.weights`; 0 switches a signal off.
Default weights were chosen by `byway tune` over judged collections; `make bench-quality` holds
them to it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from byway.core.errors import SettingsError
from byway.core.fields import FIELDS
from byway.core.model import Signal
from byway.core.model.candidates import Candidates, Floats
from byway.core.model.query import ParsedQuery, content_word_positions
from byway.core.ports import Ranks

SignalFunction = Callable[["Evidence"], Floats]
FIELD_INDEX = {name: place for place, name in enumerate(FIELDS)}

FIELD_WEIGHTS: Mapping[str, float] = {
    "body": 1.0,
    "title": 4.0,
    "h1": 1.0,
    "h2": 1.0,
    "h4": 1.0,
    "url": 1.0,
    "anchor": 1.0,
    "names": 3.0,
    "starts": 1.0,
    "meta": 0.5,
    "emphasis": 2.0,
    "categories": 1.0,
}
"""How often a word in the text one elsewhere counts for, before counting more stops to matter."""
FIELD_WEIGHT_ARRAY = np.array([FIELD_WEIGHTS.get(name, 0.0) for name in FIELDS])
BM25_K1 = 1.3
"""At so many occurrences a word has half of all it can give (BM25's k1)."""
BM25_B = 0.35
"""How far a long text's words count for less: 0 not at all, 1 in proportion (BM25's b)."""
IDF_EXPONENT = 1.3
"""Above 1, rare words decide more than frequent ones: questions have many words like `what`."""
STOP_WORD_WEIGHT = 0.3
"""What a word like `what` counts for beside words that say something."""
PROXIMITY_K1 = 1.2
POSITION_HALF_LIFE_WORDS = 100
"""Words into a text at which its start is half over."""
FRESHNESS_HALF_LIFE_DAYS = 365.0
MAX_PAGE_RANK_SIGNAL = 2.0
"""Three times the average rank; tables of contents have a hundred times that, and are not what is
looked for. On bench/quality/known_item this gave ten times the gain of no bound."""


class Evidence:
    """All that signals may look at, and what several of them need."""

    def __init__(
        self,
        query: ParsedQuery,
        candidates: Candidates,
        ranks: Ranks,
        max_index_score: float,
        today: int = 0,
    ) -> None:
        self.query = query
        self.candidates = candidates
        self.ranks = ranks
        self.max_index_score = max_index_score
        """The highest score of the index for this question, whoever has it."""
        self.today = today
        """Days from 1970 until now; 0: nobody knows."""

    @cached_property
    def word_weights(self) -> Floats:
        """How much each word is asked for: the rare ones most, what was typed twice twice."""
        times = np.array(self.query.term_counts, float)
        times *= [STOP_WORD_WEIGHT if word.is_stop_word else 1.0 for word in self.query.words]
        rare: Floats = np.maximum(self.candidates.idf, 0.0) ** IDF_EXPONENT * times
        return rare

    @cached_property
    def content_word_positions(self) -> list[int]:
        """Which words of the question say something."""
        return content_word_positions(self.query.words)

    @cached_property
    def word_weight_shares(self) -> Floats:
        """The share of the question that each word is."""
        whole = self.word_weights.sum()
        return self.word_weights / whole if whole > 0 else np.full(len(self.word_weights), 0.0)

    @cached_property
    def length_norm(self) -> Floats:
        """How much the words of each text count for less because there are so many."""
        body = self.candidates.field_lengths[:, FIELD_INDEX["body"]]
        return np.asarray(1 - BM25_B + BM25_B * body / self.candidates.average_text_length, float)

    def coverage(self, *fields: str) -> Floats:
        """The share of the question that one of these fields has."""
        places = [FIELD_INDEX[name] for name in fields]
        has = np.minimum(self.candidates.term_counts[:, places], 1).max(axis=1)
        return np.asarray(has @ self.word_weight_shares, float)


@dataclass(frozen=True, slots=True)
class SignalDefinition:
    """A signal as it is written below: how it is called, what it counts, what it means."""

    name: str
    weight: float
    sentence: str
    measure: SignalFunction


SIGNALS: dict[str, SignalDefinition] = {}


def signal(weight: float) -> Callable[[SignalFunction], SignalFunction]:
    """Make the function below a signal: its name and docstring are the signal's."""

    def register(measure: SignalFunction) -> SignalFunction:
        name = measure.__name__
        SIGNALS[name] = SignalDefinition(name, weight, (measure.__doc__ or "").strip(), measure)
        return measure

    return register


@signal(weight=1.0)
def words(evidence: Evidence) -> Floats:
    """How well the words fit: how often they occur, where, and how rare they are (BM25F)."""
    found = evidence.candidates
    if (
        not all(word.analyses for word in evidence.query.words)
        or not evidence.word_weight_shares.any()
    ):
        return found.index_score / max(
            evidence.max_index_score, 1e-9
        )  # begin*: only the index knows which words
    counts = found.term_counts * FIELD_WEIGHT_ARRAY[None, :, None]
    elsewhere = counts.sum(axis=1) - counts[:, FIELD_INDEX["body"]]
    often = counts[:, FIELD_INDEX["body"]] / evidence.length_norm[:, None] + elsewhere
    return np.asarray((often / (often + BM25_K1)) @ evidence.word_weight_shares, float)


@signal(weight=0.6)
def phrase(evidence: Evidence) -> Floats:
    """How often words that were typed side by side stand side by side in the text."""
    return _together(evidence, evidence.candidates.adjacent_pairs)


@signal(weight=0.2)
def proximity(evidence: Evidence) -> Floats:
    """How often they stand within a few words of one another."""
    return _together(evidence, evidence.candidates.near_pairs)


@signal(weight=0.15)
def window(evidence: Evidence) -> Floats:
    """How short the shortest stretch of text with all the words is: 1 when side by side."""
    return len(evidence.content_word_positions) / evidence.candidates.shortest_window


@signal(weight=0.05)
def title(evidence: Evidence) -> Floats:
    """The share of what was asked for that the title has."""
    return evidence.coverage("title")


@signal(weight=0.2)
def named(evidence: Evidence) -> Floats:
    """Does the title say what was asked for and nothing else? 1 when it does."""
    length = evidence.candidates.field_lengths[:, FIELD_INDEX["title"]]
    has = (evidence.candidates.term_counts[:, FIELD_INDEX["title"]] > 0).sum(axis=1)
    return np.asarray(evidence.coverage("title") * has / np.maximum(length, 1), float)


@signal(weight=0.2)
def called(evidence: Evidence) -> Floats:
    """Is what was asked for, and nothing else, a heading, a name or what links say? 1 if it is."""
    places = [FIELD_INDEX[name] for name in ("h1", "h2", "h4", "names", "anchor")]
    return np.asarray(evidence.candidates.piece_match[:, places].max(axis=1), float)


@signal(weight=0.05)
def headings(evidence: Evidence) -> Floats:
    """The share of what was asked for that headings have."""
    return evidence.coverage("h1", "h2", "h4")


@signal(weight=0.05)
def defines(evidence: Evidence) -> Floats:
    """The share of what was asked for that the page defines, or has named a part of itself by."""
    return evidence.coverage("names")


@signal(weight=0.05)
def starts(evidence: Evidence) -> Floats:
    """The share of what was asked for that paragraphs, items or rows of the page begin with."""
    return evidence.coverage("starts")


@signal(weight=0.1)
def anchor(evidence: Evidence) -> Floats:
    """The share of what was asked for that other pages call this page by."""
    return evidence.coverage("anchor")


@signal(weight=0.05)
def url(evidence: Evidence) -> Floats:
    """The share of what was asked for that stands in the URL."""
    return evidence.coverage("url", "host")


@signal(weight=0.3)
def host(evidence: Evidence) -> Floats:
    """The share that the host is named for, and most on its front page: an official site rises."""
    path = evidence.candidates.field_lengths[:, FIELD_INDEX["url"]]
    return np.asarray(evidence.coverage("host") / (1 + path), float)


@signal(weight=0.03)
def emphasis(evidence: Evidence) -> Floats:
    """The share of what was asked for that the page emphasises or writes in capitals."""
    return evidence.coverage("emphasis", "capitals")


@signal(weight=0.01)
def meta(evidence: Evidence) -> Floats:
    """The share of what was asked for that the page's own description and keywords have."""
    return evidence.coverage("meta", "categories")


@signal(weight=0.01)
def position(evidence: Evidence) -> Floats:
    """How early in the text the first of the words stands."""
    return 1 / (1 + evidence.candidates.first_position / POSITION_HALF_LIFE_WORDS)


@signal(weight=0.05)
def prose(evidence: Evidence) -> Floats:
    """How much of the text is not links: a table of contents leads on and says little itself."""
    lengths = evidence.candidates.field_lengths
    body = np.maximum(1, lengths[:, FIELD_INDEX["body"]])
    return np.asarray(1 - np.minimum(1.0, lengths[:, FIELD_INDEX["links"]] / body), float)


@signal(weight=0.025)
def page_rank(evidence: Evidence) -> Floats:
    """How much other pages' links speak for this page (PageRank, on a log scale, 2 at most)."""
    ranks = _looked_up(evidence.ranks.pages, evidence.candidates)
    return np.minimum(MAX_PAGE_RANK_SIGNAL, np.log2(1 + ranks))


@signal(weight=0.01)
def host_rank(evidence: Evidence) -> Floats:
    """How much other hosts' links speak for this host (PageRank of hosts, on a log scale)."""
    # An average host has 1; one with a hundred times the rank, under 7.
    return np.log2(1 + _looked_up(evidence.ranks.hosts, evidence.candidates))


@signal(weight=0.01)
def freshness(evidence: Evidence) -> Floats:
    """How new the page is, if it says so: 1 today, a half when it is a year old."""
    days = evidence.candidates.epoch_days
    old = np.maximum(evidence.today - days, 0)
    return np.where(
        (days > 0) & (evidence.today > 0), 1 / (1 + old / FRESHNESS_HALF_LIFE_DAYS), 0.0
    )


def signals_with_weights(weights: Mapping[str, float]) -> list[tuple[SignalDefinition, float]]:
    """Every signal with its weight; an unknown name in the settings is an error."""
    for name in weights:
        if name not in SIGNALS:
            known = ", ".join(SIGNALS)
            raise SettingsError(f"unknown signal search.weights.{name}; there are {known}")
    return [(one, weights.get(one.name, one.weight)) for one in SIGNALS.values()]


@dataclass(frozen=True, slots=True)
class SignalScores:
    """What every signal says of every candidate, and what that makes together."""

    signals: tuple[tuple[SignalDefinition, float], ...]
    values: NDArray[np.float64]
    """[page, signal]"""
    total: Floats

    def explain(self, row: int) -> tuple[Signal, ...]:
        """The reasons for one page's place."""
        values = self.values[row].tolist()
        return tuple(
            [
                Signal(one.name, value, weight, one.sentence)
                for (one, weight), value in zip(self.signals, values, strict=True)
            ]
        )


def score_candidates(evidence: Evidence, weights: Mapping[str, float]) -> SignalScores:
    """The score of every candidate, and why."""
    signals = tuple(signals_with_weights(weights))
    if not len(evidence.candidates.ids):
        return SignalScores(signals, np.zeros((0, len(signals))), np.zeros(0))
    values = np.stack([one.measure(evidence) for one, _ in signals], axis=1)
    return SignalScores(signals, values, values @ np.array([weight for _, weight in signals]))


def _together(evidence: Evidence, counts: NDArray[np.float32]) -> Floats:
    """For each two neighbours of the question: the rarer they are, the more being together says."""
    rarity = evidence.word_weights[evidence.content_word_positions]
    if len(rarity) < 2 or not rarity.sum():
        return np.zeros(len(counts))
    pairs = np.minimum(rarity[:-1], rarity[1:]) / rarity.sum()
    often = counts[:, evidence.content_word_positions[:-1]] / evidence.length_norm[:, None]
    return np.asarray((often / (often + PROXIMITY_K1)) @ pairs, float)


def _looked_up(ranks: np.ndarray[tuple[int], np.dtype[np.float32]], found: Candidates) -> Floats:
    """The rank of each candidate; 0 for what is newer."""
    values = np.zeros(len(found.ids))
    known = found.ids < len(ranks)
    values[known] = ranks[found.ids[known]]
    return values
