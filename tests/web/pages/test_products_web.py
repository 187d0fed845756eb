"""Goods on our page: chips, choices, prices and their history, in the browser and as JSON."""

import random
import tracemalloc
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from shops import PRODUCT_PATH, crawl_and_index, crawl_shops_twice, make_engine
from web.crawled_site import local_site, served_search
from web.fake_site import HttpBrowser, page_links

from byway.app.pages import MAX_HISTORY_VERSIONS, PageArchive
from byway.cli import products
from byway.core.errors import DataError, SettingsError
from byway.core.messages import speaking, t
from byway.core.model import Chip, Query, Results
from byway.products.vertical import Products
from byway.village import Village
from byway.web.pages.vertical_search import facets
from byway.web.query_params import QueryParams

REFERENCE = Path(__file__).parents[3] / "docs" / "reference"
RED = "красные туфли 38 размера до 9000"


@pytest.fixture(scope="module")
def goods(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[HttpBrowser, Village]]:
    folder = tmp_path_factory.mktemp("goods")
    for engine, village in crawl_shops_twice(folder / "data", folder / "sites"):
        with served_search(engine) as browser:
            yield browser, village


def names(browser: HttpBrowser, **asked: Any) -> list[str]:
    found = browser.get("/api/v1/products", **asked)
    assert found.status == 200
    return [one["name"] for one in found.json["products"]]


def test_a_product_is_shown_with_its_attributes(goods: tuple[HttpBrowser, Village]) -> None:
    page = goods[0].get("/products", q="туфли яуза").text
    text = " ".join(unescape(page).split())
    for said in ("Замшевые туфли «Яуза»", "5,490\xa0RUB", "6,990\xa0RUB", "Verst", "36 RU"):
        assert said in unescape(page), said
    assert "<svg" in page
    assert "<img" not in page.replace('<img src="/static', ""), "no picture of another host"
    assert "Price history" in text


def test_detected_filters_can_be_removed_one_by_one(goods: tuple[HttpBrowser, Village]) -> None:
    page = goods[0].get("/products", q=RED, ui="en").text
    chips = page_links(page, '<ul class="chips"', "</ul>")
    assert list(chips) == [
        "Remove filter Color: red ×",
        "Remove filter Product type: shoes ×",
        "Remove filter Size: 38 ×",
        "Remove filter Price: up to 9,000 RUB ×",
    ]
    fewer = goods[0].request(chips["Remove filter Size: 38 ×"])
    assert "Size: <bdi>38</bdi><span" not in fewer.text
    assert "Color: <bdi>red</bdi><span" in fewer.text


def test_the_product_page_is_translated(goods: tuple[HttpBrowser, Village]) -> None:
    page = unescape(goods[0].get("/products", q=RED, ui="ru").text)
    for said in ("Товары", "Цвет: <bdi>красный</bdi>", "до 9\u202f000 RUB", "Магазин", "Размер"):
        assert said in page


def test_facet_counts_match_the_filtered_totals(goods: tuple[HttpBrowser, Village]) -> None:
    browser, village = goods
    shop = village.authority("uppers")
    found = browser.get("/api/v1/products", q="туфли", shop=shop, group_offers="0").json
    counts = {one["value"]: one["count"] for one in found["facets"]["brand"]}
    assert sum(counts.values()) == found["total"]
    for brand, count in counts.items():
        asked = {"q": "туфли", "shop": shop, "brand": brand, "group_offers": "0"}
        assert browser.get("/api/v1/products", **asked).json["total"] == count
    shops = {one["value"]: one["count"] for one in found["facets"]["shop"]}
    assert set(shops) == {village.authority("shop"), shop}, "the shop itself is still open"


def test_another_value_of_a_detected_filter_can_be_added(
    goods: tuple[HttpBrowser, Village],
) -> None:
    page = goods[0].get("/products", q="red shoes", ui="en").text
    found = page_links(page, "<aside", "</aside>")
    black = next(url for name, url in found.items() if name.startswith("black "))
    assert black.startswith("/products?q=shoes&colour=red&colour=black")
    there = goods[0].request(black)
    assert there.status == 200
    assert "Color: <bdi>black</bdi>" in there.text


def test_prices_are_filtered_by_range_and_currency(goods: tuple[HttpBrowser, Village]) -> None:
    browser, _ = goods
    asked = {"q": "", "min_price": "5 000", "max_price": "6000,00", "currency": "RUB"}
    found = browser.get("/api/v1/products", **asked).json["products"]
    assert found
    assert all(5000 <= one["price"] <= 6000 and one["currency"] == "RUB" for one in found)
    assert browser.get("/products", min_price="cheap").status == 400
    assert browser.get("/api/v1/products", min_price="cheap").status == 422


