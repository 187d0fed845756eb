"""What did a search engine answer? Rankings by query, scored, and as TREC run files."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf

from byway.core.errors import UsageError
from byway.evaluate.collections import JudgedQuery, Judgements
from byway.evaluate.measures import MEASURES, RUN_DEPTH
from byway.evaluate.significance import ConfidenceInterval, Difference, difference, interval

RankingFunction = Callable[[str, int], Sequence[tuple[str, float]]]
"""From what was asked and how many are wanted to documents and their scores, best first."""

RUN_TAG = "byway"
MIN_SCORE_STEP = 2e-6
"""What two scores differ by at least: more than is lost where they are written, and read."""


@dataclass(frozen=True, slots=True)
class Run:
    """The documents that were answered to each query, best first, with their scores."""

    rankings: Mapping[str, Sequence[tuple[str, float]]]

    def ranking(self, query: str) -> list[str]:
        """The documents alone."""
        return [document for document, _ in self.rankings.get(query, ())]


@dataclass(frozen=True, slots=True)
class RunScores:
    """Every measure for every query that has something relevant to find."""

    queries: tuple[str, ...]
    values: Mapping[str, Sequence[float]]

    def intervals(self) -> dict[str, ConfidenceInterval]:
        """Each measure's mean and how sure it is."""
        return {name: interval(values) for name, values in self.values.items()}

    def mean(self, measure: str) -> float:
        """One measure's mean."""
        values = self.values[measure]
        return sum(values) / max(1, len(values))

    def compare_to(self, other: "RunScores") -> dict[str, Difference]:
        """How `other` differs from this, measure by measure, over the same queries."""
        return {
            name: difference(values, other.values[name]) for name, values in self.values.items()
        }


def run_queries(
    queries: Iterable[JudgedQuery], rank: RankingFunction, depth: int = RUN_DEPTH
) -> Run:
    """Put every query to a search engine."""
    return Run({query.id: tuple(rank(query.text, depth)) for query in queries})


def score(run: Run, judgements: Judgements) -> RunScores:
    """Measure a run; a query with nothing relevant tells nothing and is left out."""
    telling = tuple(
        query for query, judged in judgements.items() if any(grade > 0 for grade in judged.values())
    )
    if not telling:
        raise UsageError("no query has a relevant document; there is nothing to measure")
    return RunScores(
        telling,
        {
            name: [measure(run.ranking(query), judgements[query]) for query in telling]
            for name, measure in MEASURES.items()
        },
    )


def as_trec(run: Run, tag: str = RUN_TAG) -> Iterator[str]:
    """The lines of a TREC run file: query, Q0, document, place, score, tag.

    Each score is less than the one before, since those who read it go by nothing else.
    """
    for query, answers in run.rankings.items():
        last = inf
        for place, (document, points) in enumerate(answers, 1):
            last = min(points, last - MIN_SCORE_STEP)
            yield f"{_one_word(query)} Q0 {_one_word(document)} {place} {last:.6f} {tag}"


def from_trec(lines: Iterable[str]) -> Run:
    """The run in such lines; the order is that of the scores, as trec_eval has it."""
    answers: dict[str, list[tuple[str, float]]] = {}
    for number, line in enumerate(lines, 1):
        try:
            query, _, document, _, points, _ = line.split()
            answers.setdefault(query, []).append((document, float(points)))
        except ValueError:
            raise UsageError(f"line {number} is not of a TREC run: {line.strip()[:80]!r}") from None
    # trec_eval breaks ties by the document's name, last first.
    for found in answers.values():
        found.sort(key=lambda one: (one[1], one[0]), reverse=True)
    return Run(answers)


def _one_word(name: str) -> str:
    return "_".join(name.split())
