"""Letter case of corrections."""

import pytest
from contract.backends import Backend
from search.corpus import document, index_pages, make_searcher

from byway.core.model import Query
from byway.search.suggest.letter_case import restore_letter_case

CAKES = [
    document(1, "Apfelkuchen. Wir backen einen Apfelkuchen, der schmeckt.", language="de"),
    document(2, "Ein guter Apfelkuchen ist warm; oft ist ein Apfelkuchen kalt.", language="de"),
    document(3, "Ein Streuselkuchenrezept, und noch ein Streuselkuchenrezept.", language="de"),
    document(4, "Streuselkuchenteig ist ein Streuselkuchenteig.", language="de"),
]


@pytest.mark.parametrize(
    ("typed", "meant", "finds"),
    [
        ("apfelkuhcen", "Apfelkuchen", 0),
        ("warm apfelkuhcen", "warm Apfelkuchen", 0),
        ("streuselkuchen", "Streuselkuchen*", 2),
        ("streuselkuchen lang:de", "Streuselkuchen* lang:de", 2),
    ],
)
def test_corrections_have_the_letter_case_of_the_pages(
    backend: Backend, typed: str, meant: str, finds: int
) -> None:
    index_pages(backend, *CAKES)
    results = make_searcher(backend).search(Query(typed))
    assert (results.did_you_mean, results.did_you_mean_total) == (meant, finds)


@pytest.mark.parametrize(
    ("page", "written"),
    [
        ("Pear. Pear! A pear is a pear.", "pear"),
        ("a SQL server, or SQL, or sql", "pear"),
        ("one Pear or one pear", "pear"),  # as many of each
        ("one Pear, Pear or pear", "Pear"),
        ("one Pearl, two Pearls", "pear"),
        ("Pear\nPear\nPear", "pear"),  # each may begin something
        ("the PEAR, a PEAR: PEAR", "PEAR"),
        ("", "pear"),
    ],
)
def test_only_words_inside_a_sentence_decide_the_letter_case(page: str, written: str) -> None:
    assert restore_letter_case("a pear", "a paer", [page]) == f"a {written}"


def test_typed_words_keep_their_letter_case() -> None:
    assert (
        restore_letter_case("pear SQL*", "paer SQL*", ["one Pear, or sql and sql"]) == "Pear SQL*"
    )


def test_no_word_becomes_a_query_keyword() -> None:
    assert restore_letter_case("pear or", "pear orr", ["this OR that, one OR two"]) == "pear or"
