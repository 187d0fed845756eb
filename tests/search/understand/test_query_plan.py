"""Query plan: relaxation and AND."""

import pytest
from contract.backends import Backend
from search.corpus import index_pages, make_searcher, sorted_hit_ids

from byway.core.model import Query, UrlId

PAGES = ((1, "red shoes"), (2, "blue shoes and hats"), (3, "a green coat"))


@pytest.mark.parametrize(
    ("typed", "numbers"),
    [
        ("red shoes", [1]),  # one that has all is enough
        ("unheard shoes", [1, 2]),
        ("the red coat", [1, 3]),
        ("red coat -shoes", [3]),
        ("red coat site:b.org", []),
        ('"red coat" shoes', []),
        ("unheard thing", []),
    ],
)
def test_pages_with_some_words_are_hits_if_none_has_all(
    backend: Backend, typed: str, numbers: list[int]
) -> None:
    index_pages(backend, *PAGES)
    assert sorted_hit_ids(backend, typed) == numbers


def test_relaxed_results_are_partial_matches(backend: Backend) -> None:
    index_pages(backend, *PAGES)
    near, whole, none = (
        make_searcher(backend).search(Query(typed)) for typed in ("red coat", "red shoes", "zebra")
    )
    assert (near.partial_match, whole.partial_match, none.partial_match) == (True, False, False)
    assert sum(one.score for one in make_searcher(backend).explain("red coat", UrlId(3))) == (
        pytest.approx({hit.id: hit.score for hit in near.hits}[UrlId(3)])
    )
    assert near.total == len(near.hits) == 2


def test_words_beside_and_are_required(backend: Backend) -> None:
    index_pages(backend, (1, "red wool"), (2, "red coat"), (3, "blue coat for the rain"))
    assert sorted_hit_ids(backend, "red AND coat") == [2]
    assert sorted_hit_ids(backend, "blue AND wool") == []
    assert sorted_hit_ids(backend, "red wool coat rain") == [1, 2, 3]
    assert sorted_hit_ids(backend, "wool red AND rain") == []
    assert sorted_hit_ids(backend, "coat NOT red") == [3]
