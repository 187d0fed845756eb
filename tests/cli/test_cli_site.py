"""`byway site`: list the rules, and test one on pages."""

import json
import re
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from cli.conftest import LOOPBACK_NETWORK
from cli.runner import byway, error_line

from byway.extract.site_rules.parse import FIELD_KEYS, FIELD_TYPES, LINK_KEYS, MATCH_KEYS, RULE_KEYS
from byway.village import Village

DOCS = Path(__file__).parents[2] / "docs"

RULE = """title = "h1"
main = "main"
drop = [".ads"]
[match]
host = "shop.example"
[links]
skip = ['/basket']
[fields.price]
css = ".price"
type = "price"
[fields.size]
css = ".size"
"""
PAGE = """<h1>Boot</h1><main><p>Good boots.</p><p class=price>99 €</p></main>
<a href=/basket>Basket</a><a href=/more>More</a>"""
URL = ("--base-url", "https://shop.example/boot")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    sites = tmp_path / "data" / "sites"
    sites.mkdir(parents=True)
    (sites / "shop.toml").write_text(RULE)
    return tmp_path / "data"


@pytest.fixture
def page(tmp_path: Path) -> Path:
    path = tmp_path / "boot.html"
    path.write_text(PAGE)
    return path


def told(*arguments: object, code: int = 0) -> Any:
    ran = byway("site", *arguments, "--json")
    assert (ran.exit_code, ran.stderr) == (code, ""), ran
    return json.loads(ran.stdout)


def test_the_rules_are_listed_with_where_they_come_from(data: Path) -> None:
    mine, *others = told("list", "--data", data)
    assert mine == {
        "name": "shop",
        "source": str(data / "sites" / "shop.toml"),
        "matches": "shop.example",
    }
    assert {"mediawiki"} < {one["name"] for one in others if one["source"] == "byway"}
    shown = byway("site", "list", "--data", data).stdout.splitlines()
    assert shown[0].startswith("shop ")


def test_a_test_says_what_a_rule_finds_and_what_it_misses(data: Path, page: Path) -> None:
    (found,) = told("test", "shop", page, *URL, "--data", data, code=1)
    assert found["matches"]
    assert found["fields"] == {"price": {"amount": 99.0, "currency": "EUR"}, "size": None}
    assert found["missing_fields"] == ["size"]
    assert found["links"] == {"followed": 1, "total": 2}
    assert (found["title"], found["text"]) == ("Boot", "Good boots.\n99 €")
    counts = {each["css"]: each["matches"] for each in found["selectors"]}
    assert counts == {"h1": 1, "main": 1, ".ads": 0, ".price": 1, ".size": 0}


def test_the_terminal_shows_the_same(data: Path, page: Path) -> None:
    ran = byway("site", "test", "shop", page, *URL, "--data", data)
    assert ran.exit_code == 1
    lines = [" ".join(line.split()) for line in ran.stdout.splitlines()]
    assert lines == [
        f"page {page}",
        "matches yes",
        'field price = {"amount": 99.0, "currency": "EUR"}',
        "field size = missing",
        "links 1 of 2 can be followed",
        "title Boot",
        "text 16 characters: Good boots. 99 €",
        "unmatched drop: .ads matches nothing on any of these pages",
        "unmatched fields.size.css: .size matches nothing on any of these pages",
    ]


def test_a_selector_is_of_use_if_it_finds_something_on_any_page(data: Path, page: Path) -> None:
    other = page.with_name("other.html")
    other.write_text(PAGE.replace("<main>", "<main><i class=size>41</i>"))
    out = byway("site", "test", "shop", page, other, *URL, "--data", data).stdout
    assert ".ads matches nothing" in out
    assert ".size matches nothing" not in out


def test_a_rule_that_is_not_for_a_page_is_tried_all_the_same(data: Path, page: Path) -> None:
    (found,) = told("test", "shop", page, "--data", data, code=1)
    assert (found["matches"], found["mismatch"]) == (False, "match.host")
    assert found["title"] == "Boot"
    shown = byway("site", "test", "shop", page, "--data", data).stdout
    assert "match.host does not match the page's host, example.org. Use --base-url" in shown


