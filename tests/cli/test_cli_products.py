"""Shops of the village, checked and searched on the command line."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cli.called import byway
from cli.conftest import LOOPBACK

from byway.village import Village


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("shops") / "data"
    with Village() as village:
        seeds = [village.url(name) for name in ("shop", "uppers")]
        quick = ("--delay", 0, "--allow-private", LOOPBACK, "--data", folder)
        assert byway("crawl", *seeds, *quick).code == 0
        assert byway("index", "--data", folder).code == 0
    yield folder


def asked(data: Path, *words: object) -> Any:
    ran = byway(*words, "--json", "--data", data)
    assert (ran.code, ran.err) == (0, "")
    return json.loads(ran.out)


def test_check_says_how_many_pages_are_products_and_what_they_lack(data: Path) -> None:
    first, second = asked(data, "products", "check")
    assert (first["products"], second["products"]) == (28, 12)
    assert first["pages"] > second["pages"] > 12
    assert second["missing"]["size"] == 1
    assert second["prices_from"] == {"rule": 12}
    shown = byway("products", "check", "--data", data)
    assert "lack images 28" in shown.out


def test_vocabulary_lists_what_nobody_has_unified(data: Path) -> None:
    for one in asked(data, "products", "vocabulary"):
        assert {"name", "value", "times", "suggestion"} < set(one)
    shown = byway("products", "vocabulary", "--data", data)
    assert shown.code == 0


def test_goods_are_searched_with_chips_prices_and_sizes(data: Path) -> None:
    words = ("search", "красные туфли 38 размера до 9000", "--products", "--sort", "price")
    found = asked(data, *words)
    prices = [hit["product"]["price"] for hit in found["hits"]]
    assert prices == [4990.0, 5490.0, 8190.0]
    assert [chip["typed"] for chip in found["chips"]] == [
        "красные", "туфли", "38 размера", "до 9000",
    ]  # fmt: skip
    shown = byway(*words, "--facets", "--data", data).out
    assert "colour: красный  kind: туфли  size: 38  price: ..9000 RUB" in shown
    assert "4,990 RUB · Verst" in shown


def test_what_only_comes_near_is_said_to(data: Path) -> None:
    shown = byway("search", "туфли с открытым носком", "--products", "--data", data).out
    assert "Nothing is all of that" in shown


def test_a_folder_that_is_not_there_is_one_clear_line(tmp_path: Path) -> None:
    ran = byway("products", "check", "--data", tmp_path / "none")
    assert ran.code in (1, 2)
    assert len(ran.err.splitlines()) == 1
