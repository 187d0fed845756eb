"""What people see when something goes wrong."""

import logging

import pytest
from web.answers import READY_STATUS, HttpBrowser

from byway.core.errors import DataError
from byway.core.model import Query, Results
from byway.core.settings.schema import ServeSettings
from byway.web.app import make_app
from byway.web.server import serve_in_thread


def test_an_unknown_address_gets_a_page_with_a_box(browser: HttpBrowser) -> None:
    reply = browser.get("/nowhere")
    assert reply.status == 404
    assert "There is no such page" in reply.text
    assert '<input id="q"' in reply.text


def test_a_crash_is_owned_up_to_and_logged_but_not_shown(
    browser: HttpBrowser, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR):
        reply = browser.get("/search", q="broken")
        problem = browser.get("/api/v1/search", q="broken")
    assert reply.status == problem.status == 500
    assert "It is our fault" in reply.text
    assert "fell over" not in reply.text + problem.text
    assert problem.json == {
        "type": "about:blank",
        "title": "Internal Server Error",
        "status": 500,
        "detail": "it is our fault; what happened is in the log of byway",
    }
    assert "the index fell over" in caplog.text


def test_data_that_cannot_be_used_is_said_in_its_own_words() -> None:
    def search(query: Query) -> Results:
        raise DataError("the index is being built anew; try again in a minute")

    app = make_app(search, lambda: READY_STATUS, ServeSettings())
    with serve_in_thread(app, "127.0.0.1", 0) as url:
        reply = HttpBrowser(url).get("/search", q="first")
    assert reply.status == 503
    assert "being built anew; try again in a minute" in reply.text


def test_a_method_we_do_not_have_is_refused(browser: HttpBrowser) -> None:
    reply = browser.request("/search", "POST")
    assert reply.status == 405
    assert reply.headers["Allow"] == "GET, HEAD"
