"""Words of queries that name what goods are like."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from byway.products.query.understand import ours, understand

PIECES = st.lists(
    st.sampled_from(
        ["красные", "туфли", "38", "размера", "до", "5000", "руб", "$", "-", '"', "(", ")", "OR",
         "size", "us", "under", "brand:X", "на", "танкетке", "½", "5 000", "тыс", "от", "..", ":"]
    ),
    max_size=12,
)  # fmt: skip


def chips(text: str) -> list[str]:
    return [f"{chip.attribute} {chip.meaning}" for chip in understand(text, ours()).chips]


@pytest.mark.parametrize(
    ("text", "told"),
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
def test_words_that_name_an_attribute_become_chips(text: str, told: str) -> None:
    assert ", ".join(chips(text)) == told


def test_what_is_not_understood_stays_as_it_was_typed() -> None:
    assert understand("лёгкие туфли с бантом", ours()).rest == "лёгкие бантом"
    assert understand("how to lace a tent", ours()).rest == "how to lace a tent"


def test_operators_are_left_alone() -> None:
    told = understand('"красные туфли" -кожаные brand:Halm туфли', ours())
    assert told.rest == '"красные туфли" -кожаные brand:Halm'
    assert [chip.attribute for chip in told.chips] == ["kind"]


def test_a_chip_knows_its_words_and_the_query_without_it() -> None:
    red, shoes = understand("красные туфли", ours()).chips
    assert (red.typed, red.without, red.label) == ("красные", "туфли", "красный")
    assert shoes.filter == 'kind:"shoes"'


def test_a_bare_number_in_russian_means_roubles_and_says_that_it_was_guessed() -> None:
    (guessed,) = understand("до 5000", ours()).chips
    (said,) = understand("до 50 евро", ours()).chips
    (none,) = understand("under 50", ours()).chips
    assert (guessed.currency, guessed.assumed) == ("RUB", True)
    assert (said.currency, said.assumed) == ("EUR", False)
    assert none.currency == ""


@given(PIECES.map(" ".join))
def test_whatever_is_typed_is_understood_or_kept(text: str) -> None:
    told = understand(text, ours())
    assert all(chip.typed in text for chip in told.chips)
    assert len(told.rest) <= len(text)


def test_hostile_queries_are_cheap() -> None:
    for piece in ("до ", "5000 ", "красные ", '"', "(", "5 000 "):
        assert len(understand(piece * 100_000, ours()).chips) <= 12
