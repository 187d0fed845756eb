"""An operator is one entry: it is parsed, indexed, matched, diagnosed and shown from the table."""

import pytest
from contract.backends import Backend
from search.corpus import document, index_pages, make_searcher, sorted_hit_ids
from web.fake_site import READY_STATUS, HttpBrowser, page_links

from byway.app.mcp_tools import describe_tools
from byway.core.messages import Diagnosis, catalogue, text
from byway.core.model import Heading, Query, UrlId
from byway.core.model.query import Filter
from byway.core.operators import OPERATORS, Column, Operator
from byway.core.settings.schema import ServeSettings
from byway.core.verticals import FilterParam
from byway.index.analysis.document_analyzer import DocumentAnalyzer, analyze_uncompiled
from byway.web.app import make_app
from byway.web.pages.search import relaxed_query_urls
from byway.web.query_params import QueryParams
from byway.web.server import serve_in_thread

AUTHORS = Column("author", lambda document, _: document.author.lower().split(", "))
AUTHOR = Operator(
    name="author",
    example="author:ann",
    filter="author",
    parse=lambda value: Filter("author", value.lower()),
    column=AUTHORS,
    facet=AUTHORS,
    params=(FilterParam("author"),),
    diagnosis="by_author",
)
INHEADING = Operator(
    name="inheading", example="inheading:pears", field="heading", field_parts=("h1", "h2", "h4")
)
TEXTS = {
    "search.operators.author": "pages by this author",
    "search.operators.inheading": "pages with these words in a heading",
    "diagnosis.no_page_by_author": "No page here is by {value}. Authors: {available:list}.",
    "diagnosis.no_match_by_author": "No page by {value} matches. Authors: {available:list}.",
    "diagnosis.not_in_heading": "No heading here contains {value}.",
    "diagnosis.not_in_heading_elsewhere": "No heading here contains {value}, {count} pages do.",
    "diagnosis.lacks_word_in_heading": "No heading of the page contains {word}.",
    "web.facet.author": "Author",
    "web.filter.author": "author",
}
PAGES = [
    document(1, "red pears", author="Ann, Bob", headings=(Heading(1, "Red fruit"),)),
    document(2, "red plums", author="Bob", headings=(Heading(3, "Ripe pears"),)),
]


@pytest.fixture(autouse=True)
def operators(monkeypatch: pytest.MonkeyPatch) -> None:
    for operator in (AUTHOR, INHEADING):
        monkeypatch.setitem(OPERATORS, operator.name, operator)
    for key, words in TEXTS.items():
        monkeypatch.setitem(catalogue("en"), key, words)


def test_it_finds_and_filters(backend: Backend) -> None:
    index_pages(backend, *PAGES)
    assert sorted_hit_ids(backend, "author:Ann") == [1]
    assert sorted_hit_ids(backend, "red -author:ann") == [2]
    assert sorted_hit_ids(backend, "red author:(ann OR bob)") == [1, 2]
    assert sorted_hit_ids(backend, "red", filters=(Filter("author", "bob"),)) == [1, 2]
    assert sorted_hit_ids(backend, "pears") == [1]
    assert sorted_hit_ids(backend, "inheading:pears") == [2]
    assert sorted_hit_ids(backend, 'inheading:"red fruit" red') == [1]
    assert sorted_hit_ids(backend, "red -inheading:rip*") == [1]
    results = make_searcher(backend).search(Query("red", count_facets=True))
    assert results.facets["author"] == (("bob", 2), ("ann", 1))


def test_it_is_diagnosed(backend: Backend) -> None:
    index_pages(backend, *PAGES)
    searcher = make_searcher(backend)

    def reasons(typed: str) -> list[str]:
        return [*map(text, searcher.search(Query(typed)).no_results_reasons)]

    assert reasons("author:eve") == ["No page here is by eve. Authors: ann, bob."]
    assert reasons("plums author:ann") == ["No page by ann matches. Authors: bob."]
    assert reasons("inheading:plums") == ["No heading here contains plums, 1 pages do."]
    assert reasons("inheading:zebra") == ["No heading here contains zebra."]
    found = searcher.explain_mismatch("author:ann inheading:red", UrlId(2)).diagnoses(PAGES[1])
    assert found == (
        Diagnosis("excluded_by_clause", clause="author:ann"),
        Diagnosis("lacks_word_in_heading", word="red"),
    )
    (typo,) = searcher.search(Query("autor:ann")).query_warnings
    assert typo.params["correction"] == "author:ann"


def test_it_is_shown(backend: Backend) -> None:
    index_pages(backend, *PAGES)
    app = make_app(make_searcher(backend).search, lambda: READY_STATUS, ServeSettings())
    with serve_in_thread(app, "127.0.0.1", 0) as url:
        browser = HttpBrowser(url)
        page = browser.get("/search", q="red").text
        assert page_links(page, "<aside", "</aside>")["ann 1"] == "/search?q=red&author=ann"
        page = browser.get("/search", q="red", author="ann").text
        found = page_links(page, '<ul class="chips"', "</ul>")
        assert found["Remove filter author: ann ×"] == "/search?q=red"
        reply = browser.get("/api/v1/search", q="red", author="ann").json
        assert [hit["url"] for hit in reply["hits"]] == ["http://a.org/1"]
        page = browser.get("/search", q="inheading:zebra").text
        assert ">Search whole pages, without intitle:, inurl:, inheading:</a>" in page
    urls = relaxed_query_urls(QueryParams("inheading:red pears"))
    assert urls == {"title": "/search?q=red+pears"}
    assert "author:ann (pages by this author)" in str(describe_tools())


def test_its_field_is_analyzed_by_compiled_code() -> None:
    compiled = DocumentAnalyzer(True, max_uncompiled=0)
    for page, analyzed in compiled.analyze((page, ()) for page in PAGES):
        expected = analyze_uncompiled(page)
        assert list(map(str.split, analyzed.terms_by_field["h1"])) == list(
            map(str.split, expected.terms_by_field["h1"])
        )
        assert analyzed.codes.tolist() == expected.codes.tolist()
