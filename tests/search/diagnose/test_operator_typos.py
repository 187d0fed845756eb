"""Is it said what was likely meant otherwise? Days that are none, operators with a slip."""

import pytest
from search.making import document, hit_ids, memory_searcher

from byway.core.model import OperatorTypo, Query
from byway.search.diagnose.operator_typos import find_operator_typos
from byway.search.query.parser import parse


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("before:2024-13 apt", OperatorTypo("before:2024-13")),
        ('apt AFTER:"next week"', OperatorTypo('AFTER:"next week"')),
        ("apt -after:tomorrow", OperatorTypo("after:tomorrow")),
        ("filetyp:pdf apt", OperatorTypo("filetyp:pdf", "filetype:pdf")),
        ('Intitel:"a b"', OperatorTypo('Intitel:"a b"', 'intitle:"a b"')),
        ("sites:a.org", OperatorTypo("sites:a.org", "site:a.org")),
        ("-lnag:de", OperatorTypo("lnag:de", "lang:de")),
        ("lang:de before:2024 intitle:apt", None),
        ("land:use line:42 site: size:42 note:this http://a.org", None),
        ('"filetyp:pdf" af:ter', None),
    ],
)
def test_what_is_likely_meant_otherwise_is_told(typed: str, told: OperatorTypo | None) -> None:
    assert find_operator_typos(typed, ()) == ((told,) if told else ())


def test_what_goods_are_asked_by_is_no_slip() -> None:
    assert find_operator_typos("sites:a.org", {"sites"}) == ()


def test_a_day_that_is_none_is_left_out_of_the_question() -> None:
    assert parse("before:2024-13 apt OR after:noon") == parse("apt")
    searcher = memory_searcher(document(1, "apt"), document(2, "before 2024 13"))
    assert hit_ids(searcher, "before:2024-13 apt") == [1]
    assert searcher.search(Query("after:tomorrow")).nothing_to_match
    (told,) = searcher.search(Query("after:tomorrow apt")).operator_typos
    assert told.sentence == "after:tomorrow is no day: use 2024-05-31, 2024-05 or 2024."


def test_a_name_with_a_slip_is_told_beside_what_is_found() -> None:
    results = memory_searcher(document(1, "filetyp pdf")).search(Query("filetyp:pdf"))
    assert len(results.hits) == 1
    (told,) = results.operator_typos
    assert told.sentence == "filetyp:pdf is read as words: did you mean filetype:pdf?"