def test_products_are_sorted_by_price_within_each_currency(
    goods: tuple[HttpBrowser, Village],
) -> None:
    found = (
        goods[0].get("/api/v1/products", q="shoes", sort="price", limit=50, group_offers="0").json
    )
    prices = [(one["currency"], one["price"]) for one in found["products"]]
    place = {currency: number for number, currency in enumerate(found["currencies"])}
    assert prices == sorted(prices, key=lambda one: (place[one[0]], one[1]))
    assert len(place) > 1
    page = goods[0].get("/products", q="shoes", sort="price", ui="en").text
    assert "Prices are compared only within a currency" in page


def test_a_query_without_products_gets_advice(goods: tuple[HttpBrowser, Village]) -> None:
    page = goods[0].get("/products", q="qwertyuiop", ui="en").text
    assert "No results for" in page
    assert "Show all products." in page
    page = goods[0].get("/products", q="синие ботфорты 45 размера", ui="en").text
    found = page_links(page, '<section class="note">', "</section>")
    assert "Search without Size: 45" in found


def test_an_unknown_shop_is_reported_with_the_known_ones(
    goods: tuple[HttpBrowser, Village],
) -> None:
    page = goods[0].get("/products", shop="nowhere.example", ui="en").text
    assert "No indexed page is on this site: nowhere.example. Available sites: 127.0." in page


def test_a_price_has_a_history(goods: tuple[HttpBrowser, Village]) -> None:
    browser, village = goods
    url = village.url("shop", PRODUCT_PATH)
    found = browser.get("/api/v1/products/history", url=url).json
    assert [one["price"] for one in found] == [6290.0, 4490.0]
    assert found[0]["fetched_at"] <= found[1]["fetched_at"]  # whole seconds: they may be equal
    page = unescape(browser.get("/products/history", url=url, ui="en").text)
    assert '<svg class="chart prices"' in page
    assert "6,290\xa0RUB" in page
    assert browser.get("/products/history", url="http://127.0.0.1/none").status == 404
    assert browser.get("/api/v1/products/history", url="http://127.0.0.1/none").status == 404


def test_the_product_api_is_described(goods: tuple[HttpBrowser, Village]) -> None:
    told = goods[0].get("/api/v1/openapi.json").json["paths"]
    asked = {one["name"] for one in told["/api/v1/products"]["get"]["parameters"]}
    filters = {"shop", "brand", "kind", "colour", "size", "gender", "attribute"}
    prices = {"min_price", "max_price", "currency"}
    assert {"q", "sort", "group_offers", "page", "limit"} | filters | prices <= asked
    assert "/api/v1/products/history" in told


def test_the_docs_have_the_number_of_versions(goods: tuple[HttpBrowser, Village]) -> None:
    said = f"last {MAX_HISTORY_VERSIONS} fetches"
    told = goods[0].get("/api/v1/openapi.json").json["paths"]["/api/v1/products/history"]["get"]
    assert said in told["description"]
    assert said in (REFERENCE / "api.md").read_text("utf-8")
    commands = " ".join((REFERENCE / "commands.md").read_text("utf-8").split())
    assert f"`--limit` of them, at most {products.MAX_VERSIONS})." in commands


def test_the_products_tab_appears_with_products(
    goods: tuple[HttpBrowser, Village], browser: HttpBrowser
) -> None:
    assert ">Products</a>" in goods[0].get("/search", q="shoes", ui="en").text
    assert ">Products</a>" in goods[0].get("/images", q="shoes", ui="en").text
    assert ">Products</a>" not in browser.get("/search", q="rich").text


def test_a_detected_word_is_removed_as_a_whole_word() -> None:
    results = Results(
        Query(""), (), 0, 0.0,
        facets={"colour": (("red", 1), ("black", 1))},
        chips=(Chip("colour", "red", typed_text="red"),),
    )  # fmt: skip
    vertical = Products()
    params = QueryParams("sacred red shoes", path="/products", vertical=vertical)
    (colours,) = facets(params, results, vertical)
    assert colours.choices[1].url == "/products?q=sacred+shoes&colour=red&colour=black"


def test_errors_are_in_the_language_of_the_page(browser: HttpBrowser) -> None:
    page = browser.get("/products", page="0", ui="ru")
    assert page.status == 400
    with speaking("ru"):
        assert t("web.bad_query.page") in page.text
    assert "must be" not in page.text
    page = browser.get("/products", q="word " * 1000, ui="en")
    assert (page.status, "4,096 characters" in page.text) == (400, True)
    page = browser.get("/products", min_price="cheap", ui="ru")
    assert "must be" not in page.text


