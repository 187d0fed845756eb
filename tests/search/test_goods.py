"""Queries for goods, over every kind of index."""

from typing import Any

import pytest
from contract.backends import Backend
from search.making import keep, searcher

from byway.model import Document, Query, Results, UrlId
from byway.products.record import ATTRIBUTE, Product, kept
from byway.products.vocabulary import ours
from byway.url import normalise


def goods(id: int, name: str, price: float, **about: Any) -> Document:
    product = Product(name=name, price=price, currency="RUB", **about)
    return Document(
        normalise(f"http://shop{id % 2}.org/{id}"),
        UrlId(id),
        name,
        f"{name}. {product.description}",
        language="ru",
        attributes={ATTRIBUTE: kept(product, ours())},
    )


WEDGE, CLOSED = {"Каблук": "танкетка"}, {"Мыс": "закрытый"}
PAGES = (
    goods(1, "Туфли «Ока»", 4990, colours=("красный",), sizes=("37", "38"), brand="Verst"),
    goods(2, "Туфли «Яуза»", 5490, colours=("бордовый",), sizes=("38",), attributes=WEDGE),
    goods(3, "Туфли «Арбат»", 7490, colours=("чёрный",), sizes=("38",), attributes=CLOSED),
    goods(4, "Кеды «Двор»", 2990, colours=("красный",), sizes=("38",), rating=4.5),
    Document(normalise("http://news.org/5"), UrlId(5), "Красные туфли", "Красные туфли 38 размера"),
)


@pytest.fixture
def asked(backend: Backend) -> Any:
    keep(backend, *PAGES)

    def ask(text: str, **more: Any) -> Results:
        return searcher(backend).search(Query(text, 100, products=True, **more))

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
def test_goods_are_found_by_what_they_are_and_by_nothing_else(
    asked: Any, text: str, wanted: list[int]
) -> None:
    results = asked(text)
    assert ids(results) == wanted
    assert not results.near


def test_chips_tell_what_was_understood(asked: Any) -> None:
    results = asked("красные туфли")
    assert [chip.filter for chip in results.chips] == ['colour:"red"', 'kind:"shoes"']
    assert results.hits[0].product["currency"] == "RUB"


def test_without_goods_in_mind_words_are_words(backend: Backend) -> None:
    keep(backend, *PAGES)
    results = searcher(backend).search(Query("красные туфли", 100))
    assert not results.chips
    assert 5 in ids(results)


def test_when_nothing_is_all_of_it_pages_that_do_not_say_come_near(asked: Any) -> None:
    results = asked("туфли с открытым носом")
    assert results.near
    assert ids(results) == [1, 2], "the third says that its toe is closed"


def test_what_says_otherwise_is_never_shown(asked: Any) -> None:
    assert ids(asked("синие туфли")) == []
    assert ids(asked("туфли 45 размера")) == []
    assert ids(asked("туфли до 100")) == []


def test_goods_stand_in_the_order_of_their_price_or_rating(asked: Any) -> None:
    assert [hit.id for hit in asked("38 размера", sort="price").hits] == [4, 1, 2, 3]
    assert [hit.id for hit in asked("38 размера", sort="-price").hits] == [3, 2, 1, 4]
    assert asked("38 размера", sort="rating").hits[0].id == 4


def test_goods_are_counted_as_if_each_choice_were_still_open(asked: Any) -> None:
    facets = asked("красные туфли", facets=True).facets
    assert dict(facets["colour"]) == {"red": 2, "burgundy": 1, "black": 1}
    assert dict(facets["kind"]) == {"shoes": 2, "plimsolls": 1, "sneakers": 1}
    assert dict(facets["size"]) == {"38": 2, "37": 1}


def test_filters_may_be_typed_too(asked: Any) -> None:
    assert ids(asked("туфли colour:red price:5000..")) == [2]
    assert ids(asked("", filters=("is:product", "size:37"))) == [1]
