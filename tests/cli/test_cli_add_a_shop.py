"""The how-to page for adding a shop, followed to the letter."""

import re
import textwrap
from pathlib import Path
from typing import Any

import pytest
from cli.conftest import LOOPBACK_NETWORK
from cli.runner import byway
from web.crawled_site import local_site

DOCS = Path(__file__).parents[2] / "docs" / "how-to"
FENCE = re.compile(r"^( *)```(\w+)\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)


def blocks(page: str, kind: str) -> list[str]:
    text = (DOCS / page).read_text("utf-8")
    return [textwrap.dedent(block) for _, name, block in FENCE.findall(text) if name == kind]


def test_a_shop_is_added_by_what_the_page_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (html,), (rule,) = blocks("add-a-shop.md", "html"), blocks("add-a-shop.md", "toml")
    Path("one.html").write_text(f"<title>x</title>{html}", "utf-8")
    (tried,) = (line for line in _typed("add-a-shop.md") if line.startswith("byway site test"))
    Path("byway-data/sites").mkdir(parents=True)
    Path("byway-data/sites/shop.toml").write_text(rule, "utf-8")
    words = tried.replace("two.html ", "").split()[1:]
    ran = byway(*words)
    assert ran.exit_code == 0, ran.stdout
    shown = next(text for text in blocks("add-a-shop.md", "text") if "matches   yes" in text)
    assert [line for line in shown.splitlines() if line not in ran.stdout.splitlines()] == []


def test_and_its_goods_are_found_by_its_own_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (html,), (rule,) = blocks("add-a-shop.md", "html"), blocks("add-a-shop.md", "toml")
    other = html.replace("Каблук", "Молния").replace("средний", "steel").replace("Ока", "Кама")
    catalogue = '<a href="/goods/1">1</a> <a href="/goods/2">2</a>'
    pages = {"/": catalogue, "/goods/1": f"<title>1</title>{html}", "/goods/2": other}
    with local_site(pages) as site:
        host = site.url.partition("//")[2]
        Path("byway-data/sites").mkdir(parents=True)
        Path("byway-data/sites/shop.toml").write_text(rule.replace("shop.example", host), "utf-8")
        quick = ("--delay", 0, "--allow-private", LOOPBACK_NETWORK)
        assert byway("crawl", site.url, "--keep", "/goods/", *quick).exit_code == 0
    assert byway("index").exit_code == 0
    assert "2         2" in byway("products", "check").stdout
    (words,) = blocks("search-shops.md", "toml")
    Path("byway-data/vocabulary").mkdir()
    Path("byway-data/vocabulary/mine.toml").write_text(words, "utf-8")
    assert byway("index", "--rebuild").exit_code == 0
    shown: Any = byway("search", "туфли metal zip", "--products").stdout
    assert "zip: metal" in shown
    assert "«Кама»" in shown
    assert "«Ока»" not in shown


def _typed(page: str) -> list[str]:
    lines = (line for block in blocks(page, "console") for line in block.splitlines())
    return [line.removeprefix("$ ") for line in lines if line.startswith("$ ")]
