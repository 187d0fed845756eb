import pytest
from hypothesis import given
from hypothesis import strategies as st

from byway.reports.crawl.summary import MAX_BARS, timeline

DAY = 86400.0


def test_bars_are_as_wide_as_people_count() -> None:
    assert timeline([0, 40], 2).bucket_seconds == 1
    assert timeline([0, 3600], 2).bucket_seconds == 120
    assert timeline([0, 3 * DAY], 2).bucket_seconds == 2 * 3600
    assert timeline([0, 400 * DAY], 2).bucket_seconds == 7 * DAY


@given(st.lists(st.floats(0, 4e9), min_size=1, max_size=50))
def test_every_page_is_in_a_bar_and_there_are_few_bars(times: list[float]) -> None:
    bars = timeline(times, len(times))
    assert sum(bars.pages) == len(times)
    assert len(bars.pages) <= MAX_BARS
    assert bars.started_at <= min(times)
    assert max(times) <= bars.started_at + len(bars.pages) * bars.bucket_seconds
    assert len(bars.labels()) == len(bars.pages)


def test_a_clock_that_was_wrong_for_centuries_does_no_harm() -> None:
    bars = timeline([0.0, 2e11], 2)
    assert sum(bars.pages) == 2
    assert len(bars.pages) <= MAX_BARS


def test_a_sample_stands_for_all_pages() -> None:
    assert sum(timeline([1.0, 1.2, 50.0, 51.0], 4000).pages) == 4000


def test_the_time_between_two_crawls_is_not_counted_as_slow() -> None:
    first = [n / 10 for n in range(6000)]
    again = [at + 10 * DAY for at in first]
    assert timeline(first, 6000).per_second == pytest.approx(10, rel=0.01)
    bars = timeline(first + again, 12000)
    assert bars.per_second > 12000 / (10 * DAY)


def test_no_pages_make_no_bars() -> None:
    assert timeline([], 0).pages == ()
    assert timeline([5.0], 1).pages == (1,)


def test_moments_say_no_more_than_tells_bars_apart() -> None:
    assert timeline([0, 40], 2).labels()[:2] == ["00:00:00", "00:00:01"]
    assert timeline([0.0, 0.75], 2).labels()[-1] == "00:00:00.7"
    assert timeline([DAY - 60, DAY + 60], 2).labels()[0] == "01-01 23:59:00"
    assert timeline([0, 59 * DAY], 2).labels()[0] == "1970-01-01"
