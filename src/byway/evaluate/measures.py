"""How good is one ranking? The measures of trec_eval, each a few lines over judged documents.

A ranking is the documents in order; `judged` says how relevant each is: 0 is not, and what
nobody judged counts as not. Grades are gains as they are, as trec_eval has it.
"""

from collections.abc import Callable, Mapping, Sequence
from math import log2

Grades = Mapping[str, int]
Ranking = Sequence[str]
Measure = Callable[[Ranking, Grades], float]

RUN_DEPTH = 100
"""How far down the deepest measure looks, and so how many documents a run has of a query."""


def ndcg(ranking: Ranking, grades: Grades, depth: int = 10) -> float:
    """The gain of the first documents, less the later they come, as a share of the best."""
    ideal = _discounted(sorted(grades.values(), reverse=True)[:depth])
    got = _discounted([grades.get(document, 0) for document in ranking[:depth]])
    return got / ideal if ideal else 0.0


def average_precision(ranking: Ranking, grades: Grades) -> float:
    """The precision at each relevant document, averaged over all that there are."""
    found, total = 0, 0.0
    for place, document in enumerate(ranking, 1):
        if grades.get(document, 0) > 0:
            found += 1
            total += found / place
    return total / _relevant(grades)


def reciprocal_rank(ranking: Ranking, grades: Grades) -> float:
    """One over the place of the first relevant document."""
    places = (n for n, document in enumerate(ranking, 1) if grades.get(document, 0) > 0)
    return 1 / next(places, float("inf"))


def precision(ranking: Ranking, grades: Grades, depth: int = 10) -> float:
    """The share of the first documents that are relevant."""
    return _found(ranking[:depth], grades) / depth


def recall(ranking: Ranking, grades: Grades, depth: int = RUN_DEPTH) -> float:
    """The share of the relevant documents that are among the first."""
    return _found(ranking[:depth], grades) / _relevant(grades)


MEASURES: Mapping[str, Measure] = {
    "nDCG@10": ndcg,
    "MAP": average_precision,
    "MRR": reciprocal_rank,
    "P@10": precision,
    "R@100": recall,
}


def _discounted(gains: Sequence[int]) -> float:
    return sum(max(gain, 0) / log2(place + 1) for place, gain in enumerate(gains, 1))


def _found(ranking: Ranking, judged: Grades) -> int:
    return sum(judged.get(document, 0) > 0 for document in ranking)


def _relevant(judged: Grades) -> float:
    """How many documents are relevant; infinitely many when none is, so that shares are 0."""
    return sum(grade > 0 for grade in judged.values()) or float("inf")
