"""What is remembered of people, and what is not."""

import re
import time
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from urllib.parse import urlencode

import pytest
from pace import WAIT_TIMEOUT_SECONDS
from web.account_site import ServedSite, UserBrowser, served_site
from web.fake_site import PLAIN_HIT

from byway.core.messages import t
from byway.core.model.account import Role


@pytest.fixture
def here(tmp_path: Path) -> Iterator[ServedSite]:
    with served_site(tmp_path) as here:
        yield here


def asked(here: ServedSite, enough: int = 1) -> list[str]:
    """What is remembered, which is written down after the answer is given."""
    (account,) = here.accounts.store.accounts()
    end = time.monotonic() + (WAIT_TIMEOUT_SECONDS if enough else 0.3)
    while True:
        found = [each.text for each in here.accounts.store.history(account.id).queries]
        if (enough and len(found) >= enough) or time.monotonic() > end:
            return found
        time.sleep(0.01)


def link(page: str) -> str:
    return unescape(page.partition('<h2 dir="auto"><a href="')[2].partition('"')[0])


def opened(ada: UserBrowser) -> str:
    return link(ada.get("/search?q=first").text)


def test_a_query_is_recorded_once(here: ServedSite) -> None:
    ada = here.new_browser(Role.USER)
    for target in ("/search?q=first", "/search?q=many&page=2", "/search?q=", "/search?limit=x&q=a"):
        ada.get(target)
    assert asked(here) == ["first"]
    assert "first" in ada.get("/account/history").text


def test_visitors_and_private_searches_are_not_recorded(here: ServedSite) -> None:
    ada = here.new_browser(Role.USER)
    here.new_browser().get("/search?q=first")
    ada.get("/search?q=first&private=1")
    assert asked(here, 0) == []
    assert link(ada.get("/search?q=first&private=1").text) == PLAIN_HIT.url


def test_private_searches_stay_private_on_other_pages(here: ServedSite) -> None:
    ada = here.new_browser(Role.USER)
    for path in ("/search", "/products"):
        page = ada.get(f"{path}?q=many&private=1").text
        assert f"{path}?q=many&amp;page=2&amp;private=1" in page
        forms = page.count('<form class="box"') + page.count('<form class="price-range"')
        assert page.count('<input type="hidden" name="private" value="1">') == forms
        assert ">2</a>" in page and "private" not in ada.get(f"{path}?q=many").text


def test_product_links_are_direct_where_a_script_reports_clicks(here: ServedSite) -> None:
    page = here.new_browser(Role.USER).get("/products?q=first")
    assert re.search(r'<ol class="hits products" data-token="\w+"', page.text)
    assert f' data-to="{PLAIN_HIT.url}"' in page.text
    assert page.headers["Referrer-Policy"] == "same-origin"
    assert "data-to" not in here.new_browser().get("/products?q=first").text


def test_the_history_can_be_turned_off(here: ServedSite) -> None:
    ada = here.new_browser(Role.USER)
    assert "History is off" in ada.post_and_follow("/account/history", keep_history="off").text
    assert opened(ada) == PLAIN_HIT.url
    assert asked(here, 0) == []
    ada.post("/account/history", keep_history="on")
    ada.get("/search?q=first")
    assert asked(here) == ["first"]


def test_a_click_is_recorded_and_boosts_its_host(here: ServedSite) -> None:
    ada = here.new_browser(Role.USER)
    reply = ada.get(opened(ada))
    assert (reply.status, reply.headers["Location"]) == (303, PLAIN_HIT.url)
    assert "+4% because you opened 1 page there" in ada.get("/account/history").text


@pytest.mark.parametrize(
    "change",
    [
        lambda target: target.replace("example.org", "evil.example"),
        lambda target: target[:-4] + "0000",
        lambda target: "/open?url=https%3A%2F%2Fevil.example%2F",
        lambda target: "/open",
    ],
)
def test_open_redirects_to_signed_urls_only(here: ServedSite, change: object) -> None:
    ada = here.new_browser(Role.USER)
    assert callable(change)
    reply = ada.get(change(opened(ada)))
    assert reply.status == 403
    assert "Location" not in reply.headers


