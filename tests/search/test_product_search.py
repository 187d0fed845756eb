"""Product search, on every backend."""

from typing import Any

import pytest
from contract.backends import Backend
from search.corpus import filters, index_pages, make_searcher

from byway.core.model import Document, Query, Results, UrlId
from byway.core.url import normalize
from byway.products.record import PRODUCT_ATTRIBUTE, Product, product_to_dict
from byway.products.vocabulary.lookup import default_vocabulary


def goods(id: int, name: str, price: float, **about: Any) -> Document:
    product = Product(name=name, price=price, currency="RUB", **about)
    return Document(
        normalize(f"http://shop{id % 2}.org/{id}"),
        UrlId(id),
        name,
        f"{name}. {product.description}",
        language="ru",
        attributes={PRODUCT_ATTRIBUTE: product_to_dict(product, default_vocabulary())},
    )


WEDGE, CLOSED = {"Каблук": "танкетка"}, {"Мыс": "закрытый"}
PAGES = (
    goods(1, "Туфли «Ока»", 4990, colours=("красный",), sizes=("37", "38"), brand="Verst"),
    goods(2, "Туфли «Яуза»", 5490, colours=("бордовый",), sizes=("38",), attributes=WEDGE),
    goods(3, "Туфли «Арбат»", 7490, colours=("чёрный",), sizes=("38",), attributes=CLOSED),
    goods(4, "Кеды «Двор»", 2990, colours=("красный",), sizes=("38",), rating=4.5),
    Document(normalize("http://news.org/5"), UrlId(5), "Красные туфли", "Красные туфли 38 размера"),
)


@pytest.fixture
def asked(backend: Backend) -> Any:
    index_pages(backend, *PAGES)

    def ask(text: str, **more: Any) -> Results:
        return make_searcher(backend).search(Query(text, 100, vertical="products", **more))

    return ask


def ids(results: Results) -> list[int]:
    return sorted(hit.id for hit in results.hits)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [("красные туфли", [1, 2]), ("красные туфли 38 размера до 5000", [1]),
     ("туфли на танкетке", [2]), ("туфли с закрытым носом", [3]), ("бордовые туфли", [2]),
     ("обувь 38 размера от 5000", [2, 3]), ("туфли verst", [1]), ("красные site:shop0.org", [2, 4]),
     ("кеды", [4]), ("red shoes", [1, 2]), ("красные -туфли", [4])],
)  # fmt: skip
def test_products_are_found_by_their_attributes_only(
    asked: Any, text: str, wanted: list[int]
) -> None:
    results = asked(text)
    assert ids(results) == wanted
    assert not results.partial_match


def test_chips_are_the_detected_filters(asked: Any) -> None:
    results = asked("красные туфли")
    assert [chip.filter for chip in results.chips] == ['colour:"red"', 'kind:"shoes"']
    assert results.hits[0].records["product"]["currency"] == "RUB"


def test_attribute_words_are_plain_words_in_a_page_search(backend: Backend) -> None:
    index_pages(backend, *PAGES)
    results = make_searcher(backend).search(Query("красные туфли", 100))
    assert not results.chips
    assert 5 in ids(results)


def test_products_without_the_attribute_are_partial_matches(asked: Any) -> None:
    results = asked("туфли с открытым носом")
    assert results.partial_match
    assert ids(results) == [1, 2], "the third says that its toe is closed"


def test_products_with_another_value_are_never_shown(asked: Any) -> None:
    assert ids(asked("синие туфли")) == []
    assert ids(asked("туфли 45 размера")) == []
    assert ids(asked("туфли до 100")) == []


def test_products_are_sorted_by_price_or_rating(asked: Any) -> None:
    assert [hit.id for hit in asked("38 размера", sort="price").hits] == [4, 1, 2, 3]
    assert [hit.id for hit in asked("38 размера", sort="-price").hits] == [3, 2, 1, 4]
    assert asked("38 размера", sort="rating").hits[0].id == 4


def test_a_facet_is_counted_without_its_own_filter(asked: Any) -> None:
    facets = asked("красные туфли", count_facets=True).facets
    assert dict(facets["colour"]) == {"red": 2, "burgundy": 1, "black": 1}
    assert dict(facets["kind"]) == {"shoes": 2, "plimsolls": 1, "sneakers": 1}
    assert dict(facets["size"]) == {"38": 2, "37": 1}


