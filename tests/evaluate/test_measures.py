"""Measures agree with values computed by hand, and with trec_eval."""

from math import log2

import pytest
from vectors import vector_path

from byway.evaluate.measures import (
    average_precision,
    ndcg,
    precision,
    recall,
    reciprocal_rank,
)
from byway.evaluate.runs import from_trec

MEASURED = {"map", "recip_rank", "P_10", "recall_100", "ndcg_cut_10"}
JUDGED = {"a": 2, "b": 1, "c": 0, "d": 1}


def test_measures_by_hand() -> None:
    ranking = ["x", "a", "c", "b"]
    ideal = 2 / log2(2) + 1 / log2(3) + 1 / log2(4)
    assert ndcg(ranking, JUDGED) == pytest.approx((2 / log2(3) + 1 / log2(5)) / ideal)
    assert average_precision(ranking, JUDGED) == pytest.approx((1 / 2 + 2 / 4) / 3)
    assert reciprocal_rank(ranking, JUDGED) == 1 / 2
    assert precision(ranking, JUDGED) == 2 / 10
    assert recall(ranking, JUDGED) == pytest.approx(2 / 3)


def test_the_best_ranking_scores_one_and_an_empty_one_zero() -> None:
    assert ndcg(["a", "d", "b"], JUDGED) == 1
    assert average_precision(["d", "b", "a"], JUDGED) == 1
    for measure in (ndcg, average_precision, reciprocal_rank, precision, recall):
        assert measure([], JUDGED) == 0
        assert measure(["a"], {}) == 0


def test_some_measures_ignore_documents_after_rank_ten() -> None:
    late = [str(n) for n in range(10)] + ["a"]
    assert ndcg(late, JUDGED) == precision(late, JUDGED) == 0
    assert reciprocal_rank(late, JUDGED) == 1 / 11


def test_measures_agree_with_trec_eval() -> None:
    folder = vector_path("text/trec_eval-test/test")
    run = from_trec((folder / "results.test").read_text().splitlines())
    judged: dict[str, dict[str, int]] = {}
    for line in (folder / "qrels.test").read_text().splitlines():
        query, _, document, grade = line.split()
        judged.setdefault(query, {})[document] = int(grade)
    expected: dict[tuple[str, str], float] = {}
    for line in (folder / "out.test.aq").read_text().splitlines():
        name, query, value = line.split()
        if query in judged and name in MEASURED:
            expected[name, query] = float(value)
    compared = 0
    for query in judged:
        ranking = run.ranking(query)
        for name, got in (
            ("map", average_precision(ranking, judged[query])),
            ("recip_rank", reciprocal_rank(ranking, judged[query])),
            ("P_10", precision(ranking, judged[query])),
            ("recall_100", recall(ranking, judged[query])),
            ("ndcg_cut_10", ndcg(ranking, judged[query])),
        ):
            assert got == pytest.approx(expected[name, query], abs=6e-5), (name, query)
            compared += 1
    assert compared == len(expected) > 10
