"""Query warnings: invalid dates and mistyped operators."""

import pytest
from search.corpus import document, hit_ids, memory_searcher

from byway.core.messages import Diagnosis, text
from byway.core.model import Query
from byway.search.diagnose.query_warnings import find_query_warnings
from byway.search.query.parser import parse


@pytest.mark.parametrize(
    ("typed", "found", "correction"),
    [
        ("before:2024-13 apt", "before:2024-13", ""),
        ('apt AFTER:"next week"', 'AFTER:"next week"', ""),
        ("apt -after:tomorrow", "after:tomorrow", ""),
        ("filetyp:pdf apt", "filetyp:pdf", "filetype:pdf"),
        ('Intitel:"a b"', 'Intitel:"a b"', 'intitle:"a b"'),
        ("sites:a.org", "sites:a.org", "site:a.org"),
        ("-lnag:de", "lnag:de", "lang:de"),
    ],
)
def test_invalid_dates_and_mistyped_operators_are_found(
    typed: str, found: str, correction: str
) -> None:
    expected = (
        Diagnosis("operator_typo", typed=found, correction=correction)
        if correction
        else Diagnosis("invalid_date", typed=found)
    )
    assert find_query_warnings(typed, ()) == (expected,)


@pytest.mark.parametrize(
    "typed",
    [
        "lang:de before:2024 intitle:apt",
        "land:use line:42 site: size:42 note:this http://a.org",
        '"filetyp:pdf" af:ter',
    ],
)
def test_valid_operators_and_unlikely_values_are_no_typos(typed: str) -> None:
    assert find_query_warnings(typed, ()) == ()


def test_the_name_of_an_attribute_is_no_typo() -> None:
    assert find_query_warnings("sites:a.org", {"sites"}) == ()


def test_an_invalid_date_is_ignored() -> None:
    assert parse("before:2024-13 apt OR after:noon") == parse("apt")
    searcher = memory_searcher(document(1, "apt"), document(2, "before 2024 13"))
    assert hit_ids(searcher, "before:2024-13 apt") == [1]
    empty = searcher.search(Query("after:tomorrow"))
    assert empty.no_results_reasons == (Diagnosis("empty_query"),)
    (warning,) = searcher.search(Query("after:tomorrow apt")).query_warnings
    assert text(warning).startswith("after:tomorrow is not a date")


def test_a_mistyped_operator_is_reported_beside_its_hits() -> None:
    results = memory_searcher(document(1, "filetyp pdf")).search(Query("filetyp:pdf"))
    assert len(results.hits) == 1
    (warning,) = results.diagnoses
    assert text(warning) == "filetyp:pdf was treated as plain words. Did you mean filetype:pdf?"