def test_filters_may_be_typed_too(asked: Any) -> None:
    assert ids(asked("туфли colour:red price:5000..")) == [2]
    assert ids(asked("", filters=filters("is:product", "size:37"))) == [1]


def test_unknown_words_find_no_products(asked: Any) -> None:
    assert ids(asked("qwertyuiop")) == []
    assert ids(asked("qwertyuiop", filters=filters("colour:red"))) == []


def test_partial_matches_with_the_most_filters_come_first(asked: Any) -> None:
    results = asked("красные туфли на танкетке с закрытым носом зимние")
    assert results.partial_match
    assert results.hits[0].id == 2, "it has the colour, the kind and the heel"


def test_selected_values_of_one_attribute_are_alternatives(asked: Any) -> None:
    assert ids(asked("туфли", filters=filters("colour:black", "colour:burgundy"))) == [2, 3]
    chosen = filters("colour:red", "price:5000..", "price:..6000")
    assert ids(asked("туфли", filters=chosen)) == [2]


def test_host_diversity_does_not_apply_to_products(backend: Backend) -> None:
    few = [goods(n, f"Туфли «{n}»", 100 + n) for n in range(2, 22, 2)]
    index_pages(backend, *few, goods(1, "Туфли", 50))
    results = make_searcher(backend).search(Query("туфли", 100, vertical="products"))
    assert len(results.hits) == 11
    assert not any(hit.more_from_host for hit in results.hits)


def test_prices_are_compared_within_a_currency(backend: Backend) -> None:
    def priced(id: int, price: float | None, currency: str) -> Document:
        product = Product(name="Туфли", price=price, currency=currency, sku="x", sizes=("38",))
        kept_so = {PRODUCT_ATTRIBUTE: product_to_dict(product, default_vocabulary())}
        url = normalize(f"http://shop.org/{id}")
        return Document(url, UrlId(id), f"Туфли {id}", "туфли", language="ru", attributes=kept_so)

    told = [(1, 500.0, "RUB"), (2, 10.0, "EUR"), (3, 90.0, "RUB"), (4, 70.0, "EUR"),
            (5, 100.0, "RUB"), (6, None, "")]  # fmt: skip
    index_pages(backend, *(priced(*one) for one in told))

    def sorted_by(sort: Any) -> tuple[list[int], tuple[str, ...]]:
        results = make_searcher(backend).search(Query("туфли", 100, vertical="products", sort=sort))
        return [hit.id for hit in results.hits], results.sort_groups

    assert sorted_by("price") == ([3, 5, 1, 2, 4, 6], ("RUB", "EUR"))
    assert sorted_by("-price") == ([1, 5, 3, 4, 2, 6], ("RUB", "EUR"))
    assert sorted_by("relevance")[1] == ()


def test_the_same_product_of_several_shops_is_one_hit_with_offers(backend: Backend) -> None:
    index_pages(
        backend,
        goods(1, "Кроссовки «Ветер 3»", 5990, brand="Halm"),
        goods(2, "Halm Ветер 3 кроссовки", 5490, brand="Halm"),
        goods(3, "Кроссовки «Ветер 4»", 7990, brand="Halm"),
    )
    results = make_searcher(backend).search(
        Query(
            "кроссовки",
            100,
            vertical="products",
            group_records=True,
            count_facets=True,
            sort="price",
        )
    )
    assert [hit.id for hit in results.hits] == [2, 3]
    assert results.total == 2
    assert [(offer["price"], offer["currency"]) for offer in results.hits[0].group] == [
        (5490, "RUB"), (5990, "RUB"),
    ]  # fmt: skip
    assert not results.hits[1].group
    assert dict(results.facets["brand"]) == {"Halm": 2}
    assert dict(results.facets["shop"]) == {"shop0.org": 1, "shop1.org": 2}
    assert not {"site", "type", "year"} & set(results.facets), "pages are counted, too"
    apart = make_searcher(backend).search(Query("кроссовки", 100, vertical="products"))
    assert apart.total == 3


def test_shops_and_frequent_attributes_are_counted_too(asked: Any) -> None:
    facets = asked("туфли site:shop0.org", count_facets=True).facets
    assert dict(facets["shop"]) == {"shop0.org": 1, "shop1.org": 2}
    assert dict(asked("туфли", count_facets=True).facets)["currency"] == (("RUB", 3),)
    every = asked("туфли", count_facets=True, filters=filters("heel:wedge")).facets
    assert dict(every["heel"])["wedge"] == 1
