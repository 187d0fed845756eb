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
from byway.core.model.query import Question, telling
from byway.core.ports import Ranks

Measure = Callable[["Evidence"], Floats]
PLACE = {name: place for place, name in enumerate(FIELDS)}

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
WEIGHTS = np.array([FIELD_WEIGHTS.get(name, 0.0) for name in FIELDS])
SATURATION = 1.3
"""At so many occurrences a word has half of all it can give (BM25's k1)."""
LENGTH = 0.35
"""How far a long text's words count for less: 0 not at all, 1 in proportion (BM25's b)."""
RARE = 1.3
"""Above 1, rare words decide more than frequent ones: questions have many words like `what`."""
COMMON = 0.3
"""What a word like `what` counts for beside words that say something."""
NEAR_SATURATION = 1.2
START = 100
"""Words into a text at which its start is half over."""
A_YEAR = 365.0
ENOUGH = 2.0
"""Three times the average rank; tables of contents have a hundred times that, and are not what is
looked for. On bench/quality/known_item this gave ten times the gain of no bound."""


class Evidence:
    """All that signals may look at, and what several of them need."""

    def __init__(
        self, question: Question, candidates: Candidates, ranks: Ranks, best: float, today: int = 0
    ) -> None:
        self.question = question
        self.candidates = candidates
        self.ranks = ranks
        self.best = best
        """The highest score of the index for this question, whoever has it."""
        self.today = today
        """Days from 1970 until now; 0: nobody knows."""

    @cached_property
    def rarity(self) -> Floats:
        """How much each word is asked for: the rare ones most, what was typed twice twice."""
        times = np.array(self.question.times, float)
        times *= [COMMON if word.common else 1.0 for word in self.question.words]
        rare: Floats = np.maximum(self.candidates.rarity, 0.0) ** RARE * times
        return rare

    @cached_property
    def told(self) -> list[int]:
        """Which words of the question say something."""
        return telling(self.question.words)

    @cached_property
    def share(self) -> Floats:
        """The share of the question that each word is."""
        whole = self.rarity.sum()
        return self.rarity / whole if whole > 0 else np.full(len(self.rarity), 0.0)

    @cached_property
    def length(self) -> Floats:
        """How much the words of each text count for less because there are so many."""
        body = self.candidates.lengths[:, PLACE["body"]]
        return np.asarray(1 - LENGTH + LENGTH * body / self.candidates.average, float)

    def covered(self, *fields: str) -> Floats:
        """The share of the question that one of these fields has."""
        places = [PLACE[name] for name in fields]
        has = np.minimum(self.candidates.counts[:, places], 1).max(axis=1)
        return np.asarray(has @ self.share, float)


@dataclass(frozen=True, slots=True)
class Measured:
    """A signal as it is written below: how it is called, what it counts, what it means."""

    name: str
    weight: float
    sentence: str
    measure: Measure


SIGNALS: dict[str, Measured] = {}


def signal(weight: float) -> Callable[[Measure], Measure]:
    """Make the function below a signal: its name and docstring are the signal's."""

    def register(measure: Measure) -> Measure:
        name = measure.__name__
        SIGNALS[name] = Measured(name, weight, (measure.__doc__ or "").strip(), measure)
        return measure

    return register


@signal(weight=1.0)
def words(evidence: Evidence) -> Floats:
    """How well the words fit: how often they occur, where, and how rare they are (BM25F)."""
    found = evidence.candidates
    if not all(word.readings for word in evidence.question.words) or not evidence.share.any():
        return found.text / max(evidence.best, 1e-9)  # begin*: only the index knows which words
    counts = found.counts * WEIGHTS[None, :, None]
    elsewhere = counts.sum(axis=1) - counts[:, PLACE["body"]]
    often = counts[:, PLACE["body"]] / evidence.length[:, None] + elsewhere
    return np.asarray((often / (often + SATURATION)) @ evidence.share, float)


@signal(weight=0.6)
def phrase(evidence: Evidence) -> Floats:
    """How often words that were typed side by side stand side by side in the text."""
    return _together(evidence, evidence.candidates.beside)


@signal(weight=0.2)
def proximity(evidence: Evidence) -> Floats:
    """How often they stand within a few words of one another."""
    return _together(evidence, evidence.candidates.near)


@signal(weight=0.15)
def window(evidence: Evidence) -> Floats:
    """How short the shortest stretch of text with all the words is: 1 when side by side."""
    return len(evidence.told) / evidence.candidates.window


@signal(weight=0.05)
def title(evidence: Evidence) -> Floats:
    """The share of what was asked for that the title has."""
    return evidence.covered("title")


@signal(weight=0.2)
def named(evidence: Evidence) -> Floats:
    """Does the title say what was asked for and nothing else? 1 when it does."""
    length = evidence.candidates.lengths[:, PLACE["title"]]
    has = (evidence.candidates.counts[:, PLACE["title"]] > 0).sum(axis=1)
    return np.asarray(evidence.covered("title") * has / np.maximum(length, 1), float)


@signal(weight=0.2)
def called(evidence: Evidence) -> Floats:
    """Is what was asked for, and nothing else, a heading, a name or what links say? 1 if it is."""
    places = [PLACE[name] for name in ("h1", "h2", "h4", "names", "anchor")]
    return np.asarray(evidence.candidates.called[:, places].max(axis=1), float)


