"""Golden pages: what is read from each is written down beside it. GOLDEN=write writes it anew.

Each rule of ours must have one: adding a rule adds its TOML file and such a pair, and edits
nothing.
"""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from extract.page_factory import FETCHED_AT, MAX_BYTES, SETTINGS

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


def said_by(path: Path) -> dict[str, Any]:
    """All that is read from a page, without what is empty."""
    url = Url(told_of(path).get("url", f"https://example.org/{path.name}"))
    headers = (("Content-Type", media_type_of_extension(path.suffix)),)
    extracted = extract(
        Page(url, FETCHED_AT, 200, headers, path.read_bytes()), SETTINGS, MAX_BYTES, load_rules()
    )
    document = extracted.document
    assert document is not None, extracted.failure
    said = {name: getattr(document, name) for name in document.__slots__}
    said["text"] = document.text.split("\n")
    said["links"] = [link.target for link in extracted.links]
    return {name: value for name, value in said.items() if value}


def told_of(path: Path) -> dict[str, Any]:
    beside = path.with_suffix(".json")
    told: dict[str, Any] = json.loads(beside.read_text("utf-8")) if beside.exists() else {}
    return told


@pytest.mark.parametrize("path", [*SITES, *PAGES], ids=lambda path: path.stem)
def test_a_golden_page_gives_its_golden_document(path: Path) -> None:
    said = json.loads(json.dumps(said_by(path)))
    if os.environ.get("GOLDEN") == "write":
        text = json.dumps(said, ensure_ascii=False, indent=1)
        path.with_suffix(".json").write_text(f"{text}\n", encoding="utf-8")
    assert said == told_of(path), "if it should say so, run `make golden`"


@pytest.mark.parametrize("rule", RULES)
def test_every_rule_has_a_golden_page(rule: str) -> None:
    pages = [path for path in SITES if path.parent.name == rule]
    assert pages, f"put a page and its .json into tests/golden/sites/{rule}"
    (tried,) = [each for each in load_rules() if each.name == rule]
    without = [each for each in load_rules() if each.name != rule]
    for path in pages:
        told = told_of(path)
        one = Page(Url(told["url"]), FETCHED_AT, 200, (), path.read_bytes())
        read = extract(one, SETTINGS, MAX_BYTES, [tried]).document
        assert read != extract(one, SETTINGS, MAX_BYTES, without).document, (
            f"{rule} does nothing there"
        )


def test_every_golden_page_belongs_to_a_rule() -> None:
    assert {path.parent.name for path in SITES} <= set(RULES)
    for path in (GOLDEN / "sites").glob("*/*.json"):
        assert path.with_suffix(".html").exists(), path
