"""What are pages called, of how many is it kept, and how much is held meanwhile?"""

import tracemalloc
from collections.abc import Iterator

import pytest

from byway.index.suggest import title_cleanup
from byway.index.suggest.title_cleanup import HostTitle, best_names, site_names


def rows(count: int, host: int = 7) -> Iterator[HostTitle]:
    """So many pages of one host, each with a name of its own."""
    return (
        HostTitle(f"Chapter {n:x} of a long book", host, 3, 1, n, n) for n in range(1, count + 1)
    )


def peak(count: int, most: int) -> int:
    """Bytes that finding the best of so many names takes at most."""
    tracemalloc.start()
    try:
        best_names(rows(count), (), most)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_what_is_held_depends_on_how_many_names_are_kept_and_not_on_how_many_there_are() -> None:
    best_names(rows(10), (), 10)  # what is loaded once
    assert peak(20_000, 500) < 1.5 * peak(2_000, 500)


def test_the_likeliest_names_stay_however_many_come_between() -> None:
    known = [HostTitle("Install", host, 3, 1, host, host) for host in (1, 2)]
    late = [HostTitle("install", 9, 3, 1, 90, 90)]
    best = best_names([*known, *rows(1000), *late], (), 10)
    assert len(best) == 10
    assert next(iter(best)) == "install"
    assert best["install"].padded_page_ids() == [1, 2, 90]


def test_the_name_of_a_site_is_found_among_more_ends_than_are_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(title_cleanup, "MAX_NAME_PARTS", 20)
    titles = [(1, f"{n} - of {n}") for n in range(100)] + [(1, f"{n} | Site") for n in range(50)]
    mixed = sorted(titles, key=lambda row: row[1])
    assert site_names(mixed) == {(1, " | Site")}