@signal(weight=0.05)
def headings(evidence: Evidence) -> Floats:
    """The share of what was asked for that headings have."""
    return evidence.covered("h1", "h2", "h4")


@signal(weight=0.05)
def defines(evidence: Evidence) -> Floats:
    """The share of what was asked for that the page defines, or has named a part of itself by."""
    return evidence.covered("names")


@signal(weight=0.05)
def starts(evidence: Evidence) -> Floats:
    """The share of what was asked for that paragraphs, items or rows of the page begin with."""
    return evidence.covered("starts")


@signal(weight=0.1)
def anchor(evidence: Evidence) -> Floats:
    """The share of what was asked for that other pages call this page by."""
    return evidence.covered("anchor")


@signal(weight=0.05)
def url(evidence: Evidence) -> Floats:
    """The share of what was asked for that stands in the URL."""
    return evidence.covered("url", "host")


@signal(weight=0.3)
def host(evidence: Evidence) -> Floats:
    """The share that the host is named for, and most on its front page: an official site rises."""
    path = evidence.candidates.lengths[:, PLACE["url"]]
    return np.asarray(evidence.covered("host") / (1 + path), float)


@signal(weight=0.03)
def emphasis(evidence: Evidence) -> Floats:
    """The share of what was asked for that the page emphasises or writes in capitals."""
    return evidence.covered("emphasis", "capitals")


@signal(weight=0.01)
def meta(evidence: Evidence) -> Floats:
    """The share of what was asked for that the page's own description and keywords have."""
    return evidence.covered("meta", "categories")


@signal(weight=0.01)
def position(evidence: Evidence) -> Floats:
    """How early in the text the first of the words stands."""
    return 1 / (1 + evidence.candidates.first / START)


@signal(weight=0.05)
def prose(evidence: Evidence) -> Floats:
    """How much of the text is not links: a table of contents leads on and says little itself."""
    lengths = evidence.candidates.lengths
    body = np.maximum(1, lengths[:, PLACE["body"]])
    return np.asarray(1 - np.minimum(1.0, lengths[:, PLACE["links"]] / body), float)


@signal(weight=0.025)
def page_rank(evidence: Evidence) -> Floats:
    """How much other pages' links speak for this page (PageRank, on a log scale, 2 at most)."""
    ranks = _looked_up(evidence.ranks.pages, evidence.candidates)
    return np.minimum(ENOUGH, np.log2(1 + ranks))


@signal(weight=0.01)
def host_rank(evidence: Evidence) -> Floats:
    """How much other hosts' links speak for this host (PageRank of hosts, on a log scale)."""
    # An average host has 1; one with a hundred times the rank, under 7.
    return np.log2(1 + _looked_up(evidence.ranks.hosts, evidence.candidates))


@signal(weight=0.01)
def freshness(evidence: Evidence) -> Floats:
    """How new the page is, if it says so: 1 today, a half when it is a year old."""
    days = evidence.candidates.days
    old = np.maximum(evidence.today - days, 0)
    return np.where((days > 0) & (evidence.today > 0), 1 / (1 + old / A_YEAR), 0.0)


def weighted(weights: Mapping[str, float]) -> list[tuple[Measured, float]]:
    """Every signal with its weight; an unknown name in the settings is an error."""
    for name in weights:
        if name not in SIGNALS:
            known = ", ".join(SIGNALS)
            raise SettingsError(f"unknown signal search.weights.{name}; there are {known}")
    return [(one, weights.get(one.name, one.weight)) for one in SIGNALS.values()]


@dataclass(frozen=True, slots=True)
class Scored:
    """What every signal says of every candidate, and what that makes together."""

    signals: tuple[tuple[Measured, float], ...]
    values: NDArray[np.float64]
    """[page, signal]"""
    total: Floats

    def why(self, row: int) -> tuple[Signal, ...]:
        """The reasons for one page's place."""
        values = self.values[row].tolist()
        return tuple(
            [
                Signal(one.name, value, weight, one.sentence)
                for (one, weight), value in zip(self.signals, values, strict=True)
            ]
        )


def scores_of(evidence: Evidence, weights: Mapping[str, float]) -> Scored:
    """The score of every candidate, and why."""
    signals = tuple(weighted(weights))
    if not len(evidence.candidates.ids):
        return Scored(signals, np.zeros((0, len(signals))), np.zeros(0))
    values = np.stack([one.measure(evidence) for one, _ in signals], axis=1)
    return Scored(signals, values, values @ np.array([weight for _, weight in signals]))


def _together(evidence: Evidence, counts: NDArray[np.float32]) -> Floats:
    """For each two neighbours of the question: the rarer they are, the more being together says."""
    rarity = evidence.rarity[evidence.told]
    if len(rarity) < 2 or not rarity.sum():
        return np.zeros(len(counts))
    pairs = np.minimum(rarity[:-1], rarity[1:]) / rarity.sum()
    often = counts[:, evidence.told[:-1]] / evidence.length[:, None]
    return np.asarray((often / (often + NEAR_SATURATION)) @ pairs, float)


def _looked_up(ranks: np.ndarray[tuple[int], np.dtype[np.float32]], found: Candidates) -> Floats:
    """The rank of each candidate; 0 for what is newer."""
    values = np.zeros(len(found.ids))
    known = found.ids < len(ranks)
    values[known] = ranks[found.ids[known]]
    return values
