"""The same thing in several shops has a key in common; different things have none."""

import pytest

from byway.products.identity_keys import normalize_gtin
from byway.products.record import Product, build_filters
from byway.products.vocabulary.lookup import default_vocabulary


def keys(name: str, brand: str = "Halm", **about: object) -> set[str]:
    told = Product(name=name, brand=brand, price=1.0, **about)  # type: ignore[arg-type]
    found = build_filters(told, default_vocabulary())["same"]
    assert isinstance(found, list)
    return set(found)


@pytest.mark.parametrize(
    ("typed", "whole"),
    [("4006381333931", "04006381333931"), ("978-5-699-12014-7", "09785699120147"),
     ("40170725", "00000040170725"), ("4006381333932", ""), ("123", ""), ("00000000", ""),
     ("٤٠٠٦٣٨١٣٣٣٩٣١", ""), ("", "")],
)  # fmt: skip
def test_a_bar_code_counts_if_its_last_digit_is_right(typed: str, whole: str) -> None:
    assert normalize_gtin(typed) == whole


@pytest.mark.parametrize(
    ("one", "other"),
    [("Кроссовки мужские Nimbus 9", "Halm Nimbus 9 кроссовки"), ("Туфли «Арбат»", "Туфли Арбат"),
     ("Sneakers Halm Air Max 90", "Кроссовки Air Max 90")],
)  # fmt: skip
def test_a_model_is_known_by_its_name_however_the_shop_puts_it(one: str, other: str) -> None:
    assert keys(one) & keys(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("Кроссовки Nimbus 9", "Кроссовки Nimbus 8"), ("Кожаные туфли", "Кожаные туфли"),
     ("Туфли «Арбат»", "Ботинки «Арбат»"), ("РЕЗИНОВЫЕ САПОГИ", "РЕЗИНОВЫЕ САПОГИ")],
)  # fmt: skip
def test_what_only_sounds_alike_is_not_the_same(one: str, other: str) -> None:
    assert not keys(one) & keys(other)


def test_colours_and_brands_tell_things_apart() -> None:
    red, blue = (keys("Туфли «Ока»", colours=(one,)) for one in ("красный", "синий"))
    assert not red & blue
    assert not keys("Туфли «Ока»", "Halm") & keys("Туфли «Ока»", "Verst")
    assert not keys("Туфли «Ока»", "")


def test_a_number_counts_with_its_brand() -> None:
    assert keys("Туфли", sku="SBS-101") & keys("Shoes", sku="sbs 101")
    assert not keys("Туфли", sku="SBS-101") & keys("Туфли", "Verst", sku="SBS-101")
    assert not keys("Туфли", sku="12")
