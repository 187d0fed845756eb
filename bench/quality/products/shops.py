"""Are the pages of real shops read right? With their rules, and by the generic path alone."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from byway.core.model import Document, Page
from byway.core.settings.schema import ExtractSettings
from byway.core.url import normalize
from byway.extract.dispatch import extract
from byway.extract.site_rules.load import load_rules
from byway.extract.site_rules.rule import SiteRule
from byway.products.record import product_of
from byway.products.sizes import format_sizes, parse_sizes

CHECKED_FIELDS = ("name", "price", "brand", "colours", "sizes")
FETCHED_AT = 1_700_000_000
MAX_PAGE_BYTES = 10_000_000


def figures(data: Path) -> dict[str, float]:
    """The share of pages on which each field is right."""
    folder = data / "findmyshoes"
    told = [json.loads(line) for line in (folder / "gold.jsonl").read_text("utf-8").splitlines()]
    found = {"with rules": load_rules(), "without rules": ()}
    return {
        f"{field} {how}": sum(_is_right(folder, one, field, rules) for one in told) / len(told)
        for how, rules in found.items()
        for field in CHECKED_FIELDS
    }


def _is_right(folder: Path, told: Any, field: str, rules: Sequence[SiteRule]) -> bool:
    document = _read(folder / told["file"].replace("data/raw", "pages"), told["url"], rules)
    product = product_of(document)
    return product is not None and getattr(product, field) == _wanted(told, field)


def _read(path: Path, url: str, rules: Sequence[SiteRule]) -> Document:
    headers = (("Content-Type", "text/html; charset=utf-8"),)
    page = Page(normalize(url), FETCHED_AT, 200, headers, path.read_bytes())
    document = extract(page, ExtractSettings(), MAX_PAGE_BYTES, rules).document
    assert document is not None, path
    return document


def _wanted(told: Any, field: str) -> object:
    match field:
        case "colours":
            return tuple(told.get("colors") or [told["attributes"]["Цвет"]])
        case "sizes":
            return format_sizes(size for text in told["sizes"] for size in parse_sizes(text))
    return told[field]
