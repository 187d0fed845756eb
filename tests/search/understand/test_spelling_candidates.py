"""Spelling correction."""

import pytest
from contract.backends import Backend
from search.corpus import (
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


def test_an_unknown_word_is_corrected(backend: Backend) -> None:
    index_pages(backend, *MANY, (40, "a movement"))
    results = make_searcher(backend).search(Query("goverment"))
    assert results.total == 30
    assert results.did_you_mean == "government"
    (hit, *_) = results.hits
    assert ("government", True) in hit.snippet


def test_pages_with_the_typed_word_come_before_corrections(backend: Backend) -> None:
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
def test_a_correction_is_suggested(backend: Backend, typed: str, meant: str) -> None:
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
def test_a_prefix_of_longer_words_is_suggested_as_a_prefix_search(
    backend: Backend, typed: str, meant: str
) -> None:
    index_pages(backend, *BAKED)
    assert make_searcher(backend).search(Query(typed)).did_you_mean == meant


def test_a_suggested_prefix_search_finds_pages(backend: Backend) -> None:
    index_pages(backend, *BAKED)
    assert sorted_hit_ids(backend, "Streusel") == []
    assert sorted_hit_ids(backend, "Streusel*") == [2]


def test_frequent_words_are_no_typos(backend: Backend) -> None:
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
def test_a_typo_is_corrected_by_its_stem(backend: Backend, typed: str, meant: str) -> None:
    index_pages(backend, (1, "zeppelins and other airships in libraries"))
    results = make_searcher(backend).search(Query(typed))
    assert results.did_you_mean == meant
    assert results.total == (typed != "airs")


def test_a_similar_prefix_alone_is_no_stem_match(backend: Backend) -> None:
    index_pages(backend, (1, "the airshipbuilders of old"))
    assert sorted_hit_ids(backend, "airshp") == []


GERMAN = [
    document(n, f"Das ist auch so, und die {n} Leute sind am Bach.", language="de")
    for n in range(1, 31)
]


def test_stop_words_are_not_suggested(backend: Backend) -> None:
    index_pages(backend, *GERMAN)
    results = make_searcher(backend).search(Query("Ruch"))
    assert (results.total, results.did_you_mean) == (0, "")
    both = make_searcher(backend).search(Query("Ruch Leute"))
    assert (both.total, both.did_you_mean) == (30, "")


def test_a_word_with_another_form_on_pages_is_no_typo(backend: Backend) -> None:
    index_pages(backend, *GERMAN, document(40, "Die Bücher der Reise", language="de"))
    results = make_searcher(backend).search(Query("Buch"))
    assert ([hit.id for hit in results.hits], results.did_you_mean) == ([40], "")


def test_the_number_of_corrected_words_is_limited(backend: Backend) -> None:
    index_pages(backend, *MANY, (40, "one two three four five six seven eight nine ten"))
    known = "one OR two OR three OR four OR five OR six OR seven OR eight OR nine OR ten"
    unknown = " OR ".join(f"xyzzy{letter * 4}" for letter in "abcdefgh")
    search = make_searcher(backend).search
    assert "village" in search(Query(f"{known} OR vilage")).did_you_mean
    assert search(Query(f"{unknown} OR vilage")).did_you_mean == ""


def test_typo_tolerance_can_be_switched_off() -> None:
    quiet = memory_searcher(*MANY, settings=SearchSettings(typo_tolerance=False))
    assert hit_ids(quiet, "goverment") == []


def test_a_prefix_finds_words_whatever_their_stem(backend: Backend) -> None:
    index_pages(backend, (1, "running shoes"), (2, "ran home"), (3, "runs"), (4, "a runner"))
    assert sorted_hit_ids(backend, "runn*") == [1, 3, 4]
    assert sorted_hit_ids(backend, "runni*") == [1, 3]
    assert sorted_hit_ids(backend, "xyz*") == []


def test_the_title_of_the_best_hit_decides_between_corrections(backend: Backend) -> None:
    index_pages(
        backend,
        *((n, "what people need") for n in range(1, 9)),
        document(20, "a transaction that can read", "Repeatable Read"),
    )
    asked = make_searcher(backend)
    assert asked.search(Query("repetable reed")).did_you_mean == "repeatable read"
    assert asked.search(Query("reed")).did_you_mean == "need"
