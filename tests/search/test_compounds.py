"""What is a long word made of?"""

from contract.backends import Backend
from search.making import document, found, keep

from byway.question import Reading
from byway.search.compounds import halves

TEXTS = (
    "Das Verfahren vor dem Gericht dauerte lange, und die Menschen warteten auf ein Urteil.",
    "Der Garten der Nachbarn ist gross, und im Herbst werden die Blumen dort nicht gegossen.",
    "Eine Bohrmaschine ist in der Werkstatt, und die Maschine dort ist nicht eingeschaltet.",
)


def kept(backend: Backend) -> None:
    keep(backend, *(document(n, text, language="de") for n, text in enumerate(TEXTS, 1)))


def test_a_compound_that_no_page_has_is_looked_for_by_its_halves(backend: Backend) -> None:
    kept(backend)
    assert found(backend, "Gerichtsverfahren") == [1]
    assert found(backend, "Blumengarten") == [2]
    assert Reading(("gericht",), 0.5) in halves("gerichtsverfahren", backend.index, ["en", "de"])


def test_one_that_some_page_has_is_taken_as_it_is(backend: Backend) -> None:
    kept(backend)
    assert found(backend, "Bohrmaschine") == [3]
    assert found(backend, "Bohr") == []
    assert found(backend, "Bohr*") == [3]
    assert found(backend, '"Gerichtsverfahren"') == []


def test_a_slip_in_a_word_that_pages_have_makes_no_compound_of_it(backend: Backend) -> None:
    fest = document(4, "Das Fest war laut, und die Plate lag auf dem Tisch.", language="de")
    keep(backend, fest, document(5, "Die Festplatte ist voll und laut.", language="de"))
    assert found(backend, "Festplate") == [5]


def test_both_halves_must_be_words_and_the_language_one_that_makes_compounds(
    backend: Backend,
) -> None:
    kept(backend)
    assert halves("gerichtsxyz", backend.index, ["de"]) == ()
    assert halves("gerichtsverfahren", backend.index, ["en", "fr"]) == ()
    assert halves("garten", backend.index, ["de"]) == ()
    assert halves("garten" * 100, backend.index, ["de"]) == ()
