"""What programs get."""

from http import HTTPStatus

import pytest
from web.answers import READY_STATUS, HttpBrowser

from byway.core.messages import t


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ("search?q=first&lmit=2", "'lmit' is not known here; did you mean limit?"),
        ("similar?url=a.org&zzz", "'zzz' is not known here; there are: url, limit"),
        ("status?q=first", "'q' is not known here; there are: none"),
    ],
)
def test_a_parameter_that_nobody_knows_is_named(
    browser: HttpBrowser, asked: str, says: str
) -> None:
    reply = browser.request(f"/api/v1/{asked}")
    assert (reply.status, reply.json["detail"]) == (422, says)


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ("search?q=first&q=second", "q is given 2 times; give it once"),
        ("search?q=first&page=1&page=1&page=2", "page is given 3 times; give it once"),
        ("products?q=first&sort=price&sort=price", "sort is given 2 times; give it once"),
    ],
)
def test_what_can_be_given_once_is_refused_twice(
    browser: HttpBrowser, asked: str, says: str
) -> None:
    reply = browser.request(f"/api/v1/{asked}")
    assert (reply.status, reply.json["detail"]) == (422, says)
    assert (
        browser.request("/api/v1/search?q=first&lang=en&lang=de&site=a.org&site=b.org").status
        == 200
    )


def test_an_answer_without_hits_says_which_filter_no_page_passes(browser: HttpBrowser) -> None:
    absent = browser.get("/api/v1/search", q="absent").json["no_results_reasons"]
    assert absent[2] == {
        "code": "no_page_on_site",
        "filter": "site",
        "value": "a.org",
        "available": ["b.org"],
        "has_more": True,
        "elsewhere_count": 0,
        "message": "No page here is from this site: a.org. Available sites: b.org and others.",
    }
    assert browser.get("/api/v1/products", q="absent").json["no_results_reasons"] == absent


def test_an_answer_has_the_shape_it_promises(browser: HttpBrowser) -> None:
    reply = browser.get("/api/v1/search", q=" first ", limit=5, explain="true")
    answer = reply.json
    hits = answer.pop("hits")
    assert answer == {
        "query": "first",
        "total": 2,
        "total_is_estimate": False,
        "took_seconds": 0.0002,
        "page": 1,
        "limit": 5,
        "did_you_mean": "",
        "did_you_mean_total": 0,
        "partial_match": False,
        "split_words": {},
        "query_warnings": [],
        "no_results_reasons": [],
        "related_searches": [],
        "facets": {},
    }
    assert hits[0] == {
        "url": "https://example.org/guide/first%20steps?lang=en",
        "title": "First steps",
        "score": 8.0,
        "snippet": "Your first steps with <b> & bytes",
        "highlights": [[5, 10]],
        "content_type": "text/html",
        "language": "en",
        "published": "2024-05-31",
        "date": "2024-05-31",
        "signals": [
            {
                "name": "bm25",
                "value": 6.0,
                "weight": 1.0,
                "score": 6.0,
                "share": 0.6,
                "description": t("signals.bm25"),
            },
            {
                "name": "title_coverage",
                "value": 1.0,
                "weight": 3.0,
                "score": 3.0,
                "share": 0.3,
                "description": t("signals.title_coverage"),
            },
            {
                "name": "freshness",
                "value": -1.0,
                "weight": 1.0,
                "score": -1.0,
                "share": -0.1,
                "description": t("signals.freshness"),
            },
        ],
        "headings": [],
        "match_counts": {},
        "more_from_host": 0,
        "duplicate_of": None,
        "product": {},
    }
    assert reply.headers["Content-Type"] == "application/json"


def test_what_json_cannot_carry_is_left_out(browser: HttpBrowser) -> None:
    hit = browser.get("/api/v1/search", q="hostile", explain=1).json["hits"][0]
    assert hit["score"] is None
    assert hit["signals"][0]["value"] is None
    assert "gnp.exe ? " in hit["title"]


