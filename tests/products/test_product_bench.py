"""Expected results of the product benchmark follow from the village's pages."""

import re
import tomllib
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from byway.village.server import SITES_FOLDER

BENCH = Path(__file__).parents[2] / "bench" / "quality" / "products"
GOODS: list[dict[str, Any]] = tomllib.loads((BENCH / "goods.toml").read_text("utf-8"))["goods"]
QUERIES: list[dict[str, Any]] = tomllib.loads((BENCH / "queries.toml").read_text("utf-8"))[
    "queries"
]
RUSSIAN = re.compile("[а-яё]")


def matches(good: dict[str, Any], where: dict[str, Any]) -> bool:
    """Whether a product matches the conditions of a query."""
    limits = where.get("least", 0) <= good["price"] <= where.get("most", 10**9)
    conditions = {name: value for name, value in where.items() if name not in ("least", "most")}
    values = {name: good.get(name, []) for name in conditions}
    each = {name: value if isinstance(value, list) else [value] for name, value in values.items()}
    return limits and all(value in each[name] for name, value in conditions.items())


@pytest.mark.parametrize("good", GOODS, ids=lambda good: good["page"])
def test_the_expected_texts_of_a_product_are_on_its_page(good: dict[str, Any]) -> None:
    page = unescape((SITES_FOLDER / good["page"]).read_text("utf-8")).replace("\xa0", " ")
    assert [text for text in good["says"] if text not in page] == []
    digits = f"{good['price']:g}"
    assert any(digits in text.replace(" ", "") for text in good["says"])


def test_every_product_page_of_the_village_is_listed() -> None:
    pages = {*SITES_FOLDER.glob("shop/*/*/*.html"), *SITES_FOLDER.glob("uppers/goods/*.html")}
    found = {str(page.relative_to(SITES_FOLDER)) for page in pages if page.name != "index.html"}
    assert {good["page"] for good in GOODS} == found


@pytest.mark.parametrize("query", QUERIES, ids=lambda query: query["query"])
def test_the_expected_pages_of_a_query_follow_from_the_products(query: dict[str, Any]) -> None:
    expected = sorted(good["page"] for good in GOODS if matches(good, query["where"]))
    assert expected == sorted(query["pages"])


def test_there_are_enough_queries_in_both_languages() -> None:
    russian = [each for each in QUERIES if RUSSIAN.search(each["query"])]
    assert len(QUERIES) >= 40
    assert min(len(russian), len(QUERIES) - len(russian)) >= 20
