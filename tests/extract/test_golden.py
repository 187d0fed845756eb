"""Golden pages: the expected document of each is beside it. GOLDEN=write rewrites it.

Every built-in site rule must have one: a new rule is its TOML file and such a pair.
"""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from extract.page_factory import FETCHED_AT, MAX_BYTES, SETTINGS, VERTICALS

from byway.core.media_types import media_type_of_extension
from byway.core.model import Page, Url
from byway.extract.dispatch import extract
from byway.extract.site_rules.load import BUILTIN_RULES_FOLDER, load_rules

GOLDEN = Path(__file__).parents[1] / "golden"
SITES = sorted((GOLDEN / "sites").glob("*/*.html"))
PAGES = sorted(
    each
    for each in (GOLDEN / "pages").iterdir()
    if each.suffix != ".json" and each.name != "README.md"
)
RULES = sorted(path.stem for path in BUILTIN_RULES_FOLDER.glob("*.toml"))


def extracted_fields(path: Path) -> dict[str, Any]:
    """The document and links of a page, without empty fields."""
    url = Url(expected_fields(path).get("url", f"https://example.org/{path.name}"))
    headers = (("Content-Type", media_type_of_extension(path.suffix)),)
    extracted = extract(
        Page(url, FETCHED_AT, 200, headers, path.read_bytes()),
        SETTINGS,
        MAX_BYTES,
        load_rules(),
        VERTICALS,
    )
    document = extracted.document
    assert document is not None, extracted.failure
    fields = {name: getattr(document, name) for name in document.__slots__}
    fields["text"] = document.text.split("\n")
    fields["links"] = [link.target for link in extracted.links]
    return {name: value for name, value in fields.items() if value}


def expected_fields(path: Path) -> dict[str, Any]:
    beside = path.with_suffix(".json")
    expected: dict[str, Any] = json.loads(beside.read_text("utf-8")) if beside.exists() else {}
    return expected


@pytest.mark.parametrize("path", [*SITES, *PAGES], ids=lambda path: path.stem)
def test_a_golden_page_gives_its_golden_document(path: Path) -> None:
    fields = json.loads(json.dumps(extracted_fields(path)))
    if os.environ.get("GOLDEN") == "write":
        text = json.dumps(fields, ensure_ascii=False, indent=1)
        path.with_suffix(".json").write_text(f"{text}\n", encoding="utf-8")
    assert fields == expected_fields(path), "if the change is right, run `make golden`"


@pytest.mark.parametrize("rule", RULES)
def test_every_rule_has_a_golden_page(rule: str) -> None:
    pages = [path for path in SITES if path.parent.name == rule]
    assert pages, f"put a page and its .json into tests/golden/sites/{rule}"
    (rule_under_test,) = [each for each in load_rules() if each.name == rule]
    without = [each for each in load_rules() if each.name != rule]
    for path in pages:
        expected = expected_fields(path)
        golden_page = Page(Url(expected["url"]), FETCHED_AT, 200, (), path.read_bytes())
        with_rule = extract(golden_page, SETTINGS, MAX_BYTES, [rule_under_test]).document
        assert with_rule != extract(golden_page, SETTINGS, MAX_BYTES, without).document, (
            f"{rule} does nothing there"
        )


def test_every_golden_page_belongs_to_a_rule() -> None:
    assert {path.parent.name for path in SITES} <= set(RULES)
    for path in (GOLDEN / "sites").glob("*/*.json"):
        assert path.with_suffix(".html").exists(), path
