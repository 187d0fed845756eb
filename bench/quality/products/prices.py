"""Price parsing: the share of correct amounts among price strings of real shops."""

import json
from pathlib import Path

from byway.core.prices import parse_price


def figures(data: Path) -> dict[str, float]:
    """The share of strings with the correct amount."""
    path = data / "price-strings" / "price_parser_examples.json"
    examples = [row for row in json.loads(path.read_text("utf-8")) if _has_amount(row)]
    correct = [row for row in examples if _amount(row["price_text"]) == float(row["amount"])]
    return {"prices": len(correct) / len(examples)}


def _has_amount(row: dict[str, str]) -> bool:
    return row["amount"] is not None and any(map(str.isdigit, row["price_text"] or ""))


def _amount(text: str) -> object:
    found = parse_price(text)
    return found["amount"] if found else None
