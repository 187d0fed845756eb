"""Related searches."""

import pytest
from contract.backends import Backend
from search.corpus import document, index_pages, make_searcher

from byway.core.model import Heading, Query

SITE = "The Shoe Post"


def named(backend: Backend) -> None:
    index_pages(
        backend,
        document(1, "red shoes", "Shoes"),
        document(2, "red shoes for snow", f"2.1. Snow shoes — {SITE}", language="en"),
        document(
            3,
            "shoes in the rain",
            f"How to mend shoes — {SITE}",
            headings=(Heading(2, "Shoe glue that holds", "glue"), Heading(2, "Hats", "hats")),
        ),
        document(4, "hats", "Hats for shoes that nobody has asked for, ever"),
    )


def test_related_searches_come_from_titles_and_headings_of_the_hits(backend: Backend) -> None:
    named(backend)
    others = make_searcher(backend).search(Query("shoes")).related_searches
    assert set(others) == {"Snow shoes", "How to mend shoes", "Shoe glue that holds"}


@pytest.mark.parametrize("typed", ["", "zebra", "site:a.org", "snow shoes mend glue holds"])
def test_there_are_no_related_searches_without_a_new_word(backend: Backend, typed: str) -> None:
    named(backend)
    assert make_searcher(backend).search(Query(typed)).related_searches == ()


def test_related_searches_are_unique_and_only_on_the_first_page(backend: Backend) -> None:
    index_pages(backend, *(document(n, "shoes", f"{n}. Snow shoes") for n in range(1, 20)))
    assert make_searcher(backend).search(Query("shoes")).related_searches == ("Snow shoes",)
    assert make_searcher(backend).search(Query("shoes", offset=10)).related_searches == ()


def test_a_title_in_two_languages_is_listed_once(backend: Backend) -> None:
    called = "Ein Debian-Paket erstellen"
    pages = ((1, "de"), (2, "en"), (3, ""))
    index_pages(
        backend,
        *(document(n, f"debian {n}", called, f"{n}.org", language=one) for n, one in pages),
    )
    assert make_searcher(backend).search(Query("debian")).related_searches == (called,)


def test_related_searches_do_not_depend_on_the_page_size(backend: Backend) -> None:
    named(backend)
    found = {
        limit: make_searcher(backend).search(Query("shoes", limit)) for limit in (1, 2, 10, 50)
    }
    assert len({results.related_searches for results in found.values()}) == 1
    assert [len(results.hits) for results in found.values()] == [1, 2, 4, 4]