def test_a_host_without_a_port_is_for_every_port(page: Path, tmp_path: Path) -> None:
    def matches(host: str, url: str) -> str:
        rule = write(tmp_path / "one.toml", RULE.replace("shop.example", host))
        shown = byway("site", "test", rule, page, "--base-url", url).stdout
        return shown.splitlines()[1].removeprefix("matches").strip()

    assert matches("127.0.0.9", "http://127.0.0.9:8950/item/1.html") == "yes"
    assert matches("shop.example", "http://www.shop.example:8950/") == "yes"
    assert matches("127.0.0.9:8950", "http://127.0.0.9:8950/item/1.html") == "yes"
    why = matches("127.0.0.9:8000", "http://127.0.0.9:8950/item/1.html")
    assert why == "no: match.host does not match the page's host, 127.0.0.9:8950."


def test_names_and_values_that_differ_in_number_are_told(tmp_path: Path, page: Path) -> None:
    rule = tmp_path / "pairs.toml"
    rule.write_text(
        '[match]\ncss = "h1"\n[fields.attribute_names]\ncss = "dt"\nlist = true\n'
        '[fields.attribute_values]\ncss = "dd"\nlist = true\n'
    )
    even = "<h1>Boot</h1><dl><dt>Heel<dd>low<dt>Lining<dd>wool<dt>Sole<dd>rubber</dl>"
    page.write_text(even)
    assert "unpaired" not in byway("site", "test", rule, page).stdout
    page.write_text(even.replace("<dd>wool", ""))
    assert (
        "3 attribute_names, 2 attribute_values. They are paired"
        in byway("site", "test", rule, page).stdout
    )
    assert told("test", rule, page)[0]["unpaired_attributes"] == [3, 2]


def test_a_rule_that_finds_everything_ends_well(tmp_path: Path, page: Path) -> None:
    rule = tmp_path / "all.toml"
    rule.write_text('[match]\ncss = ".price"\n[fields.price]\ncss = ".price"\ntype = "number"')
    (found,) = told("test", rule, page)
    assert found["fields"] == {"price": 99.0}


def test_a_page_of_the_web_is_fetched_politely(village: Village) -> None:
    url = village.url("encyclopaedia", "/wiki/Inverted_index")
    told("test", "mediawiki", url, "--allow-private", LOOPBACK_NETWORK, code=1)
    assert [each.path for each in village.log] == ["/robots.txt", "/wiki/Inverted_index"]


def test_bad_input_is_named_with_its_cure(data: Path, page: Path, tmp_path: Path) -> None:
    assert "Give a rule and at least one page" in error_line("site", "test", exit_code=2)
    unknown = error_line("site", "test", "shoop", page, "--data", data, exit_code=2)
    assert unknown.startswith("There is no site rule named 'shoop'. ")
    assert "one of these rules: shop," in unknown
    assert "No such file: no.html" in error_line(
        "site", "test", "shop", "no.html", "--data", data, exit_code=2
    )
    wrong = tmp_path / "wrong.toml"
    wrong.write_text(RULE + 'tpye = "number"\n')
    why = error_line("site", "test", wrong, page, exit_code=2)
    assert why.startswith(f"{wrong}, line 13: unknown key fields.size.tpye")
    assert "did you mean type?" in why
    (found,) = told("test", "shop", write(tmp_path / "a.txt", "words"), "--data", data, code=1)
    assert found["failure"]["code"] == "not_html"


def write(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


def test_the_rule_of_the_how_to_does_what_it_says_there(tmp_path: Path) -> None:
    how_to = DOCS / "how-to" / "write-a-site-rule.md"
    blocks = re.findall(r"^ *```(\w+)\n(.*?)^ *```$", how_to.read_text("utf-8"), re.M | re.S)
    html, rule, shown = (
        next(dedent(text) for kind, text in blocks if kind == wanted)
        for wanted in ("html", "toml", "text")
    )
    saved = write(tmp_path / "saved.html", html)
    path = write(tmp_path / "shop.toml", rule)
    ran = byway("site", "test", path, saved, "--base-url", "https://shop.example/boots/1")
    assert ran.exit_code == 0
    told = [line for line in shown.splitlines() if not line.startswith(("page", "links"))]
    assert set(told) <= set(ran.stdout.splitlines())


def test_every_key_of_rules_is_in_the_reference() -> None:
    text = (DOCS / "reference" / "site-rules.md").read_text("utf-8")
    told = set(re.findall(r"^\| `(\w+)` \|", text, re.M))
    assert told >= {*RULE_KEYS, *MATCH_KEYS, *LINK_KEYS, *FIELD_KEYS, *FIELD_TYPES} - {
        "match",
        "links",
        "fields",
        "text",
    }
