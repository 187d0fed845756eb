"""Pages of one product share an identity key; different products share none."""

import pytest

from byway.products.identity_keys import normalize_gtin
from byway.products.record import Product, build_filters
from byway.products.vocabulary.lookup import default_vocabulary


def keys(name: str, brand: str = "Halm", **about: object) -> set[str]:
    product = Product(name=name, brand=brand, price=1.0, **about)  # type: ignore[arg-type]
    found = build_filters(product, default_vocabulary())["same"]
    assert isinstance(found, list)
    return set(found)


@pytest.mark.parametrize(
    ("typed", "whole"),
    [("4006381333931", "04006381333931"), ("978-5-699-12014-7", "09785699120147"),
     ("40170725", "00000040170725"), ("4006381333932", ""), ("123", ""), ("00000000", ""),
     ("٤٠٠٦٣٨١٣٣٣٩٣١", ""), ("", "")],
)  # fmt: skip
def test_a_gtin_needs_a_valid_check_digit(typed: str, whole: str) -> None:
    assert normalize_gtin(typed) == whole


@pytest.mark.parametrize(
    ("one", "other"),
    [("Кроссовки мужские Nimbus 9", "Halm Nimbus 9 кроссовки"), ("Туфли «Арбат»", "Туфли Арбат"),
     ("Sneakers Halm Air Max 90", "Кроссовки Air Max 90")],
)  # fmt: skip
def test_spellings_of_one_model_share_a_key(one: str, other: str) -> None:
    assert keys(one) & keys(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("Кроссовки Nimbus 9", "Кроссовки Nimbus 8"), ("Кожаные туфли", "Кожаные туфли"),
     ("Туфли «Арбат»", "Ботинки «Арбат»"), ("РЕЗИНОВЫЕ САПОГИ", "РЕЗИНОВЫЕ САПОГИ")],
)  # fmt: skip
def test_similar_products_share_no_key(one: str, other: str) -> None:
    assert not keys(one) & keys(other)


def test_colours_and_brands_are_part_of_the_key() -> None:
    red, blue = (keys("Туфли «Ока»", colours=(one,)) for one in ("красный", "синий"))
    assert not red & blue
    assert not keys("Туфли «Ока»", "Halm") & keys("Туфли «Ока»", "Verst")
    assert not keys("Туфли «Ока»", "")


def test_a_sku_is_a_key_together_with_its_brand() -> None:
    assert keys("Туфли", sku="SBS-101") & keys("Shoes", sku="sbs 101")
    assert not keys("Туфли", sku="SBS-101") & keys("Туфли", "Verst", sku="SBS-101")
    assert not keys("Туфли", sku="12")
