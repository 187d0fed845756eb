import pytest

from byway.core import number_format


@pytest.mark.parametrize(
    ("bytes", "said"),
    [(0, "0 B"), (999, "999 B"), (1000, "1 kB"), (999_999, "1 MB"), (1_234_567_890, "1.23 GB")],
)
def test_sizes(bytes: int, said: str) -> None:
    assert number_format.format_size(bytes) == said


@pytest.mark.parametrize(
    ("per_second", "said"),
    [(1234, "1,234 pages/s"), (1.5, "1.5 pages/s"), (0.5, "30 pages/min"), (0.001, "3.6 pages/h")],
)
def test_slow_rates_are_per_minute_or_per_hour(per_second: float, said: str) -> None:
    assert number_format.format_rate(per_second) == said


def test_durations_use_the_largest_whole_unit() -> None:
    assert number_format.format_duration(0.5) == "0.5 seconds"
    assert number_format.format_duration(1) == "1 second"
    assert number_format.format_duration(900) == "15 minutes"
    assert number_format.format_duration(3600) == "1 hour"
    assert number_format.format_duration(86400 * 7) == "7 days"


def test_percentages_round_to_0_or_100_only_if_exact() -> None:
    assert number_format.format_percent(0, 10) == "0 %"
    assert number_format.format_percent(1, 1_000_000) == "< 0.1 %"
    assert number_format.format_percent(999_999, 1_000_000) == "> 99.9 %"
    assert number_format.format_percent(10, 10) == "100 %"