HOSTILE = [
    "<script>alert(1)</script>",
    '"x" OR y',
    "a:b:c",
    ":",
    "..",
    "((((",
    "\x00",
    "\u202e",
    "9" * 60,
]


@pytest.mark.parametrize("value", HOSTILE)
def test_hostile_parameters_do_not_break_the_page(
    goods: tuple[HttpBrowser, Village], value: str
) -> None:
    for name in (
        "q",
        "shop",
        "brand",
        "size",
        "attribute",
        "min_price",
        "currency",
        "sort",
        "page",
    ):
        for path in ("/products", "/api/v1/products"):
            found = goods[0].get(path, **{name: value})
            assert found.status in (200, 400, 422), (path, name)
            assert path.startswith("/api") or "<script>alert" not in found.text


OFFER = """<title>{name}</title><h1>{name}</h1><script type="application/ld+json">
{{"@type": "Product", "name": "{name}", "gtin13": "4006381333931", "image": "/p.png",
"offers": {{"price": "{price}", "priceCurrency": "EUR"}}}}</script>"""


def test_offers_of_two_shops_are_one_product_with_a_price_range(tmp_path: Path) -> None:
    one = OFFER.format(name="Pocket radio", price="40.00")
    other = OFFER.format(name="Radio &lt;b&gt;for the pocket&lt;/b&gt;", price="35.50")
    with local_site({"/": one}) as first, local_site({"/": other}) as second:
        engine = make_engine(tmp_path / "data", show_images=True)
        crawl_and_index(engine, [first.url, second.url])
        with served_search(engine) as browser:
            page = browser.get("/products", q="radio", ui="en")
            found = browser.get("/api/v1/products", q="radio").json
    assert found["total"] == 1
    assert [offer["price"] for offer in found["products"][0]["offers"]] == [35.5, 40.0]
    text = unescape(page.text)
    assert "35.50–40\xa0EUR" in text
    assert "1 product in" in text
    assert "<b>for" not in page.text
    assert (
        f'<img src="{first.url}/p.png"' in page.text
        or f'<img src="{second.url}/p.png"' in page.text
    )
    assert "img-src 'self' data: http: https:" in page.headers["Content-Security-Policy"]


def test_an_unknown_availability_is_passed_on(tmp_path: Path) -> None:
    words = tmp_path / "data" / "vocabulary"
    words.mkdir(parents=True)
    (words / "own.toml").write_text('[availability.values]\nsomeday = { also = ["someday"] }\n')
    offer = OFFER.format(name="Radio", price="40.00").replace(
        '"EUR"', '"EUR", "availability": "https://schema.org/Someday"'
    )
    with local_site({"/": offer}) as shop:
        engine = make_engine(tmp_path / "data")
        crawl_and_index(engine, [shop.url])
        with served_search(engine) as browser:
            told = browser.get("/api/v1/products/history", url=shop.url).json
            assert [one["availability"] for one in told] == ["someday"]
            page = browser.get("/products/history", url=shop.url)
            assert (page.status, "40\xa0EUR" in page.text) == (200, True)


def test_a_broken_vocabulary_stops_the_server(
    tmp_path: Path,
) -> None:
    engine = make_engine(tmp_path / "data")
    engine.create()
    (tmp_path / "data" / "vocabulary").mkdir()
    (tmp_path / "data" / "vocabulary" / "own.toml").write_text("colour = [")
    with pytest.raises(SettingsError, match=r"own\.toml"), served_search(engine):
        pass


def test_price_history_is_bounded_in_memory_and_time(tmp_path: Path) -> None:
    engine = make_engine(tmp_path / "data")
    filling = [f"<!--{random.Random(n).randbytes(400_000).hex()}-->" for n in range(8)]
    with local_site({"/": ""}) as shop:
        for number, filled in enumerate(filling, 1):
            shop.pages["/"] = OFFER.format(name="Radio", price=f"{number}.00") + filled
            crawl_and_index(engine, [shop.url], revisit=number > 1)
    with engine.search_session() as reading:
        kept = PageArchive(engine.storage, engine.settings, reading)
        found = kept.find(shop.url)
        assert found
        tracemalloc.start()
        prices = found.record_history(Products())
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert [one.record["price"] for one in prices] == [*map(float, range(1, 9))]
        assert most < 6_000_000, "eight versions of 800 kB would be more"
        with pytest.raises(DataError, match="too long"):
            found.record_history(Products(), timeout=0.0)
