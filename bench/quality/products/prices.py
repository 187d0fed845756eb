"""Are prices read right, as real shops write them? Each that has a number."""

import json
from pathlib import Path

from byway.products.prices import parse_price


def figures(data: Path) -> dict[str, float]:
    """The share of strings whose amount is right."""
    path = data / "price-strings" / "price_parser_examples.json"
    told = [one for one in json.loads(path.read_text("utf-8")) if _can_be_read(one)]
    right = [one for one in told if _amount(one["price_text"]) == float(one["amount"])]
    return {"prices": len(right) / len(told)}


def _can_be_read(one: dict[str, str]) -> bool:
    return one["amount"] is not None and any(map(str.isdigit, one["price_text"] or ""))


def _amount(text: str) -> object:
    found = parse_price(text)
    return found["amount"] if found else None
