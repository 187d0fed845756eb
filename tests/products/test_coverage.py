"""Coverage of shops, and words the vocabulary does not have."""

from byway.core.model import Document, Url
from byway.products.coverage import find_unknown_words, shop_coverage
from byway.products.record import PRODUCT_ATTRIBUTE, Product, product_to_dict
from byway.products.vocabulary.lookup import default_vocabulary


def page(host: str, number: int, product: Product | None = None) -> Document:
    attributes = (
        {PRODUCT_ATTRIBUTE: product_to_dict(product, default_vocabulary())} if product else {}
    )
    return Document(Url(f"http://{host}/{number}"), attributes=attributes)


SHOE = Product(
    name="Туфли",
    brand="Halm",
    gender="женский",
    price=5.0,
    currency="EUR",
    colours=("цвета весенней грозы",),
    attributes={"Цвет подошвы": "белый", "Матерьял верха": "кожа", "Сезон": "лето"},
    sources={"price": "rule"},
)


def test_shops_are_counted_with_missing_fields_and_price_sources() -> None:
    pages = [page("a.org", 1, SHOE), page("a.org", 2), page("b.org", 1)]
    (shop,) = shop_coverage(pages)
    assert (shop.host, shop.pages, shop.products) == ("a.org", 2, 1)
    assert +shop.missing_fields == {"size": 1, "images": 1}
    assert shop.price_sources == {"rule": 1}


def test_unknown_names_and_values_are_counted_with_suggestions() -> None:
    found = find_unknown_words(
        [page("a.org", 1, SHOE), page("a.org", 2, SHOE)], default_vocabulary()
    )
    words = {(each.name, each.value): (each.count, each.suggestion) for each in found}
    assert words["матерьял верха", ""] == (2, "material")
    assert words["colour", "цвета весенней грозы"][0] == 2
    assert words["цвет подошвы", ""][0] == 2
    assert ("сезон", "") not in words
    assert ("season", "лето") not in words
