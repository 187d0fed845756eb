"""Measures of a ranking: nDCG, MAP, MRR, precision and recall, defined as in trec_eval.

A ranking is a sequence of documents; `grades` holds the relevance of each: 0 is not relevant, and
an unjudged document counts as 0. Grades are used as gains directly.
"""

from collections.abc import Callable, Mapping, Sequence
from math import log2

Grades = Mapping[str, int]
Ranking = Sequence[str]
Measure = Callable[[Ranking, Grades], float]

RUN_DEPTH = 100
"""Number of documents ranked per query in a run: the depth of the deepest measure."""


def ndcg(ranking: Ranking, grades: Grades, depth: int = 10) -> float:
    """Normalized discounted cumulative gain."""
    ideal = _dcg(sorted(grades.values(), reverse=True)[:depth])
    actual = _dcg([grades.get(document, 0) for document in ranking[:depth]])
    return actual / ideal if ideal else 0.0


def average_precision(ranking: Ranking, grades: Grades) -> float:
    """The precision at each relevant document found, averaged over all relevant documents."""
    relevant, total = 0, 0.0
    for rank, document in enumerate(ranking, 1):
        if grades.get(document, 0) > 0:
            relevant += 1
            total += relevant / rank
    return total / _relevant_count(grades)


def reciprocal_rank(ranking: Ranking, grades: Grades) -> float:
    """1 / rank of the first relevant document."""
    ranks = (n for n, document in enumerate(ranking, 1) if grades.get(document, 0) > 0)
    return 1 / next(ranks, float("inf"))


def precision(ranking: Ranking, grades: Grades, depth: int = 10) -> float:
    """The share of the top documents that are relevant."""
    return _relevant_found(ranking[:depth], grades) / depth


def recall(ranking: Ranking, grades: Grades, depth: int = RUN_DEPTH) -> float:
    """The share of the relevant documents that are among the top documents."""
    return _relevant_found(ranking[:depth], grades) / _relevant_count(grades)


MEASURES: Mapping[str, Measure] = {
    "nDCG@10": ndcg,
    "MAP": average_precision,
    "MRR": reciprocal_rank,
    "P@10": precision,
    "R@100": recall,
}


def _dcg(gains: Sequence[int]) -> float:
    return sum(max(gain, 0) / log2(rank + 1) for rank, gain in enumerate(gains, 1))


def _relevant_found(ranking: Ranking, grades: Grades) -> int:
    return sum(grades.get(document, 0) > 0 for document in ranking)


def _relevant_count(grades: Grades) -> float:
    """The number of relevant documents; infinity if there is none, so that shares are 0."""
    return sum(grade > 0 for grade in grades.values()) or float("inf")
