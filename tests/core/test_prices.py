"""Numbers and prices, checked against the examples of price-parser."""

import pytest
from vectors import json_vectors

from byway.core.prices import find_currency, parse_number, parse_price


@pytest.mark.parametrize(
    ("text", "value"),
    [("5", 5), ("$1,299.00", 1299), ("1.299,00 €", 1299), ("1 299 ₽", 1299), ("1,299", 1299),
     ("3,5", 3.5), ("0.125", 0.125), ("1'299.50", 1299.5), ("1,23,456", 123456), (".99", 0.99),
     ("-4", -4), ("2-3", 2), ("free", None), ("", None), ("٣٫٥", 3.5)],
)  # fmt: skip
def test_numbers_are_parsed_in_many_notations(text: str, value: float | None) -> None:
    assert parse_number(text) == value


@pytest.mark.parametrize(
    ("text", "amount", "currency"),
    [("$1,299.00", 1299, "USD"), ("1 299 руб.", 1299, "RUB"), ("CHF 12.50", 12.5, "CHF"),
     ("118, 99 TL", 118.99, "TRY"), ("12,50 zł", 12.5, "PLN"), ("R$ 1.250,00", 1250, "BRL"),
     ("nur 5 EUR statt 9 EUR", 5, "EUR"), ("5", 5, "")],
)  # fmt: skip
def test_a_price_is_an_amount_and_a_currency(text: str, amount: float, currency: str) -> None:
    assert parse_price(text) == {"amount": amount, "currency": currency}


def test_a_default_currency_is_used_if_the_text_has_none() -> None:
    assert parse_price("5", "GBP") == {"amount": 5, "currency": "GBP"}
    assert parse_price("5 €", "GBP") == {"amount": 5, "currency": "EUR"}
    assert parse_price("soon", "GBP") is None


def test_prices_of_real_shops_are_parsed() -> None:
    samples = json_vectors("products/price-strings/price_parser_examples.json")
    samples = [each for each in samples if each["price_text"] is not None]
    found = [parse_price(each["price_text"]) for each in samples]
    amounts = [each["amount"] if each else None for each in found]
    expected = [float(each["amount"]) if each["amount"] is not None else None for each in samples]
    right = sum(map(lambda one, other: one == other, amounts, expected))
    assert right / len(samples) > 0.96
    named = [each for each in samples if (each["currency"] or "-") in each["price_text"]]
    assert sum(bool(find_currency(each["price_text"])) for each in named) / len(named) > 0.8
