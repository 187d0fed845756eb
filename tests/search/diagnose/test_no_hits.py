"""Why is nothing found? What was asked of pages that none is, and what there is instead."""

from contract.backends import Backend
from search.making import FIFTY_CANDIDATES, document, index_pages, make_searcher

from byway.core.model import NoResultsReason, Query, UrlId
from byway.core.url import normalize
from byway.search.searcher import Searcher

SHOES = [
    document(1, "red shoes", published="2020-05-31", language="en"),
    document(2, "red shoes too", host="b.org", published="2024-01-01", language="en"),
    document(3, "rote schuhe red", language="de"),
    document(4, "red shoes", content_type="application/pdf", published="2021-02-03"),
]


def absent(backend: Backend, typed: str) -> tuple[NoResultsReason, ...]:
    return make_searcher(backend).search(Query(typed)).no_results_reasons


def test_what_no_page_is_like_is_named_with_what_there_is(backend: Backend) -> None:
    index_pages(backend, *SHOES)
    assert absent(backend, "red lang:French") == (NoResultsReason("language", "fr", ("de", "en")),)
    assert absent(backend, "red filetype:csv") == (NoResultsReason("type", "csv", ("html", "pdf")),)
    assert absent(backend, "red site:c.org") == (
        NoResultsReason("site", "c.org", ("a.org", "b.org")),
    )
    assert absent(backend, "red lang:de") == absent(backend, "unheard lang:de") == ()
    assert absent(backend, "unheard") == ()


def test_of_what_there_is_it_is_said_where_the_rest_of_the_question_is(backend: Backend) -> None:
    index_pages(backend, *SHOES, document(5, "grün", language="de", published="2019-01-01"))
    assert absent(backend, "shoes lang:de") == (
        NoResultsReason("language", "de", ("en",), cause="beside"),
    )
    typed = "schuhe site:b.org"
    assert absent(backend, typed) == (NoResultsReason("site", "b.org", ("a.org",), cause="beside"),)
    years = NoResultsReason("day", "… – 2019-12-31", ("2020", "2024"), cause="beside")
    assert absent(backend, "shoes before:2020") == (years,)
    # Without any one of these there is still no answer.
    assert absent(backend, "shoes lang:de filetype:csv site:b.org")[0].name == "type"
    assert absent(backend, "schuhe lang:en site:b.org") == ()


def test_filters_that_were_chosen_are_told_like_those_that_were_typed(backend: Backend) -> None:
    index_pages(backend, *SHOES)
    results = make_searcher(backend).search(Query("red", filters=('lang:"klingon"',)))
    assert results.no_results_reasons == (NoResultsReason("language", "klingon", ("de", "en")),)
    assert results.no_results_reasons[0].sentence == "No page here is in klingon; there are de, en."


def test_a_site_is_named_that_is_spelt_like_one_that_is_not_there(backend: Backend) -> None:
    hosts = [f"{name}.example" for name in ("lighthouse", "harbour", "mill", "pond", "village")]
    index_pages(backend, *(document(n, "red", host=host) for n, host in enumerate(hosts, 1)))
    (said,) = absent(backend, "red site:lighthuose.example")
    assert "lighthouse.example" in said.available and len(said.available) <= 3 and said.has_more


def test_a_time_in_which_no_page_is_is_told_with_the_years_there_are(backend: Backend) -> None:
    index_pages(backend, *SHOES)
    years = ("2020", "2024")
    before, after = absent(backend, "red before:1800") + absent(backend, "red after:2030-02")
    assert before == NoResultsReason("day", "… – 1799-12-31", years, cause="older")
    assert after == NoResultsReason("day", "2030-02-01 – …", years, cause="newer")
    assert before.sentence == "No page here is older than 2020."
    assert after.sentence == "No page here is newer than 2024."
    within = NoResultsReason("day", "… – 2020-04-30", years)
    assert absent(backend, "red before:2020-05") == (within,)
    between = NoResultsReason("day", "2022-01-01 – 2022-12-31", years)
    assert absent(backend, "red after:2022 before:2023") == (between,)
    no_date = "No page here has a date in 2022-01-01 – 2022-12-31"
    assert between.sentence == f"{no_date}; those that have one are of 2020 to 2024."


def test_what_no_title_has_is_told_with_how_many_pages_have_it_elsewhere(backend: Backend) -> None:
    index_pages(backend, *SHOES, document(5, "clogs", title="Wood"))
    (said,) = absent(backend, "intitle:shoes")
    assert said == NoResultsReason("title", "shoes", cause="elsewhere", elsewhere_count=3)
    assert said.sentence == "No title here has shoes; 3 pages have it elsewhere."
    (said,) = absent(backend, "inurl:clogs wood")
    assert said.sentence == "No URL here has clogs; 1 page has it elsewhere."
    (said,) = absent(backend, "intitle:zebra")
    assert said.sentence == "No title here has zebra."
    assert absent(backend, "intitle:wood zebra") == ()


def test_where_no_page_has_a_date_it_is_said(backend: Backend) -> None:
    index_pages(backend, document(1, "red"))
    assert absent(backend, "red after:2020") == (
        NoResultsReason("day", "2020-01-01 – …", cause="undated"),
    )


def test_where_only_pages_without_a_date_have_the_rest_it_is_said(backend: Backend) -> None:
    index_pages(backend, document(1, "red"), document(2, "blue", published="2024-01-01"))
    (said,) = absent(backend, "red after:2020")
    assert said == NoResultsReason("day", "2020-01-01 – …", cause="beside_undated")
    assert said.sentence.endswith("has the rest, as those that do have none.")


def test_it_is_said_why_no_page_is_beside_another(backend: Backend) -> None:
    index_pages(backend, *SHOES)
    nobody = "https://c.org/"
    assert absent(backend, "link:c.org") == (NoResultsReason("link", nobody, cause="unknown"),)
    assert absent(backend, "related:c.org") == (
        NoResultsReason("related", nobody, cause="unknown"),
    )
    assert absent(backend, "link:a.org/1") == (NoResultsReason("link", "https://a.org/1"),)
    (said,) = absent(backend, "red link:a.org/1")
    assert said.sentence == "No other page here links to https://a.org/1."


def test_it_is_said_why_nothing_is_like_a_page(backend: Backend) -> None:
    index_pages(backend, document(1, "unheard of"), document(2, "red shoes"))
    assert absent(backend, "related:a.org/1") == (NoResultsReason("related", "https://a.org/1"),)
    numbers = {normalize("http://a.org/9"): UrlId(9)}
    one = Searcher(
        FIFTY_CANDIDATES, backend.index, backend.documents, backend.ranks, find_url_id=numbers.get
    )
    unkept = NoResultsReason("related", "https://a.org/9", cause="unkept")
    assert one.search(Query("related:a.org/9")).no_results_reasons == (unkept,)


def test_of_many_sites_only_some_are_named(backend: Backend) -> None:
    index_pages(backend, *(document(n, "red", host=f"site{n}.org") for n in range(1, 12)))
    (absent,) = make_searcher(backend).search(Query("red site:c.org")).no_results_reasons
    assert (len(absent.available), absent.has_more) == (8, True)
