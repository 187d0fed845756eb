"""Why does one page stand above another?"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from byway.errors import SettingsError
from byway.ports import Candidates, Ranks
from byway.search.query import parse
from byway.search.signals import SIGNALS, Evidence, scores_of, weighted

NO_RANKS = Ranks(np.zeros(0, np.float32), np.zeros(0, np.float32))


def evidence(
    ids: list[int],
    text: list[float] | None = None,
    window: list[float] | None = None,
    in_title: list[float] | None = None,
    ranks: Ranks = NO_RANKS,
) -> Evidence:
    """Candidates for "red shoes" that are alike but for what is given."""
    alike = [0.0] * len(ids)
    candidates = Candidates(
        np.array(ids, np.int64),
        np.array(text or alike),
        np.array(window or [np.inf] * len(ids)),
        np.array(in_title or alike),
        len(ids),
    )
    return Evidence(parse("red shoes"), candidates, ranks, max(text or [0.0]))


def values(name: str, given: Evidence) -> list[float]:
    return [float(value) for value in SIGNALS[name].measure(given)]


def test_each_signal_has_a_weight_and_a_sentence() -> None:
    assert list(SIGNALS) == ["words", "proximity", "title", "page_rank", "host_rank"]
    for one in SIGNALS.values():
        assert one.weight > 0
        assert one.sentence.endswith(".") and one.sentence[0].isupper()


def test_words_are_measured_against_the_best_page() -> None:
    assert values("words", evidence([1, 2, 3], text=[8.0, 4.0, 0.0])) == [1, 0.5, 0]
    assert values("words", evidence([1])) == [0]


def test_words_side_by_side_are_as_near_as_can_be() -> None:
    assert values("proximity", evidence([1, 2, 3], window=[2, 8, np.inf])) == [1, 0.25, 0]


def test_the_title_counts_by_its_share_of_the_words() -> None:
    assert values("title", evidence([1, 2], in_title=[0.5, 1])) == [0.5, 1]


def test_ranks_count_by_their_logarithm_and_new_pages_have_none() -> None:
    ranks = Ranks(np.array([0, 1, 3, 0], np.float32), np.array([0, 3, 1, 1], np.float32))
    found = evidence([1, 2, 3, 99], ranks=ranks)
    assert values("page_rank", found) == [1, 2, 0, 0]
    assert values("host_rank", found) == [2, 1, 1, 0]


def test_weights_come_from_the_settings_and_zero_switches_off() -> None:
    found = evidence([1, 2], text=[1.0, 0.5], in_title=[0, 1])
    usual, _ = scores_of(found, {})
    assert usual.tolist() == [1.0, 0.5 + SIGNALS["title"].weight]
    loud, why = scores_of(found, {"title": 10, "words": 0})
    assert loud.tolist() == [0, 10]
    assert {one.name: one.score for one in why(1)}["words"] == 0


def test_a_signal_that_does_not_exist_is_named_with_those_that_do() -> None:
    with pytest.raises(SettingsError) as refused:
        weighted({"titel": 1})
    assert str(refused.value) == (
        "unknown signal search.weights.titel; "
        "there are words, proximity, title, page_rank, host_rank"
    )


@given(st.dictionaries(st.sampled_from(list(SIGNALS)), st.floats(-10, 10)))
def test_a_score_is_the_sum_of_its_reasons(weights: dict[str, float]) -> None:
    ranks = Ranks(np.array([0, 2, 5], np.float32), np.array([0, 1, 1], np.float32))
    found = evidence([1, 2], [9.0, 3.0], [2, 7], [1, 0.5], ranks)
    scores, why = scores_of(found, weights)
    for row in (0, 1):
        assert sum(signal.score for signal in why(row)) == pytest.approx(scores[row])
        assert [signal.name for signal in why(row)] == list(SIGNALS)
