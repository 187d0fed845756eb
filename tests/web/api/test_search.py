"""The search API."""

from http import HTTPStatus

import pytest
from web.fake_site import READY_STATUS, HttpBrowser

from byway.core.messages import t
from byway.web.problems import HttpError


@pytest.mark.parametrize(
    ("target", "code", "params"),
    [
        ("search?q=first&lmit=2", "mistyped_param", {"name": "lmit", "correction": "limit"}),
        ("similar?url=a.org&zzz", "unknown_param", {"name": "zzz", "known": ["url", "limit"]}),
        ("status?q=first", "unknown_param_without_others", {"name": "q"}),
        ("search?q=first&q=second", "param_repeated", {"name": "q", "times": 2}),
        ("search?q=first&page=1&page=1&page=2", "param_repeated", {"name": "page", "times": 3}),
        ("products?sort=price&sort=price", "param_repeated", {"name": "sort", "times": 2}),
    ],
)
def test_an_unknown_or_repeated_parameter_is_rejected(
    browser: HttpBrowser, target: str, code: str, params: dict[str, object]
) -> None:
    reply = browser.request(f"/api/v1/{target}")
    assert (reply.status, reply.json["code"]) == (422, f"web.{code}")
    assert reply.json["detail"] == str(HttpError(422, f"web.{code}", **params))


def test_list_parameters_can_be_repeated(browser: HttpBrowser) -> None:
    target = "/api/v1/search?q=first&lang=en&lang=de&site=a.org&site=b.org"
    assert browser.request(target).status == 200


def test_a_response_without_hits_has_the_filters_that_no_page_passes(browser: HttpBrowser) -> None:
    absent = browser.get("/api/v1/search", q="absent").json["no_results_reasons"]
    assert absent[2] == {
        "code": "no_page_on_site",
        "filter": "site",
        "value": "a.org",
        "available": ["b.org"],
        "has_more": True,
        "elsewhere_count": 0,
        "message": "No indexed page is on this site: a.org. Available sites: b.org and others.",
    }
    assert browser.get("/api/v1/products", q="absent").json["no_results_reasons"] == absent


def test_a_response_has_the_documented_fields(browser: HttpBrowser) -> None:
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
        "missing_shards": 0,
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


def test_values_that_json_cannot_encode_are_null(browser: HttpBrowser) -> None:
    hit = browser.get("/api/v1/search", q="hostile", explain=1).json["hits"][0]
    assert hit["score"] is None
    assert hit["signals"][0]["value"] is None
    assert "gnp.exe ? " in hit["title"]


@pytest.mark.parametrize(
    ("status", "parameters", "text"),
    [
        (422, {"q": "first", "limit": 0}, "limit must be at least 1"),
        (422, {"q": "first", "limit": 101}, "limit must be at most 100"),
        (422, {"q": "first", "page": "abc"}, "page must be a whole number"),
        (422, {"q": "first", "facets": "perhaps"}, "facets must be true or false"),
        (422, {"q": "first", "sort": "size"}, "sort must be one of 'relevance' or 'date'"),
        (
            422,
            {"q": "first", "sort": "-price"},
            "'relevance' or 'date'; /api/v1/products also has price, -price, rating",
        ),
        (
            422,
            {"q": "first", "after": "then"},
            "after has the wrong format; use a value such as 2024-05 / 2024-05-31",
        ),
        (422, {"q": "first", "site": "x" * 301}, "site.0 has more than 300 characters"),
        (422, {"q": "x" * 5000}, "q has more than 4096 characters"),
        (400, {"q": "first", "page": 11, "limit": 100}, "page * limit must be at most 1000"),
        (400, {"q": " "}, "q is empty"),
        (400, {}, "q is empty"),
        (400, {"q": "refused"}, "too many <words>; use fewer"),
    ],
)
def test_a_bad_request_gets_a_problem_with_a_cure(
    browser: HttpBrowser, status: int, parameters: dict[str, str | int], text: str
) -> None:
    reply = browser.get("/api/v1/search", **parameters)
    assert reply.status == status
    assert reply.headers["Content-Type"] == "application/problem+json"
    problem = reply.json
    assert text in problem.pop("detail")
    assert problem.pop("code")
    title = {400: "Bad Request", 422: HTTPStatus(422).phrase}[status]
    assert problem == {"type": "about:blank", "title": title, "status": status}


def test_the_last_hit_that_can_be_requested_is_the_thousandth(browser: HttpBrowser) -> None:
    assert len(browser.get("/api/v1/search", q="many", page=10, limit=100).json["hits"]) == 100


def test_status_is_that_of_the_engine(browser: HttpBrowser) -> None:
    assert browser.get("/api/v1/status").json == {
        "pages": READY_STATUS.pages,
        "queued": READY_STATUS.queued,
        "indexed": READY_STATUS.indexed,
        "crawling": False,
        "paused": False,
        "seeds": ["https://example.org/"],
        "states": {},
        "verticals": [],
        "rebuild": None,
        "crawl_wait": None,
        "processes": [],
        "shards": [
            {"pages": 12, "bytes": 4096, "is_readable": True},
            {"pages": 0, "bytes": 2048, "is_readable": False},
        ],
    }


def test_unknown_api_addresses_get_problems(browser: HttpBrowser) -> None:
    for path, method, status, code in (
        ("/api/v2", "GET", 404, "web.not_found"),
        ("/api/v1/search", "POST", 405, "web.method_not_allowed"),
    ):
        reply = browser.request(path, method)
        assert (reply.status, reply.json["status"]) == (status, status)
        assert reply.json["code"] == code
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


def test_the_health_check_answers(browser: HttpBrowser) -> None:
    assert browser.get("/healthz").json == {"status": "ok", "processes": []}
