"""Product extraction from pages of real shops, with site rules and without."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from byway.app.verticals.vertical_folders import load_verticals
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
    """The share of pages with the correct value of each field."""
    folder = data / "findmyshoes"
    pages = [json.loads(line) for line in (folder / "gold.jsonl").read_text("utf-8").splitlines()]
    rule_sets = {"with rules": load_rules(), "without rules": ()}
    return {
        f"{field} {name}": sum(_is_correct(folder, page, field, rules) for page in pages)
        / len(pages)
        for name, rules in rule_sets.items()
        for field in CHECKED_FIELDS
    }


def _is_correct(folder: Path, expected: Any, field: str, rules: Sequence[SiteRule]) -> bool:
    path = folder / expected["file"].replace("data/raw", "pages")
    document = _extract(path, expected["url"], rules)
    product = product_of(document)
    return product is not None and getattr(product, field) == _expected_value(expected, field)


def _extract(path: Path, url: str, rules: Sequence[SiteRule]) -> Document:
    headers = (("Content-Type", "text/html; charset=utf-8"),)
    page = Page(normalize(url), FETCHED_AT, 200, headers, path.read_bytes())
    document = extract(page, ExtractSettings(), MAX_PAGE_BYTES, rules, load_verticals()).document
    assert document is not None, path
    return document


def _expected_value(expected: Any, field: str) -> object:
    match field:
        case "colours":
            return tuple(expected.get("colors") or [expected["attributes"]["Цвет"]])
        case "sizes":
            return format_sizes(size for text in expected["sizes"] for size in parse_sizes(text))
    return expected[field]
