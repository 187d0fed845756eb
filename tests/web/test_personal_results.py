"""One's own results: what one opens and wishes for changes them, and one can see and stop it."""

import json
import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest
from web.account_site import ServedSite, UserBrowser, served_site

from byway.core.messages import t
from byway.core.model import Document, UrlId
from byway.core.model.account import ApiKeyScope, Role
from byway.core.url import normalize
from byway.products.record import PRODUCT_ATTRIBUTE, Product, product_to_dict
from byway.products.vocabulary.lookup import default_vocabulary

TEXTS = {
    "a.example": "the red fox",
    "b.example": "the red fox runs over the hill",
    "c.example": "the red fox runs over the hill and the hedgehog looks on for a while",
}
FOXES = [
    Document(normalize(f"https://{host}/fox"), UrlId(id), f"Fox of {host}", text)
    for id, (host, text) in enumerate(TEXTS.items(), 1)
]


@pytest.fixture
def here(tmp_path: Path) -> Iterator[ServedSite]:
    with served_site(tmp_path, pages=FOXES) as here:
        yield here


def order(who: UserBrowser, more: str = "") -> list[str]:
    """The hosts of the results, in their order."""
    return re.findall(r">Fox of (\w)\.example</a></h2>", who.get(f"/search?q=fox{more}").text)


def links(who: UserBrowser) -> list[str]:
    page = who.get("/search?q=fox").text
    return [unescape(found) for found in re.findall(r'<h2 dir="auto"><a href="([^"]+)"', page)]


def wish(who: UserBrowser, host: str, wish: str) -> None:
    assert "Saved" in who.post_and_follow("/account/history", host=host, preference=wish).text


def test_clicks_boost_a_host_for_their_user_only(here: ServedSite) -> None:
    ada, eve = here.new_browser(Role.USER), here.new_browser(Role.USER)
    assert order(ada) == order(eve) == ["a", "b", "c"]
    account = here.accounts.store.accounts()[0]
    for number in range(100):
        here.accounts.record_click(account, f"https://b.example/{number}")
    assert order(ada) == ["b", "a", "c"]
    page = ada.get("/search?q=fox").text
    assert "+27% because you opened 100 pages there" in page
    assert "personal" in page
    assert order(eve) == order(here.new_browser()) == ["a", "b", "c"]


def test_a_click_through_open_counts(here: ServedSite) -> None:
    ada = here.new_browser(Role.USER)
    reply = ada.get(links(ada)[1])
    assert (reply.status, reply.headers["Location"]) == (303, "https://b.example/fox")
    assert "+4% because you opened 1 page there" in ada.get("/search?q=fox").text


def test_a_script_reports_clicks(here: ServedSite) -> None:
    ada = here.new_browser(Role.USER)
    told = dict(parse_qsl(urlsplit(links(ada)[1]).query))
    page = ada.get("/search?q=fox")
    token = re.search(r'data-token="(\w+)"', page.text)
    assert token and page.headers["Referrer-Policy"] == "same-origin"
    assert ada.send("/open", told | {"token": token.group(1)}).status == 204
    assert "+4%" in ada.get("/account/history").text
    forged = told | {"token": token.group(1), "url": "https://evil.example/"}
    assert ada.send("/open", forged).status == 403
    assert "evil" not in ada.get("/account/history").text


def test_without_history_links_are_direct(here: ServedSite) -> None:
    ada = here.new_browser(Role.USER)
    ada.post("/account/history", keep_history="off")
    assert links(ada)[0] == "https://a.example/fox"
    for page in (ada.get("/search?q=fox").text, here.new_browser().get("/search?q=fox").text):
        assert "data-token" not in page and "data-to=" not in page


def test_personalization_can_be_turned_off_for_one_search(here: ServedSite) -> None:
    ada = here.new_browser(Role.USER)
    wish(ada, "c.example", "more")
    wish(ada, "a.example", "none")
    assert order(ada) == ["c", "b"]
    assert order(ada, "&personalize=0") == ["a", "b", "c"]
    assert order(ada, "&personalize=all") == ["c", "a", "b"]
    page = ada.get("/search?q=fox&personalize=0").text
    assert t("web.personal.off") in page
    assert "personalize=0" in page, "it stays off on other pages of the answer"


