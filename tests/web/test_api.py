"""What programs get."""

import pytest
from web.answers import READY, Browser


def test_an_answer_has_the_shape_it_promises(browser: Browser) -> None:
    reply = browser.get("/api/v1/search", q=" first ", limit=5, explain="true")
    answer = reply.json
    hits = answer.pop("hits")
    assert answer == {
        "query": "first",
        "total": 2,
        "took": 0.0002,
        "page": 1,
        "limit": 5,
        "instead": "",
        "facets": {},
    }
    assert hits[0] == {
        "url": "https://example.org/guide/first%20steps?lang=en",
        "title": "First steps",
        "score": 8.0,
        "snippet": "Your first steps with <b> & bytes",
        "highlights": [[5, 10]],
        "type": "text/html",
        "language": "en",
        "published": "2024-05-31",
        "signals": [
            {"name": "text", "value": 6.0, "weight": 1.0, "score": 6.0},
            {"name": "title", "value": 1.0, "weight": 3.0, "score": 3.0},
            {"name": "depth", "value": -1.0, "weight": 1.0, "score": -1.0},
        ],
        "headings": [],
        "places": {},
        "more": 0,
        "duplicate_of": None,
        "product": {},
    }
    assert reply.headers["Content-Type"] == "application/json"


def test_what_json_cannot_carry_is_left_out(browser: Browser) -> None:
    hit = browser.get("/api/v1/search", q="hostile", explain=1).json["hits"][0]
    assert hit["score"] is None
    assert hit["signals"][0]["value"] is None
    assert "gnp.exe ? " in hit["title"]


@pytest.mark.parametrize(
    ("parameters", "says"),
    [
        ({"q": "first", "limit": 0}, "limit must be a whole number from 1 to 100"),
        ({"q": "first", "limit": 101}, "limit must be a whole number from 1 to 100"),
        ({"q": "first", "page": "abc"}, "page must be a whole number from 1 up"),
        ({"q": "first", "page": 11, "limit": 100}, "page * limit must be at most 1000"),
        ({"q": "x" * 3000}, "q is longer than 2048 bytes"),
        ({"q": " "}, "q is empty"),
        ({}, "q is empty"),
        ({"q": "refused"}, "too many <words>; use fewer"),
        ({"q": "first", "sort": "size"}, "sort must be one of relevance, date"),
        ({"q": "first", "after": "then"}, "after must be a day, as 2024"),
    ],
)
def test_a_bad_request_is_a_problem_with_a_cure(
    browser: Browser, parameters: dict[str, str | int], says: str
) -> None:
    reply = browser.get("/api/v1/search", **parameters)
    assert reply.status == 400
    assert reply.headers["Content-Type"] == "application/problem+json"
    problem = reply.json
    assert says in problem.pop("detail")
    assert problem == {"type": "about:blank", "title": "Bad Request", "status": 400}


def test_the_last_hit_that_can_be_asked_for_is_the_thousandth(browser: Browser) -> None:
    assert len(browser.get("/api/v1/search", q="many", page=10, limit=100).json["hits"]) == 100


def test_status_is_what_the_engine_says(browser: Browser) -> None:
    assert browser.get("/api/v1/status").json == {
        "pages": READY.pages,
        "queued": READY.queued,
        "indexed": READY.indexed,
        "crawling": False,
        "paused": False,
        "seeds": ["https://example.org/"],
        "states": {},
        "goods": False,
    }


def test_unknown_addresses_of_the_api_are_problems_too(browser: Browser) -> None:
    for path, method, status in (("/api/v2", "GET", 404), ("/api/v1/search", "POST", 405)):
        reply = browser.ask(path, method)
        assert (reply.status, reply.json["status"]) == (status, status)
        assert reply.headers["Content-Type"] == "application/problem+json"


def test_the_api_describes_itself(browser: Browser) -> None:
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
    assert set(search["responses"]) == {"200", "4XX"}
    assert browser.get("/docs").status == browser.get("/redoc").status == 404


def test_it_is_easy_to_see_that_it_lives(browser: Browser) -> None:
    assert browser.get("/healthz").text == "ok\n"
