"""What queries should find is known from the pages of the village, not from our reading of them."""

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


def is_meant(good: dict[str, Any], where: dict[str, Any]) -> bool:
    """Is it what somebody asks for?"""
    limits = where.get("least", 0) <= good["price"] <= where.get("most", 10**9)
    asked = {name: value for name, value in where.items() if name not in ("least", "most")}
    values = {name: good.get(name, []) for name in asked}
    each = {name: said if isinstance(said, list) else [said] for name, said in values.items()}
    return limits and all(value in each[name] for name, value in asked.items())


@pytest.mark.parametrize("good", GOODS, ids=lambda good: good["page"])
def test_what_is_written_down_of_goods_stands_on_their_pages(good: dict[str, Any]) -> None:
    text = unescape((SITES_FOLDER / good["page"]).read_text("utf-8")).replace("\xa0", " ")
    assert [said for said in good["says"] if said not in text] == []
    digits = f"{good['price']:g}"
    assert any(digits in said.replace(" ", "") for said in good["says"])


def test_all_goods_of_the_shops_are_written_down() -> None:
    pages = {*SITES_FOLDER.glob("shop/*/*/*.html"), *SITES_FOLDER.glob("uppers/goods/*.html")}
    there = {str(page.relative_to(SITES_FOLDER)) for page in pages if page.name != "index.html"}
    assert {good["page"] for good in GOODS} == there


@pytest.mark.parametrize("query", QUERIES, ids=lambda query: query["query"])
def test_the_pages_of_a_query_follow_from_the_goods(query: dict[str, Any]) -> None:
    meant = sorted(good["page"] for good in GOODS if is_meant(good, query["where"]))
    assert meant == sorted(query["pages"])


def test_there_are_enough_of_them_in_both_languages() -> None:
    russian = [one for one in QUERIES if RUSSIAN.search(one["query"])]
    assert len(QUERIES) >= 40
    assert min(len(russian), len(QUERIES) - len(russian)) >= 20
