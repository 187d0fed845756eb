"""Numbers with units and separators, in English and Russian."""

import pytest

from byway.core import number_format
from byway.core.messages import decimal, duration, grouped, size, speaking, t


@pytest.mark.parametrize(
    ("bytes", "said"),
    [(0, "0 B"), (999, "999 B"), (1000, "1 kB"), (999_999, "1 MB"), (1_234_567_890, "1.23 GB")],
)
def test_sizes(bytes: int, said: str) -> None:
    assert size(bytes) == said


@pytest.mark.parametrize(
    ("per_second", "said"),
    [(1234, "1,234 pages/s"), (1.5, "1.5 pages/s"), (0.5, "30 pages/min"), (0.001, "3.6 pages/h")],
)
def test_slow_rates_are_per_minute_or_per_hour(per_second: float, said: str) -> None:
    assert number_format.format_rate(per_second) == said


def test_durations_use_the_largest_whole_unit() -> None:
    assert duration(0.5) == "0.5 seconds"
    assert duration(1) == "1 second"
    assert duration(900) == "15 minutes"
    assert duration(3600) == "1 hour"
    assert duration(86400 * 7) == "7 days"


def test_percentages_round_to_0_or_100_only_if_exact() -> None:
    assert number_format.format_percent(0, 10) == "0%"
    assert number_format.format_percent(1, 1_000_000) == "< 0.1%"
    assert number_format.format_percent(999_999, 1_000_000) == "> 99.9%"
    assert number_format.format_percent(10, 10) == "100%"


def test_russian_has_a_decimal_comma_narrow_spaces_and_its_own_units() -> None:
    with speaking("ru"):
        assert grouped(1_234_567) == "1\u202f234\u202f567"
        assert decimal(1234.5, ",.2f") == "1\u202f234,50"
        assert size(1_234_567_890) == "1,23 ГБ"
        assert duration(0.5) == "0,5 секунды"
        assert number_format.format_rate(1.5) == "1,5 стр./с"
        assert number_format.format_rate(0.001) == "3,6 стр./ч"
        assert number_format.format_percent(1, 8) == "12,5 %"
        assert number_format.format_percent(1, 1_000_000) == "< 0,1 %"


def test_formats_in_messages_follow_the_language() -> None:
    with speaking("ru"):
        assert t("reason.no_answer", seconds=2.5) == "нет ответа за 2,5 с"


def test_limits_of_settings_are_shown_as_settings_write_them() -> None:
    with speaking("ru"):
        said = t("error.core.too_small", setting="crawl.timeout", value=0, minimum=0.1)
        assert said.endswith("Минимум: 0.1.")
