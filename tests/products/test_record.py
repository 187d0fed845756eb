"""Products as stored in documents, and their filters."""

from typing import Any

import pytest

from byway.core.fields import indexed_attributes
from byway.core.model import Document, Url
from byway.core.model.document import pack, unpack
from byway.products.record import (
    PRODUCT_ATTRIBUTE,
    Product,
    build_filters,
    filters_of,
    missing_fields,
    product_of,
    product_to_dict,
)
from byway.products.vocabulary.lookup import default_vocabulary

BOOTS = Product(
    name="Ботильоны «Кама»",
    brand="Verst",
    gender="женщинам",
    colours=("тёмно-синий",),
    sizes=("38 RU",),
    price=7200.0,
    currency="RUB",
    attributes={"Каблук": "устойчивый", "Страна": "Китай", "Материал верха": "искусственная кожа"},
    sources={"price": "rule"},
)


def document(product: Product = BOOTS, **attributes: Any) -> Document:
    told = {**attributes, PRODUCT_ATTRIBUTE: product_to_dict(product, default_vocabulary())}
    return Document(Url("http://a.org/1"), attributes=told)


def test_a_product_survives_packing() -> None:
    assert product_of(unpack(pack(document()))) == BOOTS
    assert product_of(Document(Url("http://a.org/"))) is None


def test_filters_are_in_the_words_of_the_vocabulary() -> None:
    found = build_filters(BOOTS, default_vocabulary())
    assert found["kind"] == ["booties", "ankle boots", "boots"]
    assert found["colour"] == ["dark blue", "blue"]
    assert found["gender"] == ["women"]
    assert found["heel"] == ["block heel"]
    assert found["country"] == ["China"]
    assert found["size"] == [38.0]
    assert found["size_us"] == [8.0]
    assert found["price"] == 7200.0


def test_missing_attributes_are_listed() -> None:
    lacks: Any = build_filters(BOOTS, default_vocabulary())["lacks"]
    assert "toe" in lacks
    assert "heel" not in lacks
    assert missing_fields(document()) == ("images",)


def test_the_name_gives_the_kind_before_the_category() -> None:
    shoes = Product(name="Эспадрильи", kind="Слипоны и эспадрильи")
    assert build_filters(shoes, default_vocabulary())["kind"] == ["espadrilles"]
    nameless = Product(name="Модель 7")
    assert build_filters(nameless, default_vocabulary(), "Обувь / Кеды")["kind"] == [
        "plimsolls",
        "sneakers",
    ]


def test_a_description_gives_the_shape_but_not_the_material() -> None:
    product = Product(name="Туфли", description="На шпильке. Подошва из кожи, стелька из замши.")
    found = build_filters(product, default_vocabulary())
    assert found["heel"] == ["stiletto", "high heel"]
    assert "material" not in found


def test_only_the_filters_of_a_product_are_indexed() -> None:
    other = {"structured": {"json-ld": [{"@type": "Product", "price": "1"}]}}
    texts, numbers = indexed_attributes(document(BOOTS, **other))
    assert numbers["price"] == [7200.0]
    assert "structured" not in texts


def test_vocabulary_values_match_as_a_whole_and_brands_by_word() -> None:
    texts, _ = indexed_attributes(document(Product(name="Туфли", brand="Antonio Biaggi")))
    assert {"antonio", "antonio biaggi"} <= texts["brand"]
    texts, _ = indexed_attributes(document())
    assert texts["material"] == {"artificial leather"}


def test_a_document_without_a_product_has_no_filters() -> None:
    assert (
        filters_of(Document(Url("http://a.org/"), attributes={PRODUCT_ATTRIBUTE: "a text"})) == {}
    )


@pytest.mark.parametrize(
    ("name", "kinds"),
    [("Чехол для телефона", None), ("Bag for a laptop", ["bag"]), ("Laptop bag for women", ["bag"]),
     ("Кроссовки для бега", ["sneakers"]), ("Для женщин туфли", ["shoes"])],
)  # fmt: skip
def test_the_purpose_of_a_product_is_not_its_kind(name: str, kinds: list[str] | None) -> None:
    found = build_filters(Product(name=name, price=1.0), default_vocabulary()).get("kind")
    assert found == kinds or (kinds and isinstance(found, list) and kinds[0] in found)


def test_a_category_may_name_a_gender() -> None:
    filters = build_filters(
        Product(name="«Ока»", kind="Обувь для женщин / Туфли"), default_vocabulary()
    )
    assert filters["kind"] == ["shoes"]