def test_the_link_of_another_user_is_rejected(here: ServedSite) -> None:
    ada, eve = here.new_browser(Role.USER), here.new_browser(Role.USER)
    assert eve.get(opened(ada)).status == 403


def test_host_preferences_can_be_set_and_removed(here: ServedSite) -> None:
    ada = here.new_browser(Role.USER)
    page = ada.post_and_follow(
        "/account/history", host="https://spam.example/a", preference="none"
    ).text
    assert t("signals.personal_blocked") in page
    page = ada.post_and_follow("/account/history", host="spam.example", preference="").text
    assert "blocked" not in page
    wrong = ada.post("/account/history", host="no host at all", preference="more")
    assert (
        wrong.status,
        t("error.web.bad_site", typed="no host at all") in unescape(wrong.text),
    ) == (400, True)


def test_the_history_can_be_exported_and_deleted(here: ServedSite) -> None:
    ada = here.new_browser(Role.USER)
    ada.get(opened(ada))
    ada.post("/account/history", host="good.example", preference="more")
    assert asked(here) == ["first"]
    export = ada.get("/account/export")
    assert "attachment" in export.headers["Content-Disposition"]
    assert [each["text"] for each in export.json["queries"]] == ["first"]
    assert [each["url"] for each in export.json["clicks"]] == [PLAIN_HIT.url]
    assert export.json["host_preferences"] == {"good.example": "more"}
    ada.post("/account/history", forget="1")
    left = ada.get("/account/export").json
    assert (left["queries"], left["clicks"]) == ([], [])


def test_hostile_queries_in_the_history_are_escaped(here: ServedSite) -> None:
    ada = here.new_browser(Role.USER)
    ada.get("/search?q=%3Cscript%3Ealert(1)%3C/script%3E%ED%A0%80%00%E2%80%AE")
    page = ada.get("/account/history")
    assert page.status == 200
    assert "<script>" not in page.text
    assert ada.get("/account/export").status == 200


def test_a_form_redirects_so_that_reloading_is_safe(here: ServedSite) -> None:
    ada = here.new_browser(Role.USER)
    reply = ada.post("/account/history", forget="1")
    assert (reply.status, reply.headers["Location"]) == (303, "/account/history?done=deleted")
    russian = ada.post("/account/history?ui=ru", keep_history="off")
    assert russian.headers["Location"] == "/account/history?done=saved&ui=ru"
    assert "Сохранено" in ada.get(russian.headers["Location"]).text
    assert 'role="status"' not in ada.get("/account/history?done=%3Cb%3Ehacked").text


def suggested(somebody: UserBrowser, typed: str) -> list[str]:
    found = somebody.get(f"/api/v1/suggest?{urlencode({'q': typed})}").json["suggestions"]
    assert isinstance(found, list)
    return found


def test_past_queries_are_suggested_to_their_user_only(
    tmp_path: Path,
) -> None:
    questions = ("Żuraw red", "many many", "first", "many words", "many many")
    with served_site(tmp_path / "a", suggest_past_queries=True) as here:
        ada, other = here.new_browser(Role.USER), here.new_browser(Role.USER)
        account = here.accounts.store.accounts()[0].id
        for at, text in enumerate(questions):
            here.accounts.store.record_query(account, text, float(at))
        assert here.accounts.store.recent_queries(account, 2) == ["many many", "many words"]
        assert suggested(ada, "man") == ["many many", "many words"]
        assert suggested(ada, "many m") == ["many many"]
        assert suggested(ada, "man ") == suggested(ada, "any") == []
        assert suggested(ada, "ZURAW") == suggested(ada, "re") == ["Żuraw red"]
        assert suggested(ada, "first") == []  # that is typed already
        assert suggested(other, "man") == suggested(here.new_browser(), "man") == []
        ada.post("/account/history", keep_history="off")
        assert suggested(ada, "man") == []
    with served_site(tmp_path / "b") as here:
        ada = here.new_browser(Role.USER)
        here.accounts.store.record_query(here.accounts.store.accounts()[0].id, "many many", 0.0)
        assert suggested(ada, "man") == []
