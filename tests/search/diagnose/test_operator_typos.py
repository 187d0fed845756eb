"""Is it said what was likely meant otherwise? Days that are none, operators with a slip."""

import pytest
from search.making import document, ids, in_memory

from byway.core.model import Misread, Query
from byway.search.diagnose.operator_typos import misread
from byway.search.query.parser import parse


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("before:2024-13 apt", Misread("before:2024-13")),
        ('apt AFTER:"next week"', Misread('AFTER:"next week"')),
        ("apt -after:tomorrow", Misread("after:tomorrow")),
        ("filetyp:pdf apt", Misread("filetyp:pdf", "filetype:pdf")),
        ('Intitel:"a b"', Misread('Intitel:"a b"', 'intitle:"a b"')),
        ("sites:a.org", Misread("sites:a.org", "site:a.org")),
        ("-lnag:de", Misread("lnag:de", "lang:de")),
        ("lang:de before:2024 intitle:apt", None),
        ("land:use line:42 site: size:42 note:this http://a.org", None),
        ('"filetyp:pdf" af:ter', None),
    ],
)
def test_what_is_likely_meant_otherwise_is_told(typed: str, told: Misread | None) -> None:
    assert misread(typed, ()) == ((told,) if told else ())


def test_what_goods_are_asked_by_is_no_slip() -> None:
    assert misread("sites:a.org", {"sites"}) == ()


def test_a_day_that_is_none_is_left_out_of_the_question() -> None:
    assert parse("before:2024-13 apt OR after:noon") == parse("apt")
    searcher = in_memory(document(1, "apt"), document(2, "before 2024 13"))
    assert ids(searcher, "before:2024-13 apt") == [1]
    assert searcher.search(Query("after:tomorrow")).says_nothing
    (told,) = searcher.search(Query("after:tomorrow apt")).misread
    assert told.sentence == "after:tomorrow is no day: use 2024-05-31, 2024-05 or 2024."


def test_a_name_with_a_slip_is_told_beside_what_is_found() -> None:
    results = in_memory(document(1, "filetyp pdf")).search(Query("filetyp:pdf"))
    assert len(results.hits) == 1
    (told,) = results.misread
    assert told.sentence == "filetyp:pdf is read as words: did you mean filetype:pdf?"
