"""Why is a page not found, or not first? What of the question it does not have."""

import pytest
from contract.backends import Backend
from search.making import document, index_pages, make_searcher

from byway.core.model import UrlId

PAGE = document(
    1, "the search index keeps lists", title="Lists", language="en", published="2024-05-31"
)
OTHERS = [
    document(2, "index of zebras", host="b.org", language="de"),
    document(3, "gelbe zebra listen", language="de", content_type="application/pdf"),
]


def lacks(backend: Backend, typed: str, id: int = 1) -> list[str]:
    page = backend.documents.get(UrlId(id))
    return make_searcher(backend).explain_mismatch(typed, UrlId(id)).sentences(page)


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("lang:de index", ["lang:de leaves it out: it is in en"]),
        ("filetype:pdf index", ["filetype:pdf leaves it out: it is of type html"]),
        ("site:b.org index", ["site:b.org leaves it out: it is of a.org"]),
        ("index before:2020", ["the time … – 2019-12-31 leaves it out: it is of 2024-05-31"]),
        ("index zebra", ["it has no zebra"]),
        ("index -lists", ["-lists leaves it out"]),
        ("intitle:index", ["it has no index in its title"]),
        ('"index search"', ['it has no "index search"']),
        ("indx lists", ["indx is read as index"]),
        ("indx lang:de", ["lang:de leaves it out: it is in en", "indx is read as index"]),
        ("zebra OR pdf", ["it has no zebra", "it has no pdf"]),
        ("zebra OR index lang:en", []),
    ],
)
def test_it_is_said_what_a_page_lacks(backend: Backend, typed: str, told: list[str]) -> None:
    index_pages(backend, PAGE, *OTHERS)
    assert lacks(backend, typed) == told


def test_a_page_without_language_or_date_is_said_to_be(backend: Backend) -> None:
    index_pages(backend, document(1, "lists"), *OTHERS)
    told = ["it has no date", "its language is not known"]
    said = lacks(backend, "lists lang:de after:2020")
    assert [one.partition(": ")[2] for one in said] == told
