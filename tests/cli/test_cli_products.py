"""Shops of the village, checked and searched on the command line."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cli.conftest import LOOPBACK_NETWORK
from cli.runner import byway, error_line
from shops import PRODUCT_PATH, crawl_shops_twice
from web.crawled_site import local_site

from byway.village import Village


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("shops") / "data"
    with Village() as village:
        seeds = [village.url(name) for name in ("shop", "uppers")]
        quick = ("--delay", 0, "--allow-private", LOOPBACK_NETWORK, "--data", folder)
        assert byway("crawl", *seeds, *quick).exit_code == 0
        assert byway("index", "--data", folder).exit_code == 0
    yield folder


def asked(data: Path, *words: object) -> Any:
    ran = byway(*words, "--json", "--data", data)
    assert (ran.exit_code, ran.stderr) == (0, "")
    return json.loads(ran.stdout)


def test_check_says_how_many_pages_are_products_and_what_they_lack(data: Path) -> None:
    first, second = asked(data, "products", "check")
    assert (first["products"], second["products"]) == (28, 12)
    assert first["pages"] > second["pages"] > 12
    assert second["missing_fields"]["size"] == 1
    assert second["price_sources"] == {"rule": 12}
    shown = byway("products", "check", "--data", data)
    assert "missing: images 28" in shown.stdout


def test_vocabulary_lists_what_nobody_has_unified(data: Path) -> None:
    for one in asked(data, "products", "vocabulary"):
        assert {"name", "value", "count", "suggestion"} < set(one)
    shown = byway("products", "vocabulary", "--data", data)
    assert shown.exit_code == 0


def test_goods_are_searched_with_chips_prices_and_sizes(data: Path) -> None:
    words = ("search", "красные туфли 38 размера до 9000", "--products", "--sort", "price")
    found = asked(data, *words)
    prices = [hit["product"]["price"] for hit in found["hits"]]
    assert prices == [4990.0, 5490.0, 8190.0]
    assert [chip["typed"] for chip in found["detected_filters"]] == [
        "красные", "туфли", "38 размера", "до 9000",
    ]  # fmt: skip
    shown = byway(*words, "--facets", "--data", data).stdout
    assert "colour: красный  kind: туфли  size: 38  price: ..9000 RUB" in shown
    assert "4,990 RUB · Verst" in shown


def test_what_only_comes_near_is_said_to(data: Path) -> None:
    shown = byway("search", "туфли с открытым носком", "--products", "--data", data).stdout
    assert "No product matches every condition" in shown


def test_a_folder_that_is_not_there_is_one_clear_line(tmp_path: Path) -> None:
    ran = byway("products", "check", "--data", tmp_path / "none")
    assert ran.exit_code in (1, 2)
    assert len(ran.stderr.splitlines()) == 1


def test_words_that_name_nothing_find_no_goods(data: Path) -> None:
    found = asked(data, "search", "qwertyuiop", "--products")
    assert (found["total"], found["hits"]) == (0, [])
    shown = byway("search", "qwertyuiop", "--products", "--data", data).stdout
    assert "No products found." in shown
    assert "remove --products." in shown
    shown = byway("search", "qwertyuiop", "--sort", "price", "--group", "--data", data).stdout
    assert "remove --group and --sort price." in shown
    shown = byway("search", "синие ботфорты 45 размера", "--products", "--data", data).stdout
    assert "'синие ботфорты'" in shown


def test_what_two_pages_sell_is_one_product_with_both_offers(data: Path) -> None:
    found = asked(data, "search", "red pumps", "--group")
    (hit,) = found["hits"]
    assert [(offer["price"], offer["currency"]) for offer in hit["offers"]] == [
        (86.0, "EUR"), (8190.0, "RUB"),
    ]  # fmt: skip
    shown = byway("search", "red shoes", "--group", "--sort", "price", "--data", data).stdout
    assert "The currencies are shown in this order: RUB, EUR" in shown
    assert "86 EUR" in shown


def test_a_price_is_followed_through_the_versions_of_its_page(tmp_path: Path) -> None:
    for engine, village in crawl_shops_twice(tmp_path / "data", tmp_path / "sites"):
        url = village.url("shop", PRODUCT_PATH)
        seen = asked(engine.storage.path, "products", "history", url)
        assert [(one["price"], one["currency"]) for one in seen] == [(6290, "RUB"), (4490, "RUB")]
        shown = byway("products", "history", url, "--data", engine.storage.path).stdout
        assert shown.index("6,290 RUB") < shown.index("4,490 RUB")
        assert shown.split()[:5] == ["fetched", "price", "old", "price", "availability"]
        other = village.url("uppers", "/goods/oka.html")
        assert {
            one["price"] for one in asked(engine.storage.path, "products", "history", other)
        } == {4990}


@pytest.mark.parametrize(
    "words", [["history"], ["check", "http://a.org/"], ["history", "http://a.org/none"]]
)
def test_a_history_needs_a_page_that_is_kept(data: Path, words: list[str]) -> None:
    ran = byway("products", *words, "--data", data)
    assert ran.exit_code in (1, 2)
    assert len(ran.stderr.splitlines()) == 1


def test_what_is_no_url_has_no_history(data: Path) -> None:
    why = error_line("products", "history", "not a url", "--data", data, exit_code=2)
    assert why.startswith("Not a URL: 'not a url'")
    why = error_line("products", "history", "notaurl", "--data", data, exit_code=2)
    assert why.startswith("Not a URL: 'notaurl'")


def test_a_page_that_is_no_product_is_named(data: Path) -> None:
    shop = asked(data, "status")["seeds"][0]
    ran = byway("products", "history", shop, "--data", data)
    assert (ran.exit_code, ran.stdout) == (0, "")
    assert ran.stderr.startswith(f"No product was found in any stored version of {shop}. ")


def test_what_shops_write_is_shown_as_they_wrote_it(tmp_path: Path) -> None:
    name = "Windcheater :smile: North"
    page = ZIPPERS.format(name=name, price=90, zip=":star: steel", colour=":heart: bleu")
    with local_site({"/": page}) as site:
        quick = ("--delay", 0, "--allow-private", LOOPBACK_NETWORK, "--data", tmp_path)
        assert byway("crawl", site.url, *quick).exit_code == 0
    assert byway("index", "--data", tmp_path).exit_code == 0
    assert ":heart: bleu" in byway("products", "vocabulary", "--toml", "--data", tmp_path).stdout
    assert ":heart: bleu" in byway("products", "vocabulary", "--data", tmp_path).stdout
    assert name in byway("search", "windcheater", "--data", tmp_path).stdout


ZIPPERS = """<title>{name}</title><h1>{name}</h1><p class="price">{price} €</p>
<button>Add to basket</button>
<dl><dt>Zipper</dt><dd>{zip}</dd><dt>Colour</dt><dd>{colour}</dd></dl>"""
MINE = """
[zip]
names = ["zipper"]
query = "filter"
[zip.values]
metal = { words = ["metal zip"], also = ["steel"] }
[kind.values]
windcheater = { in = "jacket", words = ["windcheater"] }
"""


def test_words_of_ones_own_are_read_suggested_and_searched_by(tmp_path: Path) -> None:
    pages = {
        "/": ZIPPERS.format(name="Windcheater North", price=90, zip="steel", colour="bleu nuit"),
        "/b": ZIPPERS.format(name="Windcheater South", price=70, zip="plastic", colour="red"),
    }
    pages["/"] += '<a href="/b">b</a>'
    data = tmp_path / "data"
    with local_site(pages) as site:
        quick = ("--delay", 0, "--allow-private", LOOPBACK_NETWORK, "--data", data)
        assert byway("crawl", site.url, *quick).exit_code == 0
    assert byway("index", "--data", data).exit_code == 0
    lines = byway("products", "vocabulary", "--toml", "--data", data).stdout
    assert '# names = ["zipper"]' in lines
    assert "bleu nuit" in lines
    (data / "vocabulary").mkdir()
    (data / "vocabulary" / "mine.toml").write_text(MINE)
    assert byway("index", "--rebuild", "--data", data).exit_code == 0
    found = asked(data, "search", "windcheater metal zip", "--products")
    assert [hit["title"] for hit in found["hits"]] == ["Windcheater North"]
    assert [chip["filter"] for chip in found["detected_filters"]] == [
        'kind:"windcheater"',
        'zip:"metal"',
    ]
    assert len(asked(data, "search", "jacket", "--products")["hits"]) == 2
    (data / "vocabulary" / "mine.toml").write_text("[zip]\nnames = 'zipper'\n")
    ran = byway("search", "windcheater", "--products", "--data", data)
    assert ran.exit_code in (1, 2)
    assert "mine.toml, line 1: [zip]: names must be a list" in ran.stderr
    assert len(ran.stderr.splitlines()) == 1
    assert "mine.toml, line 1" in byway("index", "--rebuild", "--data", data).stderr
    (data / "vocabulary" / "mine.toml").write_bytes(b"# \xff")
    says = byway("search", "windcheater", "--products", "--data", data).stderr
    assert says.endswith("mine.toml is not UTF-8. Save the file as UTF-8.\n")
    (data / "vocabulary" / "mine.toml").unlink()
    assert len(asked(data, "search", "windcheater")["hits"]) == 2, "the index was thrown away"
