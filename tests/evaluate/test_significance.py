"""Confidence intervals and the randomization test."""

import random

import pytest

from byway.evaluate.significance import difference, interval


def test_an_interval_holds_its_mean_and_shrinks_with_more_values() -> None:
    few = interval([0.0, 1.0] * 10)
    many = interval([0.0, 1.0] * 500)
    assert few.low < few.mean == 0.5 < few.high
    assert many.high - many.low < (few.high - few.low) / 4
    # The normal approximation of the same: 1.96 standard errors to each side.
    assert many.high - many.mean == pytest.approx(1.96 * 0.5 / 1000**0.5, rel=0.1)


def test_the_same_values_give_the_same_interval() -> None:
    values = [random.Random(1).random() for _ in range(50)]
    assert interval(values) == interval(values)
    assert interval([]).mean == 0


def test_a_steady_gain_is_significant_and_noise_is_not() -> None:
    chance = random.Random(2)
    base = [chance.random() for _ in range(100)]
    better = [value + 0.05 + chance.gauss(0, 0.05) for value in base]
    noisy = [value + chance.gauss(0, 0.3) for value in base]
    gain = difference(base, better)
    assert gain.significant and gain.verdict == "significantly_better" and gain.p < 0.001
    assert difference(better, base).verdict == "significantly_worse"
    assert difference(base, noisy).verdict == "not_significant"


def test_few_queries_give_a_high_p_value() -> None:
    # Of the eight ways to swap three pairs, two are as extreme as the observed one.
    assert difference([0, 0, 0], [1, 1, 1]).p == pytest.approx(2 / 8, abs=0.02)


def test_equal_values_have_no_difference() -> None:
    same = difference([0.1, 0.2], [0.1, 0.2])
    assert (same.p, same.verdict) == (1, "no_difference")
