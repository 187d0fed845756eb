"""Site rules on saved pages of real shops: name, price, brand, colours and sizes."""

import json
from pathlib import Path
from typing import Any

import pytest
from extract.page_factory import FETCHED_AT, MAX_BYTES, SETTINGS, VERTICALS
from vectors import vector_path

from byway.core.model import Page
from byway.core.url import normalize
from byway.extract.dispatch import extract
from byway.extract.site_rules.load import load_rules
from byway.products.record import Product, product_of
from byway.products.sizes import format_sizes, parse_sizes


@pytest.mark.parametrize("shop", ["ru.antoniobiaggi.com", "www.lamoda.ru"])
def test_products_of_real_shops_are_read_by_rules(shop: str) -> None:
    folder = vector_path("products/findmyshoes")
    lines = (folder / "gold.jsonl").read_text(encoding="utf-8").splitlines()
    gold = [gold_product for line in lines if (gold_product := json.loads(line))["shop"] == shop]
    assert gold
    for gold_product in gold:
        product = product_on_page(folder, gold_product)
        assert {
            name: getattr(product, name) for name in expected_fields(gold_product)
        } == expected_fields(gold_product), gold_product["url"]


def product_on_page(folder: Path, gold_product: Any) -> Product:
    path = folder / gold_product["file"].replace("data/raw", "pages")
    headers = (("Content-Type", "text/html; charset=utf-8"),)
    page = Page(normalize(gold_product["url"]), FETCHED_AT, 200, headers, path.read_bytes())
    document = extract(page, SETTINGS, MAX_BYTES, load_rules(), VERTICALS).document
    assert document is not None
    product = product_of(document)
    assert product is not None
    return product


def expected_fields(gold_product: Any) -> dict[str, object]:
    colours = gold_product.get("colors") or [gold_product["attributes"]["Цвет"]]
    sizes = [size for text in gold_product["sizes"] for size in parse_sizes(text)]
    same = {name: gold_product[name] for name in ("name", "brand", "price", "currency")}
    return {**same, "colours": tuple(colours), "sizes": format_sizes(sizes)}
