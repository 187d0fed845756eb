"""Product queries: words that name attribute values become chips."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from byway.products.query.product_query_parser import parse_product_query
from byway.products.vocabulary.lookup import default_vocabulary

PIECES = st.lists(
    st.sampled_from(
        ["красные", "туфли", "38", "размера", "до", "5000", "руб", "$", "-", '"', "(", ")", "OR",
         "size", "us", "under", "brand:X", "на", "танкетке", "½", "5 000", "тыс", "от", "..", ":"]
    ),
    max_size=12,
)  # fmt: skip


def chips(text: str) -> list[str]:
    return [
        f"{chip.attribute} {chip.filter_value}"
        for chip in parse_product_query(text, default_vocabulary()).chips
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [("красные туфли 38 размера до 5000", "colour red, kind shoes, size 38, price ..5000"),
     ("туфли красного цвета размер 37", "kind shoes, colour red, size 37"),
     ("от 3000 до 5000 руб", "price 3000..5000"), ("3000-5000 руб", "price 3000..5000"),
     ("не дороже 10 000", "price ..10000"), ("дешевле 8 тыс. рублей", "price ..8000"),
     ("women's boots under $50", "gender women, kind boots, price ..50"),
     ("between 50 and 100 euros", "price 50..100"), ("over 100 €", "price 100.."),
     ("us 8", "size_us 8"), ("42 eu", "size_eu 42"), ("40-го размера", "size 40"),
     ("размеры 38 и 39", "size 38..39"), ("37-38 размера", "size 37..38"),
     ("с закрытым носом", "toe closed"), ("на танкетке", "heel wedge"),
     ("navy ankle boots", "colour dark blue, kind ankle boots"),
     ("10 см", ""), ("от 2 лет", ""), ("до колена", ""), ("38", ""), ("history of 1917", "")],
)  # fmt: skip
def test_words_that_name_an_attribute_become_chips(text: str, expected: str) -> None:
    assert ", ".join(chips(text)) == expected


def test_other_words_remain_as_typed() -> None:
    assert (
        parse_product_query("лёгкие туфли с бантом", default_vocabulary()).remaining_text
        == "лёгкие бантом"
    )
    assert (
        parse_product_query("how to lace a tent", default_vocabulary()).remaining_text
        == "how to lace a tent"
    )


def test_operators_are_left_alone() -> None:
    told = parse_product_query('"красные туфли" -кожаные brand:Halm туфли', default_vocabulary())
    assert told.remaining_text == '"красные туфли" -кожаные brand:Halm'
    assert [chip.attribute for chip in told.chips] == ["kind"]


def test_a_chip_has_its_typed_text_and_the_query_without_it() -> None:
    red, shoes = parse_product_query("красные туфли", default_vocabulary()).chips
    assert (red.typed_text, red.query_without, red.label) == ("красные", "туфли", "красный")
    assert shoes.filter == 'kind:"shoes"'


def test_a_bare_price_in_russian_is_in_assumed_roubles() -> None:
    (guessed,) = parse_product_query("до 5000", default_vocabulary()).chips
    (said,) = parse_product_query("до 50 евро", default_vocabulary()).chips
    (none,) = parse_product_query("under 50", default_vocabulary()).chips
    assert (guessed.unit, guessed.unit_assumed) == ("RUB", True)
    assert (said.unit, said.unit_assumed) == ("EUR", False)
    assert none.unit == ""


@given(PIECES.map(" ".join))
def test_every_word_is_in_a_chip_or_remains(text: str) -> None:
    told = parse_product_query(text, default_vocabulary())
    assert all(chip.typed_text in text for chip in told.chips)
    assert len(told.remaining_text) <= len(text)


def test_hostile_queries_are_cheap() -> None:
    for piece in ("до ", "5000 ", "красные ", '"', "(", "5 000 "):
        assert len(parse_product_query(piece * 100_000, default_vocabulary()).chips) <= 12
