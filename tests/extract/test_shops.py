"""Rules are enough for real shops: name, price, brand, colours and sizes of their saved pages."""

import json
from pathlib import Path
from typing import Any

import pytest
from extract.making import MOST, NOVEMBER, SETTINGS
from vectors import vectors

from byway.extract import extract
from byway.extract.sites.found import load
from byway.model import Page
from byway.url import normalise

SHOPS = Path(__file__).with_name("shops")


@pytest.mark.parametrize("shop", ["ru.antoniobiaggi.com", "www.lamoda.ru"])
def test_products_are_read_as_their_pages_show_them(shop: str) -> None:
    folder = vectors("products/findmyshoes")
    lines = (folder / "gold.jsonl").read_text(encoding="utf-8").splitlines()
    gold = [told for line in lines if (told := json.loads(line))["shop"] == shop]
    assert gold
    for told in gold:
        assert found_on(folder, told) == wanted(told), told["url"]


def found_on(folder: Path, told: Any) -> dict[str, object]:
    path = folder / told["file"].replace("data/raw", "pages")
    headers = (("Content-Type", "text/html; charset=utf-8"),)
    page = Page(normalise(told["url"]), NOVEMBER, 200, headers, path.read_bytes())
    document = extract(page, SETTINGS, MOST, load(SHOPS)).document
    assert document is not None
    said = {key: value for key, value in document.attributes.items() if key != "structured"}
    return {"name": document.title, **said}


def wanted(told: Any) -> dict[str, object]:
    price = {"amount": told["price"], "currency": told["currency"]}
    names = [name for name in ("name", "brand", "colors", "sizes") if told.get(name)]
    return {"price": price, **{name: told[name] for name in names}}
