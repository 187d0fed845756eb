"""Error pages and problem+json."""

import logging

import pytest
from web.fake_site import READY_STATUS, HttpBrowser

from byway.core.errors import DataError
from byway.core.messages import t
from byway.core.model import Query, Results
from byway.core.settings.schema import ServeSettings
from byway.web.app import make_app
from byway.web.server import serve_in_thread


def test_an_unknown_address_gets_an_error_page_with_a_search_box(browser: HttpBrowser) -> None:
    reply = browser.get("/nowhere")
    assert reply.status == 404
    assert t("web.error.404") in reply.text
    assert '<input id="q"' in reply.text


def test_a_crash_is_logged_and_not_shown(
    browser: HttpBrowser, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR):
        reply = browser.get("/search", q="broken")
        problem = browser.get("/api/v1/search", q="broken")
    assert reply.status == problem.status == 500
    assert t("web.error.500_help") in reply.text
    assert "fell over" not in reply.text + problem.text
    assert problem.json == {
        "type": "about:blank",
        "title": "Internal Server Error",
        "status": 500,
        "detail": t("error.web.internal_error"),
        "code": "web.internal_error",
    }
    assert "the index fell over" in caplog.text


def test_a_data_error_is_shown_with_its_text() -> None:
    def search(query: Query) -> Results:
        raise DataError("the index is being built anew; try again in a minute")

    app = make_app(search, lambda: READY_STATUS, ServeSettings())
    with serve_in_thread(app, "127.0.0.1", 0) as url:
        reply = HttpBrowser(url).get("/search", q="first")
    assert reply.status == 503
    assert "being built anew; try again in a minute" in reply.text


def test_an_unknown_method_is_rejected(browser: HttpBrowser) -> None:
    reply = browser.request("/search", "POST")
    assert reply.status == 405
    assert reply.headers["Allow"] == "GET, HEAD"
