"""Page mismatch: the parts of a query that a page does not match."""

import pytest
from contract.backends import Backend
from search.corpus import document, index_pages, make_searcher

from byway.core.messages import Diagnosis, languages, speaking, text
from byway.core.model import UrlId

PAGE = document(
    1, "the search index keeps lists", title="Lists", language="en", published="2024-05-31"
)
OTHERS = [
    document(2, "index of zebras", host="b.org", language="de"),
    document(3, "gelbe zebra listen", language="de", content_type="application/pdf"),
]
GERMAN = Diagnosis("excluded_by_language", clause="lang:de", value="en")
TYPO = Diagnosis("read_as", typed="indx", correction="index")


def mismatches(backend: Backend, typed: str, id: int = 1) -> list[Diagnosis]:
    page = backend.documents.get(UrlId(id))
    return list(make_searcher(backend).explain_mismatch(typed, UrlId(id)).diagnoses(page))


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("lang:de index", [GERMAN]),
        (
            "filetype:pdf index",
            [Diagnosis("excluded_by_type", clause="filetype:pdf", value="html")],
        ),
        ("site:b.org index", [Diagnosis("excluded_by_site", clause="site:b.org", value="a.org")]),
        (
            "index before:2020",
            [Diagnosis("excluded_by_date", period="… – 2019-12-31", date="2024-05-31")],
        ),
        ("index zebra", [Diagnosis("lacks_word", word="zebra")]),
        ("index -lists", [Diagnosis("excluded_by_clause", clause="-lists")]),
        ("intitle:index", [Diagnosis("lacks_word_in_title", word="index")]),
        ('"index search"', [Diagnosis("lacks_word", word='"index search"')]),
        ("indx lists", [TYPO]),
        ("indx lang:de", [GERMAN, TYPO]),
        (
            "zebra OR pdf",
            [Diagnosis("lacks_word", word="zebra"), Diagnosis("lacks_word", word="pdf")],
        ),
        ("zebra OR index lang:en", []),
    ],
)
def test_the_parts_that_a_page_does_not_match_are_found(
    backend: Backend, typed: str, expected: list[Diagnosis]
) -> None:
    index_pages(backend, PAGE, *OTHERS)
    assert mismatches(backend, typed) == expected
    for language in languages():
        with speaking(language):
            assert all(map(text, expected))


def test_a_page_without_language_or_date_is_reported(backend: Backend) -> None:
    index_pages(backend, document(1, "lists"), *OTHERS)
    found = mismatches(backend, "lists lang:de after:2020")
    assert [one.code for one in found] == ["excluded_without_date", "excluded_by_unknown_language"]
