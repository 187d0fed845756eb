"""Compound splitting."""

from contract.backends import Backend
from search.corpus import document, hit_ids, index_pages, make_searcher, sorted_hit_ids

from byway.core.messages import Diagnosis
from byway.core.model import Query
from byway.core.model.query import TermClause
from byway.search.understand.compounds import split_compound
from byway.search.understand.spelling import page_count

TEXTS = (
    "Das Verfahren vor dem Gericht dauerte lange, und die Menschen warteten auf ein Urteil.",
    "Der Garten der Nachbarn ist gross, und im Herbst werden die Blumen dort nicht gegossen.",
    "Eine Bohrmaschine ist in der Werkstatt, und die Maschine dort ist nicht eingeschaltet.",
)


def kept(backend: Backend) -> None:
    index_pages(backend, *(document(n, text, language="de") for n, text in enumerate(TEXTS, 1)))


def split(backend: Backend, word: str, languages: list[str]) -> tuple[TermClause, ...]:
    return split_compound(word, lambda analyses: page_count(analyses, backend.index), languages)


def test_an_unknown_compound_is_searched_by_its_parts(backend: Backend) -> None:
    kept(backend)
    assert sorted_hit_ids(backend, "Gerichtsverfahren") == [1]
    assert sorted_hit_ids(backend, "Blumengarten") == [2]
    head, tail = split(backend, "gerichtsverfahren", ["en", "de"])
    assert (head.text, tail.text) == ("gericht", "verfahren")


def test_pages_with_both_parts_come_before_those_with_one(backend: Backend) -> None:
    much = "Das Gericht ist voll. Ein Gericht für alle, kein Gericht für einen. " * 5
    far = f"Das Gericht tagt nicht. {'Und die Menschen warteten auf den Herbst. ' * 40} Verfahren."
    one = document(4, much, title="Gericht", language="de")
    other = document(5, far, title="Die Stadt", language="de")
    index_pages(
        backend, *(document(n, text, language="de") for n, text in enumerate(TEXTS, 1)), one, other
    )
    assert hit_ids(make_searcher(backend), "Gerichtsverfahren") == [1, 5]
    assert hit_ids(make_searcher(backend), "lange Gerichtsverfahren Herbst Urteil")[:2] == [1, 5]
    assert sorted_hit_ids(backend, "Gerichtsmaschine") == [1, 3, 4, 5]  # no page has both


def test_split_words_are_reported(backend: Backend) -> None:
    kept(backend)
    asked = make_searcher(backend)
    results = asked.search(Query("Gerichtsverfahren lange"))
    assert results.split_words == (
        Diagnosis("split_word", word="Gerichtsverfahren", parts=("gericht", "verfahren")),
    )
    assert (
        asked.search(Query("Gerichtsverfahren OR gerichtsverfahren")).split_words
        == results.split_words
    )
    assert asked.search(Query("Gericht Verfahren")).split_words == ()
    assert asked.search(Query("Gerichtsverfahren site:b.org")).split_words == ()


def test_a_compound_may_have_three_parts(backend: Backend) -> None:
    text = "Die Verwaltung der Software ist schwer, denn ein Paket kommt selten allein."
    index_pages(backend, document(1, text, language="de"), document(2, "Software", language="de"))
    results = make_searcher(backend).search(Query("Softwarepaketverwaltung"))
    assert [hit.id for hit in results.hits] == [1]
    assert [one.params["parts"] for one in results.split_words] == [
        ("software", "paket", "verwaltung")
    ]


def test_filters_and_exclusions_apply_to_the_parts(backend: Backend) -> None:
    kept(backend)
    assert sorted_hit_ids(backend, "Gerichtsverfahren -Urteil") == []
    assert sorted_hit_ids(backend, "Herbst -Gerichtsverfahren") == [2]
    assert sorted_hit_ids(backend, "intitle:Gerichtsverfahren") == []
    assert sorted_hit_ids(backend, "Gerichtsverfahren OR Herbst") == [1, 2]


def test_a_known_compound_is_not_split(backend: Backend) -> None:
    kept(backend)
    assert sorted_hit_ids(backend, "Bohrmaschine") == [3]
    assert sorted_hit_ids(backend, "Bohr") == []
    assert sorted_hit_ids(backend, "Bohr*") == [3]
    assert sorted_hit_ids(backend, '"Gerichtsverfahren"') == []


def test_a_typo_is_corrected_rather_than_split(backend: Backend) -> None:
    fest = document(4, "Das Fest war laut, und die Plate lag auf dem Tisch.", language="de")
    index_pages(backend, fest, document(5, "Die Festplatte ist voll und laut.", language="de"))
    assert sorted_hit_ids(backend, "Festplate") == [5]


def test_all_parts_must_be_known_and_the_language_must_form_compounds(
    backend: Backend,
) -> None:
    kept(backend)
    assert split(backend, "gerichtsxyz", ["de"]) == ()
    assert split(backend, "gerichtsverfahren", ["en", "fr"]) == ()
    assert split(backend, "garten", ["de"]) == ()
    assert split(backend, "garten" * 100, ["de"]) == ()
