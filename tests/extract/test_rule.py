from pathlib import Path

import pytest
from extract.making import MOST, SETTINGS, document, page

from byway.errors import SettingsError
from byway.extract import extract
from byway.extract.sites.rule import load, number, read

SHOP = r"""
title = "h1"
main = ".about"
drop = [".ads"]
[match]
url = '^https://example\.org/a/'
css = ".product"
[fields.price]
css = ".price"
type = "number"
[fields.sizes]
css = ".size"
attr = "data-size"
type = "list"
[fields.brand]
const = "Acme"
"""

PRODUCT = """<title>Shop</title><h1 class=product>Boot</h1><p class=price>1 299,50 €</p>
<i class=size data-size=41></i><i class=size data-size=42></i><i class=size data-size=41></i>
<div class=about>Good boots <span class=ads>Buy now</span></div>"""


def test_a_rule_says_where_things_are(tmp_path: Path) -> None:
    (tmp_path / "shop.toml").write_text(SHOP)
    found = extract(page(PRODUCT), SETTINGS, MOST, load(tmp_path)).document
    assert found is not None
    assert (found.title, found.text) == ("Boot", "Good boots")
    assert found.attributes == {"price": 1299.5, "sizes": ["41", "42"], "brand": "Acme"}


def test_a_rule_is_for_its_own_pages_only(tmp_path: Path) -> None:
    (tmp_path / "shop.toml").write_text(SHOP)
    for other in (page(PRODUCT, url="https://example.com/"), page("<title>Shop</title><p>x")):
        found = extract(other, SETTINGS, MOST, load(tmp_path)).document
        assert found is not None
        assert (found.title, found.attributes) == ("Shop", {})


def test_the_rules_of_the_user_come_first(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text('[match]\ncss = "p"')
    assert [rule.name for rule in load(tmp_path)][:1] == ["mine"]
    assert "mediawiki" in [rule.name for rule in load(tmp_path)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[match", "TOML|Expected|declar"),
        ('title = "h1"', "match is missing"),
        ('titel = "h1"\n[match]\ncss = "p"', "unknown key titel; did you mean title?"),
        ('[match]\ncss = "a["', "match.css: invalid CSS selector"),
        ("[match]\nurl = '('", "match.url is not a regular expression"),
        ('drop = "x"\n[match]\ncss = "p"', "drop is a list"),
        ('drop = [".a", ">"]\n[match]\ncss = "p"', r"drop\[1\]: invalid CSS selector"),
        ('[match]\ncss = "p"\n[fields.a]\ntype = "text"', "fields.a needs either css or const"),
        ('[match]\ncss = "p"\n[fields.a]\ncss = "p"\ntype = "date"', "write one of text, number"),
        ("main = 3\n[match]\ncss = 'p'", "main = 3 is not a text; put it in quotes"),
    ],
)
def test_a_wrong_rule_names_file_key_and_cure(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "wrong.toml"
    path.write_text(text)
    with pytest.raises(SettingsError, match=message) as caught:
        read(path)
    assert "wrong.toml" in str(caught.value)


@pytest.mark.parametrize(
    ("text", "value"),
    [("5", 5), ("$1,299.00", 1299), ("1.299,00 €", 1299), ("1 299 ₽", 1299), ("1,299", 1299),
     ("3,5", 3.5), ("free", None)],
)  # fmt: skip
def test_numbers_are_read_as_people_write_them(text: str, value: float | None) -> None:
    assert number(text) == value


def test_a_wiki_page_is_read_without_its_machinery() -> None:
    found = document(
        """<title>Nile - Wiki</title><meta name=generator content="MediaWiki 1.36">
        <h1 id=firstHeading>Nile</h1><div id=siteSub>From a wiki</div>
        <div id=mw-content-text><div class=mw-parser-output>
        <div class=hatnote>For the band, see Nile (band)</div>
        <table class=infobox><tr><td>Length 6650 km</td></tr></table>
        <p>The Nile is a river.<sup class=reference>[1]</sup></p>
        <h2><span class=mw-headline id=Course>Course</span>
        <span class=mw-editsection>[edit]</span></h2><p>It flows north.</p>
        <div class=reflist><ol class=references><li>A book</li></ol></div>
        <div class=navbox>Rivers of Africa</div></div></div>
        <div class=catlinks><div id=mw-normal-catlinks><a href=/c>Categories</a>:
        <ul><li><a href=/r>Rivers</a></li><li><a href=/e>Egypt</a></li></ul></div></div>"""
    )
    assert found.title == "Nile"
    assert found.text == "The Nile is a river.\nCourse\nIt flows north."
    assert found.attributes["categories"] == ["Rivers", "Egypt"]
    assert found.headings[0].anchor == "Course"