@pytest.mark.parametrize(
    ("status", "parameters", "says"),
    [
        (422, {"q": "first", "limit": 0}, "limit must be at least 1"),
        (422, {"q": "first", "limit": 101}, "limit must be at most 100"),
        (422, {"q": "first", "page": "abc"}, "page must be a whole number"),
        (422, {"q": "first", "facets": "perhaps"}, "facets must be true or false"),
        (422, {"q": "first", "sort": "size"}, "sort must be one of 'relevance' or 'date'"),
        (
            422,
            {"q": "first", "sort": "-price"},
            "'relevance' or 'date'; /api/v1/products also has price, -price and rating",
        ),
        (422, {"q": "first", "after": "then"}, "after is not written so; write it as 2024-05 or"),
        (422, {"q": "first", "site": "x" * 301}, "site.0 has more than 300 characters"),
        (422, {"q": "x" * 3000}, "q has more than 2048 characters"),
        (400, {"q": "first", "page": 11, "limit": 100}, "page * limit must be at most 1000"),
        (400, {"q": " "}, "q is empty"),
        (400, {}, "q is empty"),
        (400, {"q": "refused"}, "too many <words>; use fewer"),
    ],
)
def test_a_bad_request_is_a_problem_with_a_cure(
    browser: HttpBrowser, status: int, parameters: dict[str, str | int], says: str
) -> None:
    reply = browser.get("/api/v1/search", **parameters)
    assert reply.status == status
    assert reply.headers["Content-Type"] == "application/problem+json"
    problem = reply.json
    assert says in problem.pop("detail")
    title = {400: "Bad Request", 422: HTTPStatus(422).phrase}[status]
    assert problem == {"type": "about:blank", "title": title, "status": status}


def test_the_last_hit_that_can_be_asked_for_is_the_thousandth(browser: HttpBrowser) -> None:
    assert len(browser.get("/api/v1/search", q="many", page=10, limit=100).json["hits"]) == 100


def test_status_is_what_the_engine_says(browser: HttpBrowser) -> None:
    assert browser.get("/api/v1/status").json == {
        "pages": READY_STATUS.pages,
        "queued": READY_STATUS.queued,
        "indexed": READY_STATUS.indexed,
        "crawling": False,
        "paused": False,
        "seeds": ["https://example.org/"],
        "states": {},
        "goods": False,
        "building": None,
        "waiting": None,
    }


def test_unknown_addresses_of_the_api_are_problems_too(browser: HttpBrowser) -> None:
    for path, method, status, says in (
        ("/api/v2", "GET", 404, "/api/v1/openapi.json lists what there is"),
        ("/api/v1/search", "POST", 405, "not asked by POST, but by GET"),
    ):
        reply = browser.request(path, method)
        assert (reply.status, reply.json["status"]) == (status, status)
        assert says in reply.json["detail"]
        assert reply.headers["Content-Type"] == "application/problem+json"


def test_the_api_describes_itself(browser: HttpBrowser) -> None:
    described = browser.get("/api/v1/openapi.json").json
    names = ("search", "similar", "suggest", "page", "status", "stats", "products")
    assert set(described["paths"]) == {
        *(f"/api/v1/{name}" for name in names), "/api/v1/products/history",
    }  # fmt: skip
    search = described["paths"]["/api/v1/search"]["get"]
    schemas = {item["name"]: item["schema"] for item in search["parameters"]}
    assert schemas["limit"] | {"title": ""} == {
        "type": "integer",
        "minimum": 1,
        "maximum": 100,
        "default": 10,
        "title": "",
    }
    assert set(search["responses"]) == {"200", "400", "401", "403", "422", "503"}
    assert list(search["responses"]["400"]["content"]) == ["application/problem+json"]
    assert browser.get("/docs").status == browser.get("/redoc").status == 404


def test_it_is_easy_to_see_that_it_lives(browser: HttpBrowser) -> None:
    assert browser.get("/healthz").text == "ok\n"
