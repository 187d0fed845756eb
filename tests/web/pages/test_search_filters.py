"""Results are narrowed down, ordered and explained; all of it is in the URL."""

import pytest
from web.fake_site import READY_STATUS, HttpBrowser, page_links

from byway.core.model import Query, Results
from byway.core.model.query import Filter
from byway.core.settings.schema import ServeSettings
from byway.web.app import make_app
from byway.web.query_params import QueryParams, parse_query_params
from byway.web.server import serve_in_thread


def test_facets_link_to_filtered_results(browser: HttpBrowser) -> None:
    page = browser.get("/search", q="rich", limit=20).text
    found = page_links(page, "<aside", "</aside>")
    assert found["example.org 5"] == "/search?q=rich&site=example.org&limit=20"
    assert found["PDF 1"] == "/search?q=rich&type=pdf&limit=20"
    assert found["2024 3"] == "/search?q=rich&year=2024&limit=20"
    assert found["Verst 1"] == "/search?q=rich+brand%3A%22Verst%22&limit=20"
    assert found["Newest first"] == "/search?q=rich&limit=20&sort=date"
    assert found["Cheapest first"] == "/search?q=rich&limit=20&sort=price"
    assert found["50"] == "/search?q=rich&limit=50"
    assert found["Show duplicates"] == "/search?q=rich&limit=20&include_duplicates=1"
    assert "English 5" not in found, "there is no other"
    assert "<b>Acme" not in page


def test_an_active_filter_can_be_removed(browser: HttpBrowser) -> None:
    page = browser.get("/search", q="rich", site="example.org", lang="en", sort="date").text
    found = page_links(page, '<ul class="chips"', "</ul>")
    assert found == {
        "Remove filter site: example.org ×": "/search?q=rich&lang=en&sort=date",
        "Remove filter language: English ×": "/search?q=rich&site=example.org&sort=date",
        "Clear all": "/search?q=rich&sort=date",
    }
    assert '<input type="hidden" name="site" value="example.org">' in page


def test_a_hit_has_its_links(browser: HttpBrowser) -> None:
    page = browser.get("/search", q="rich").text
    found = page_links(page, '<li class="hit">', "<details>")
    url = "https://example.org/guide/first%20steps?lang=en"
    assert found["How to <i>begin</i>"] == f"{url}#be%22gin"
    assert found["Steps"] == f"{url}#%D1%88%D0%B0%D0%B3%D0%B8"
    assert found["7 more from example.org"] == "/search?q=rich&site=example.org"
    assert found["example.org › guide"] == "https://example.org/guide/"
    assert found["Similar for First steps"].startswith("/search?q=related%3Ahttps")
    assert "1,250.50\xa0EUR" in page
    assert "1\u202f250,50\xa0EUR" in browser.get("/search", q="rich", ui="ru").text
    assert "The words occur in the title, the text (3 times)." in page
    assert page.count(" 0v8") == 3


def test_a_spelling_correction_is_offered(browser: HttpBrowser) -> None:
    page = browser.get("/search", q="rich").text
    assert page_links(page, '<p class="did-you-mean"', "</p>") == {
        "rice <b>": "/search?q=rice+%3Cb%3E"
    }


def test_parameters_become_filters() -> None:
    asked: list[Query] = []

    def search(query: Query) -> Results:
        asked.append(query)
        return Results(query, (), 0)

    target = "q=a&site=x.org&site=y.org&lang=de&type=pdf&year=2024&sort=date&include_duplicates=1"
    with serve_in_thread(
        make_app(search, lambda: READY_STATUS, ServeSettings()), "127.0.0.1", 0
    ) as url:
        assert HttpBrowser(url).request(f"/search?{target}").status == 200
        assert HttpBrowser(url).request(f"/api/v1/search?{target}").status == 200
        assert HttpBrowser(url).request("/search?q=&site=%22%20OR%20x%00.org").status == 200
    filters = (
        *(Filter("site", "x.org"), Filter("site", "y.org"), Filter("language", "de")),
        *(Filter("type", "pdf"), Filter("day", minimum=19723, maximum=20088)),
    )
    page = Query("a", filters=filters, sort="date", count_facets=True, include_duplicates=True)
    assert asked[0] == page
    assert asked[1].filters == filters and not asked[1].count_facets
    assert asked[2].filters == (Filter("site", '" or x .org'),), "nothing typed in a filter ends it"


@pytest.mark.parametrize("target", ["sort=size", "year=soon", "after=x", "before=%00"])
def test_an_invalid_parameter_is_rejected(browser: HttpBrowser, target: str) -> None:
    reply = browser.request(f"/search?q=first&{target}")
    assert reply.status == (200 if target.endswith("%00") else 400)


def test_no_results_with_filters_offers_to_remove_them(browser: HttpBrowser) -> None:
    page = browser.get("/search", q="no", type="pdf").text
    assert '<a href="/search?q=no">Remove all filters.</a>' in page
    assert "<bdi>https://example.org/</bdi>" in page


def test_year_filters_replace_and_site_filters_add_up() -> None:
    asked = QueryParams("a").with_filter("year", "2023").with_filter("year", "2024")
    assert asked.filters == (("year", "2024"),)
    assert asked.with_filter("site", "a.org").without_filters(("year", "2024")).filters == (
        ("site", "a.org"),
    )
    assert parse_query_params("a", sort="-price", sorts=("-price",)).sort == "-price"
