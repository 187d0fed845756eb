"""Was it spelt as it is here?"""

import pytest
from contract.backends import Backend
from search.making import (
    document,
    hit_ids,
    index_pages,
    make_searcher,
    memory_searcher,
    sorted_hit_ids,
)

from byway.core.model import Query
from byway.core.settings.schema import SearchSettings

MANY = [(n, "the government of the village") for n in range(1, 31)]


def test_a_word_that_no_page_has_is_read_as_the_one_that_is_meant(backend: Backend) -> None:
    index_pages(backend, *MANY, (40, "a movement"))
    results = make_searcher(backend).search(Query("goverment"))
    assert results.total == 30
    assert results.did_you_mean == "government"
    (hit, *_) = results.hits
    assert ("government", True) in hit.snippet


def test_what_was_typed_comes_before_what_may_be_meant(backend: Backend) -> None:
    index_pages(backend, *MANY, (40, "the goverment of the village"))
    results = make_searcher(backend).search(Query("goverment"))
    assert results.total == 31
    assert results.hits[0].id == 40
    assert results.did_you_mean == "government"


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("goverment", "government"),
        ("govrement", "government"),  # one lost and two swapped
        ("Villaeg goverment", "village government"),
        ("viillage", "village"),
        ("vilage*", ""),  # who types a star knows what comes before it
        ('"goverment"', '"government"'),  # where it finds nothing
        ('"of the vilage" goverment', '"of the village" government'),
        ('"village goverment"', ""),  # mended it would find nothing, either
        ("goverment villag", "government village"),  # a stem is no word
        ("goverment villages", "government villages"),
        ("villag", ""),
        ("village", ""),
        ("vlg", ""),
        ("1government", ""),
        ("nothing like it", ""),
        ("intitle:goverment", "intitle:government"),
        ("-goverment village", ""),
        ("(goverment OR vilage) the", "(government OR village) the"),
    ],
)
def test_a_likelier_spelling_is_offered(backend: Backend, typed: str, meant: str) -> None:
    index_pages(backend, *MANY)
    assert make_searcher(backend).search(Query(typed)).did_you_mean == meant


BAKED = [
    document(1, "ein Apfelkuchenrezept", language="de"),
    document(2, "Streuselkuchen und Schlüsselbund", language="de"),
    document(3, "a stressed cook", language="en"),
]


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("Apfelkuchen", "Apfelkuchen*"),
        ("Streusel, backen", "Streusel* backen"),
        ("intitle:Streusel", "intitle:Streusel*"),
        ("Streu", "Streu*"),
        ("Stresed", "stressed"),
        ("stre", ""),
        ('"Streusel"', ""),
        ("Schlusselbnd", "Schlüsselbund"),
    ],
)
def test_what_begins_other_words_is_offered_as_a_beginning(
    backend: Backend, typed: str, meant: str
) -> None:
    index_pages(backend, *BAKED)
    assert make_searcher(backend).search(Query(typed)).did_you_mean == meant


def test_a_beginning_that_is_offered_finds_pages(backend: Backend) -> None:
    index_pages(backend, *BAKED)
    assert sorted_hit_ids(backend, "Streusel") == []
    assert sorted_hit_ids(backend, "Streusel*") == [2]


def test_frequent_words_are_not_taken_for_slips(backend: Backend) -> None:
    index_pages(backend, *MANY, *((n, "the governments") for n in range(40, 50)))
    results = make_searcher(backend).search(Query("governments"))
    assert results.did_you_mean == ""


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("zepelins", "zeppelins"),
        ("zepelin", "zeppelins"),
        ("zeppeln", "zeppelins"),
        ("zeppelin", ""),  # the page has it, in another form
        ("airshp", "airships"),
        ("airsihp", "airships"),
        ("libary", "libraries"),
        ("airs", ""),
    ],
)
def test_a_slip_is_seen_through_where_pages_have_only_another_form(
    backend: Backend, typed: str, meant: str
) -> None:
    index_pages(backend, (1, "zeppelins and other airships in libraries"))
    results = make_searcher(backend).search(Query(typed))
    assert results.did_you_mean == meant
    assert results.total == (typed != "airs")


def test_words_that_only_begin_nearly_alike_are_not_taken_for_forms(backend: Backend) -> None:
    index_pages(backend, (1, "the airshipbuilders of old"))
    assert sorted_hit_ids(backend, "airshp") == []


GERMAN = [
    document(n, f"Das ist auch so, und die {n} Leute sind am Bach.", language="de")
    for n in range(1, 31)
]


def test_words_that_say_little_are_not_offered(backend: Backend) -> None:
    index_pages(backend, *GERMAN)
    results = make_searcher(backend).search(Query("Ruch"))
    assert (results.total, results.did_you_mean) == (0, "")
    both = make_searcher(backend).search(Query("Ruch Leute"))
    assert (both.total, both.did_you_mean) == (30, "")


def test_a_word_that_pages_have_in_another_form_is_no_slip(backend: Backend) -> None:
    index_pages(backend, *GERMAN, document(40, "Die Bücher der Reise", language="de"))
    results = make_searcher(backend).search(Query("Buch"))
    assert ([hit.id for hit in results.hits], results.did_you_mean) == ([40], "")


def test_only_so_many_unknown_words_of_a_query_are_looked_at(backend: Backend) -> None:
    index_pages(backend, *MANY, (40, "one two three four five six seven eight nine ten"))
    known = "one OR two OR three OR four OR five OR six OR seven OR eight OR nine OR ten"
    unknown = " OR ".join(f"xyzzy{letter * 4}" for letter in "abcdefgh")
    search = make_searcher(backend).search
    assert "village" in search(Query(f"{known} OR vilage")).did_you_mean
    assert search(Query(f"{unknown} OR vilage")).did_you_mean == ""


def test_it_can_be_switched_off() -> None:
    quiet = memory_searcher(*MANY, settings=SearchSettings(typo_tolerance=False))
    assert hit_ids(quiet, "goverment") == []


def test_the_beginning_of_a_word_finds_it_whatever_its_stem(backend: Backend) -> None:
    index_pages(backend, (1, "running shoes"), (2, "ran home"), (3, "runs"), (4, "a runner"))
    assert sorted_hit_ids(backend, "runn*") == [1, 3, 4]
    assert sorted_hit_ids(backend, "runni*") == [1, 3]
    assert sorted_hit_ids(backend, "xyz*") == []


def test_of_spellings_as_near_the_one_beside_the_other_words_is_offered(backend: Backend) -> None:
    index_pages(
        backend,
        *((n, "what people need") for n in range(1, 9)),
        document(20, "a transaction that can read", "Repeatable Read"),
    )
    asked = make_searcher(backend)
    assert asked.search(Query("repetable reed")).did_you_mean == "repeatable read"
    assert asked.search(Query("reed")).did_you_mean == "need"
