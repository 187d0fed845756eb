"""Runs: the rankings of a search engine by query, their scores, and TREC run files."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf

from byway.core.errors import UsageError
from byway.core.model.measurement import ConfidenceInterval, Difference
from byway.evaluate.collections import JudgedQuery, Judgements
from byway.evaluate.measures import MEASURES, RUN_DEPTH
from byway.evaluate.significance import difference, interval

RankingFunction = Callable[[str, int], Sequence[tuple[str, float]]]
"""Maps a query text and a depth to documents with scores, best first."""

RUN_TAG = "byway"
MIN_SCORE_STEP = 2e-6
"""Minimum difference between two written scores, which have six decimals."""


@dataclass(frozen=True, slots=True)
class Run:
    """The ranking of each query: documents with scores, best first."""

    rankings: Mapping[str, Sequence[tuple[str, float]]]

    def ranking(self, query: str) -> list[str]:
        """The ranked documents of a query, without their scores."""
        return [document for document, _ in self.rankings.get(query, ())]


@dataclass(frozen=True, slots=True)
class RunScores:
    """Every measure for every query with a relevant document."""

    queries: tuple[str, ...]
    values: Mapping[str, Sequence[float]]

    def intervals(self) -> dict[str, ConfidenceInterval]:
        """The mean of each measure with its confidence interval."""
        return {name: interval(values) for name, values in self.values.items()}

    def mean(self, measure: str) -> float:
        """The mean of a measure."""
        values = self.values[measure]
        return sum(values) / max(1, len(values))

    def compare_to(self, other: "RunScores") -> dict[str, Difference]:
        """The difference between `other` and this run in each measure, over the same queries."""
        return {
            name: difference(values, other.values[name]) for name, values in self.values.items()
        }


def run_queries(
    queries: Iterable[JudgedQuery], rank: RankingFunction, depth: int = RUN_DEPTH
) -> Run:
    """Run every query with a ranking function."""
    return Run({query.id: tuple(rank(query.text, depth)) for query in queries})


def score(run: Run, judgements: Judgements) -> RunScores:
    """Score a run; queries without a relevant document are left out."""
    queries = tuple(
        query for query, grades in judgements.items() if any(grade > 0 for grade in grades.values())
    )
    if not queries:
        raise UsageError("evaluate.nothing_relevant")
    return RunScores(
        queries,
        {
            name: [measure(run.ranking(query), judgements[query]) for query in queries]
            for name, measure in MEASURES.items()
        },
    )


def as_trec(run: Run, tag: str = RUN_TAG) -> Iterator[str]:
    """The lines of a TREC run file: query, Q0, document, rank, score, tag.

    Each score is lower than the previous one, since trec_eval sorts by score.
    """
    for query, ranking in run.rankings.items():
        last = inf
        for rank, (document, score) in enumerate(ranking, 1):
            last = min(score, last - MIN_SCORE_STEP)
            yield f"{_one_word(query)} Q0 {_one_word(document)} {rank} {last:.6f} {tag}"


def from_trec(lines: Iterable[str]) -> Run:
    """The run in the lines of a TREC run file, sorted by score as in trec_eval."""
    rankings: dict[str, list[tuple[str, float]]] = {}
    for number, line in enumerate(lines, 1):
        try:
            query, _, document, _, score, _ = line.split()
            rankings.setdefault(query, []).append((document, float(score)))
        except ValueError:
            raise UsageError("evaluate.bad_run_line", line=number, text=line.strip()[:80]) from None
    # trec_eval breaks ties by document name, in descending order.
    for ranking in rankings.values():
        ranking.sort(key=lambda entry: (entry[1], entry[0]), reverse=True)
    return Run(rankings)


def _one_word(name: str) -> str:
    return "_".join(name.split())
