"""Weight tuning by coordinate ascent."""

import tomllib

import numpy as np

from byway.evaluate.weight_tuner import TrainingExample, ideal_dcg, tune, weights_toml

NAMES = {"bm25": 1.0, "good": 0.05, "noise": 0.3, "off": 0.0}


def examples(count: int, seed: int) -> list[TrainingExample]:
    """Queries whose relevant candidate has a high `good`, a higher `bm25`, any `noise`."""
    random = np.random.default_rng(seed)
    made = []
    for _ in range(count):
        signals = random.random((30, len(NAMES)))
        grades = np.zeros(30)
        relevant = random.integers(30)
        grades[relevant] = 1
        signals[relevant, :2] += (0.2, 0.8)
        made.append(TrainingExample(signals, grades, 1.0))
    return made


def test_weights_move_to_informative_signals_and_away_from_noise() -> None:
    tuned = tune([examples(60, 1), examples(40, 2)], NAMES)
    assert tuned.weights["bm25"] == 1.0
    assert tuned.weights["good"] > 0.2
    assert tuned.weights["noise"] < min(NAMES["noise"], tuned.weights["good"])
    assert len(tuned.folds) == 5
    assert sum(fold.queries for fold in tuned.folds) == 100
    assert all(fold.after > fold.before for fold in tuned.folds)
    assert tuned.change.verdict == "significantly_better"


def test_tuning_is_deterministic() -> None:
    sets = [examples(30, 3)]
    assert tune(sets, NAMES) == tune(sets, NAMES)


def test_uninformative_queries_change_no_weight() -> None:
    useless = [TrainingExample(np.ones((5, 4)), np.array([0, 1.0, 0, 0, 0]), 1.0)] * 10
    assert tune([useless], NAMES).weights == NAMES


def test_the_weights_file_is_a_settings_file() -> None:
    tuned = tune([examples(10, 4)], NAMES)
    text = weights_toml(tuned, "one,\ntwo")
    assert tomllib.loads(text)["search"]["weights"] == tuned.weights
    assert "learned from one, two" in text


def test_ideal_dcg_is_that_of_the_best_order_of_ten() -> None:
    assert ideal_dcg([0, 1, 2]) == 2 + 1 / np.log2(3)
    assert ideal_dcg([1] * 50) == ideal_dcg([1] * 10)
