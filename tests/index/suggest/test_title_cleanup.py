"""Title cleanup: site names, best names, and memory use."""

import tracemalloc
from collections.abc import Iterator

import pytest

from byway.index.suggest import title_cleanup
from byway.index.suggest.title_cleanup import HostTitle, best_names, site_names


def rows(count: int, host: int = 7) -> Iterator[HostTitle]:
    """Pages of one host, each with a title of its own."""
    return (
        HostTitle(f"Chapter {n:x} of a long book", host, 3, 1, n, n) for n in range(1, count + 1)
    )


def peak(count: int, limit: int) -> int:
    """The peak memory in bytes of finding the best of so many names."""
    tracemalloc.start()
    try:
        best_names(rows(count), (), limit)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_memory_depends_on_the_kept_names_and_not_on_all_names() -> None:
    best_names(rows(10), (), 10)  # loads everything once
    assert peak(20_000, 500) < 1.5 * peak(2_000, 500)


def test_the_best_names_stay_among_many_others() -> None:
    known = [HostTitle("Install", host, 3, 1, host, host) for host in (1, 2)]
    late = [HostTitle("install", 9, 3, 1, 90, 90)]
    best = best_names([*known, *rows(1000), *late], (), 10)
    assert len(best) == 10
    assert next(iter(best)) == "install"
    assert best["install"].padded_page_ids() == [1, 2, 90]


def test_a_site_name_is_found_among_more_suffixes_than_are_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(title_cleanup, "MAX_NAME_PARTS", 20)
    titles = [(1, f"{n} - of {n}") for n in range(100)] + [(1, f"{n} | Site") for n in range(50)]
    mixed = sorted(titles, key=lambda row: row[1])
    assert site_names(mixed) == {(1, " | Site")}
