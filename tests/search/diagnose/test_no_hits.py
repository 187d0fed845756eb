"""Diagnosis of queries without hits: filters that no page passes, and the available values."""

from contract.backends import Backend
from search.corpus import document, filters, index_pages, make_searcher

from byway.core.messages import Diagnosis, languages, speaking, text
from byway.core.model import Query, UrlId
from byway.core.ports import PageLinks
from byway.core.url import url_hash

SHOES = [
    document(1, "red shoes", published="2020-05-31", language="en"),
    document(2, "red shoes too", host="b.org", published="2024-01-01", language="en"),
    document(3, "rote schuhe red", language="de"),
    document(4, "red shoes", content_type="application/pdf", published="2021-02-03"),
]
YEARS = ("2020", "2024")


def reasons(backend: Backend, typed: str) -> tuple[Diagnosis, ...]:
    return make_searcher(backend).search(Query(typed)).no_results_reasons


def unmatched(code: str, filter: str, value: str, *available: str) -> Diagnosis:
    return Diagnosis(code, filter=filter, value=value, available=available, has_more=False)


def test_a_filter_that_no_page_passes_is_reported_with_the_available_values(
    backend: Backend,
) -> None:
    index_pages(backend, *SHOES)
    french = unmatched("no_page_in_language", "language", "fr", "de", "en")
    assert reasons(backend, "red lang:French") == (french,)
    csv = unmatched("no_page_of_type", "type", "csv", "html", "pdf")
    assert reasons(backend, "red filetype:csv") == (csv,)
    site = unmatched("no_page_on_site", "site", "c.org", "a.org", "b.org")
    assert reasons(backend, "red site:c.org") == (site,)
    assert reasons(backend, "red lang:de") == reasons(backend, "unheard lang:de") == ()
    assert reasons(backend, "unheard") == ()


def test_a_filter_that_blocks_the_matches_is_reported_with_the_values_of_the_matches(
    backend: Backend,
) -> None:
    index_pages(backend, *SHOES, document(5, "grün", language="de", published="2019-01-01"))
    german = unmatched("no_match_in_language", "language", "de", "en")
    assert reasons(backend, "shoes lang:de") == (german,)
    site = unmatched("no_match_on_site", "site", "b.org", "a.org")
    assert reasons(backend, "schuhe site:b.org") == (site,)
    years = unmatched("no_match_in_period", "day", "… – 2019-12-31", *YEARS)
    assert reasons(backend, "shoes before:2020") == (years,)
    # Dropping any one of these leaves no match either.
    first = reasons(backend, "shoes lang:de filetype:csv site:b.org")[0]
    assert first.params["filter"] == "type"
    assert reasons(backend, "schuhe lang:en site:b.org") == ()


def test_selected_filters_are_reported_like_typed_ones(backend: Backend) -> None:
    index_pages(backend, *SHOES)
    results = make_searcher(backend).search(Query("red", filters=filters("lang:klingon")))
    (reason,) = results.diagnoses
    assert reason == unmatched("no_page_in_language", "language", "klingon", "de", "en")
    assert text(reason) == (
        "No indexed page is in this language: klingon. Available languages: de, en."
    )


def test_a_filter_is_reported_without_values_if_there_are_none(backend: Backend) -> None:
    index_pages(backend, document(1, "red"))
    (reason,) = reasons(backend, "red lang:de")
    assert reason == Diagnosis("no_page_for_filter", filter="language", value="de", typed="lang:de")
    assert text(reason) == "No indexed page matches lang:de."


def test_a_site_with_a_similar_name_is_listed(backend: Backend) -> None:
    hosts = [f"{name}.example" for name in ("lighthouse", "harbour", "mill", "pond", "village")]
    index_pages(backend, *(document(n, "red", host=host) for n, host in enumerate(hosts, 1)))
    (reason,) = reasons(backend, "red site:lighthuose.example")
    available = reason.params["available"]
    assert isinstance(available, tuple)
    assert "lighthouse.example" in available and len(available) <= 3 and reason.params["has_more"]