def test_personalization_can_be_turned_off_for_an_account(here: ServedSite) -> None:
    ada = here.new_browser(Role.USER)
    wish(ada, "c.example", "more")
    wish(ada, "a.example", "none")
    page = ada.post_and_follow("/account/history", strength="0").text
    assert t("web.history.personalization_off") in page
    assert order(ada) == ["a", "b", "c"]
    ada.post("/account/history", strength="1")
    assert order(ada) == ["c", "b"]
    assert ada.post("/account/history", strength="7").status == 400


def test_blocked_sites_are_hidden_and_can_be_shown(here: ServedSite) -> None:
    ada = here.new_browser(Role.USER)
    wish(ada, "a.example", "none")
    page = ada.get("/search?q=fox").text
    assert "1 site you blocked:" in page
    (show,) = re.findall(r'you blocked: <a href="([^"]+)">show</a>', page)
    shown = ada.get(unescape(show)).text
    assert "Fox of a.example" in shown
    assert "Showing sites you blocked:" in shown
    wish(ada, "b.example", "none")
    wish(ada, "c.example", "none")
    empty = ada.get("/search?q=fox").text
    assert "No results for" in empty
    assert "3 sites you blocked:" in empty


def test_history_entries_can_be_deleted_one_by_one(here: ServedSite) -> None:
    ada, eve = here.new_browser(Role.USER), here.new_browser(Role.USER)
    account = here.accounts.store.accounts()[0]
    for number in range(3):
        here.accounts.record_click(account, f"https://b.example/{number}")
    shown = ada.get("/account/history").text
    entries = re.findall(r'name="entry" value="(\d+)"', shown)
    assert len(entries) == 3
    eve.post("/account/history", entry=entries[0])
    assert "opened 3 pages" in ada.get("/account/history").text
    ada.post("/account/history", entry=entries[0])
    left = ada.get("/account/history").text
    assert "opened 2 pages" in left
    assert "https://b.example/2" not in left


def test_the_api_personalizes_for_the_owner_of_the_key(here: ServedSite) -> None:
    ada = here.new_browser(Role.USER)
    wish(ada, "c.example", "more")
    account = here.accounts.store.accounts()[0]
    key = here.accounts.create_key(account, "mine", ApiKeyScope.SEARCH)
    headers = {"Authorization": f"Bearer {key}"}

    def first(**more: str) -> dict[str, object]:
        target = "/api/v1/search?" + urlencode({"q": "fox", "explain": "1", **more})
        hit = ada.browser.request(target, headers=headers).json["hits"][0]
        assert isinstance(hit, dict)
        return hit

    assert first()["url"] == "https://a.example/fox"
    mine = first(personalize="1")
    assert mine["url"] == "https://c.example/fox"
    assert "+50% because you asked for more results from it" in json.dumps(mine)
    refused = ada.browser.request("/api/v1/search?q=fox&personalize=1")
    assert (refused.status, refused.json["code"]) == (400, "web.personalize_needs_account")


def test_boost_explanations_are_translated(here: ServedSite) -> None:
    ada = here.new_browser(Role.USER)
    account = here.accounts.store.accounts()[0]
    for number in range(3):
        here.accounts.record_click(account, f"https://b.example/{number}")
    page = ada.get("/search?q=fox&ui=ru").text
    assert "+8 %, потому что вы открыли там 3 страницы" in page


def test_products_of_a_blocked_shop_are_hidden(tmp_path: Path) -> None:
    product = product_to_dict(
        Product(name="Boots", price=10.0, currency="EUR"), default_vocabulary()
    )
    boots = [
        Document(
            normalize(f"https://{host}.example/boots"),
            UrlId(id),
            f"Boots of {host}",
            "winter boots of leather",
            attributes={PRODUCT_ATTRIBUTE: product},
        )
        for id, host in enumerate("ab", 1)
    ]
    with served_site(tmp_path, pages=boots) as here:
        ada = here.new_browser(Role.USER)
        assert "b.example" in ada.get("/products?q=boots").text
        wish(ada, "b.example", "none")
        page = ada.get("/products?q=boots").text
        assert "b.example" not in page
        assert "a.example" in page
        assert "1 site you blocked:" in page
        assert "b.example" in ada.get("/products?q=boots&personalize=0").text
