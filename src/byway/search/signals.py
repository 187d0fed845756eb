"""Why does one page stand above another? Each reason has a name, a weight and a sentence.

A signal is a function from candidates and ranks to one number for each page. To add one, write
it here and put `@signal` on it. Users set weights in `search.weights`; 0 switches a signal off.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from byway.errors import SettingsError
from byway.model import Question, Signal
from byway.ports import Candidates, Floats, Ranks

Measure = Callable[["Evidence"], Floats]


@dataclass(frozen=True, slots=True)
class Evidence:
    """All that signals may look at."""

    question: Question
    candidates: Candidates
    ranks: Ranks
    best: float
    """The highest score of the index for this question, whoever has it."""


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
    """How well the words fit: how often they occur, where, and how rare they are (BM25)."""
    return evidence.candidates.text / max(evidence.best, 1e-9)


@signal(weight=0.35)
def proximity(evidence: Evidence) -> Floats:
    """How near the words stand to one another: 1 when side by side."""
    return len(evidence.question.words) / evidence.candidates.window


@signal(weight=0.25)
def title(evidence: Evidence) -> Floats:
    """The share of the words that the title has."""
    return evidence.candidates.in_title


@signal(weight=0.06)
def page_rank(evidence: Evidence) -> Floats:
    """How much other pages' links speak for this page (PageRank, on a log scale)."""
    return _looked_up(evidence.ranks.pages, evidence.candidates)


@signal(weight=0.03)
def host_rank(evidence: Evidence) -> Floats:
    """How much other hosts' links speak for this host (PageRank of hosts, on a log scale)."""
    return _looked_up(evidence.ranks.hosts, evidence.candidates)


def weighted(weights: Mapping[str, float]) -> list[tuple[Measured, float]]:
    """Every signal with its weight; an unknown name in the settings is an error."""
    for name in weights:
        if name not in SIGNALS:
            known = ", ".join(SIGNALS)
            raise SettingsError(f"unknown signal search.weights.{name}; there are {known}")
    return [(one, weights.get(one.name, one.weight)) for one in SIGNALS.values()]


def scores_of(
    evidence: Evidence, weights: Mapping[str, float]
) -> tuple[Floats, Callable[[int], tuple[Signal, ...]]]:
    """The score of every candidate, and a way to ask why for one of them."""
    columns = [(one, weight, one.measure(evidence)) for one, weight in weighted(weights)]
    total = np.zeros(len(evidence.candidates.ids))
    for _, weight, values in columns:
        total += weight * values

    def why(row: int) -> tuple[Signal, ...]:
        return tuple(
            Signal(one.name, float(values[row]), weight, one.sentence)
            for one, weight, values in columns
        )

    return total, why


def _looked_up(ranks: np.ndarray[tuple[int], np.dtype[np.float32]], found: Candidates) -> Floats:
    """log2(1 + rank): an average page has 1; one with a hundred times the rank, under 7."""
    values = np.zeros(len(found.ids))
    known = found.ids < len(ranks)
    values[known] = np.log2(1 + ranks[found.ids[known]])
    return values