def test_a_period_without_pages_is_reported_with_the_years_of_the_pages(backend: Backend) -> None:
    index_pages(backend, *SHOES)
    before, after = reasons(backend, "red before:1800") + reasons(backend, "red after:2030-02")
    assert (before.code, before.params["year"]) == ("no_page_before", "2020")
    assert (after.code, after.params["year"]) == ("no_page_after", "2024")
    assert before.params["available"] == after.params["available"] == YEARS
    assert text(before) == "No indexed page is older than 2020."
    within = unmatched("no_page_in_period", "day", "… – 2020-04-30", *YEARS)
    assert reasons(backend, "red before:2020-05") == (within,)
    between = unmatched("no_page_in_period", "day", "2022-01-01 – 2022-12-31", *YEARS)
    assert reasons(backend, "red after:2022 before:2023") == (between,)
    assert text(between).endswith("2022-01-01 – 2022-12-31. Pages with a date are from 2020–2024.")


def test_a_word_that_no_title_has_is_reported_with_the_pages_that_have_it_elsewhere(
    backend: Backend,
) -> None:
    index_pages(backend, *SHOES, document(5, "clogs", title="Wood"))
    (reason,) = reasons(backend, "intitle:shoes")
    assert reason == Diagnosis("not_in_title_elsewhere", filter="title", value="shoes", count=3)
    assert text(reason) == "No page title contains shoes, but 3 pages contain it elsewhere."
    (reason,) = reasons(backend, "inurl:clogs wood")
    assert text(reason) == "No page URL contains clogs, but 1 page contains it elsewhere."
    (reason,) = reasons(backend, "intitle:zebra")
    assert reason == Diagnosis("not_in_title", filter="title", value="zebra")
    assert reasons(backend, "intitle:wood zebra") == ()


def test_a_collection_without_dates_is_reported(backend: Backend) -> None:
    index_pages(backend, document(1, "red"))
    undated = Diagnosis("no_dated_page", filter="day", value="2020-01-01 – …")
    assert reasons(backend, "red after:2020") == (undated,)


def test_matches_without_dates_are_reported(backend: Backend) -> None:
    index_pages(backend, document(1, "red"), document(2, "blue", published="2024-01-01"))
    undated = Diagnosis("no_dated_match", filter="day", value="2020-01-01 – …")
    assert reasons(backend, "red after:2020") == (undated,)


def test_a_page_without_inlinks_is_reported(backend: Backend) -> None:
    index_pages(backend, *SHOES)
    unknown = "https://c.org/"
    target = Diagnosis("link_target_unknown", filter="link", value=unknown)
    assert reasons(backend, "link:c.org") == (target,)
    related = Diagnosis("related_page_unknown", filter="related", value=unknown)
    assert reasons(backend, "related:c.org") == (related,)
    no_inlinks = Diagnosis("no_inlinks", filter="link", value="https://a.org/1")
    assert reasons(backend, "link:a.org/1") == (no_inlinks,)
    assert reasons(backend, "red link:a.org/1") == (no_inlinks,)


def test_a_page_without_similar_pages_is_reported(backend: Backend) -> None:
    index_pages(backend, document(1, "unheard of"), document(2, "red shoes"))
    no_related = Diagnosis("no_related_page", filter="related", value="https://a.org/1")
    assert reasons(backend, "related:a.org/1") == (no_related,)
    links = PageLinks(target_hashes=(url_hash("http://a.org/9"),))
    backend.index.add([document(2, "red shoes")], {UrlId(2): links})
    backend.index.commit(3)
    not_stored = Diagnosis("related_page_not_stored", filter="related", value="https://a.org/9")
    assert reasons(backend, "related:a.org/9") == (not_stored,)


def test_of_many_sites_some_are_listed(backend: Backend) -> None:
    index_pages(backend, *(document(n, "red", host=f"site{n}.org") for n in range(1, 12)))
    (reason,) = reasons(backend, "red site:c.org")
    available = reason.params["available"]
    assert isinstance(available, tuple)
    assert (len(available), reason.params["has_more"]) == (8, True)
    assert text(reason).endswith(" and others.")
    for language in languages():
        with speaking(language):
            assert "c.org" in text(reason)
