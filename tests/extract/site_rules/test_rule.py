"""Site rules applied to pages, and the built-in rule of MediaWiki."""

from pathlib import Path

import pytest
from extract.page_factory import MAX_BYTES, SETTINGS, page
from extract.page_factory import extract_page as read_page

from byway.extract.dispatch import extract
from byway.extract.site_rules.load import load_rules

SHOP = r"""
title = "h1"
main = ".about"
drop = [".ads"]
[match]
url = '^https://example\.org/a/'
css = ".product"
[fields.price]
css = ".price"
type = "price"
[fields.weight]
css = [".grams", ".weight"]
type = "number"
[fields.sizes]
css = ".size"
attr = "data-size"
list = true
[fields.colours]
css = ".colours"
pattern = "^Colours: (.*)$"
list = true
split = ","
[fields.brand]
const = "Acme"
[fields.modified]
css = ".changed"
[fields.author]
css = ".by"
list = true
"""

PRODUCT = """<title>Shop</title><h1 class=product>Boot</h1><p class=price>1 299,50 €</p>
<i class=size data-size=41></i><i class=size data-size=42></i><i class=size data-size=41></i>
<p class=weight>850 g</p><p class=colours>Colours: red, dark blue</p>
<p class=changed>31 мая 2024</p><b class=by>Ada</b><b class=by>Grace</b>
<div class=about>Good boots <span class=ads>Buy now</span></div>"""


def test_a_rule_selects_title_text_and_fields(tmp_path: Path) -> None:
    (tmp_path / "shop.toml").write_text(SHOP)
    found = extract(page(PRODUCT), SETTINGS, MAX_BYTES, load_rules(tmp_path)).document
    assert found is not None
    assert (found.title, found.text) == ("Boot", "Good boots")
    attributes = {name: value for name, value in found.attributes.items() if name != "product"}
    assert attributes == {
        "price": {"amount": 1299.5, "currency": "EUR"},
        "weight": 850,
        "sizes": ["41", "42"],
        "colours": ["red", "dark blue"],
        "brand": "Acme",
    }
    assert (found.modified, found.author) == ("2024-05-31", "Ada, Grace")


def test_a_rule_applies_only_to_pages_that_match(tmp_path: Path) -> None:
    (tmp_path / "shop.toml").write_text(SHOP)
    for other in (page(PRODUCT, url="https://example.com/"), page("<title>Shop</title><p>x")):
        found = extract(other, SETTINGS, MAX_BYTES, load_rules(tmp_path)).document
        assert found is not None
        assert (found.title, found.attributes) == ("Shop", {})


def test_user_rules_come_first(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text('[match]\ncss = "p"')
    assert [rule.name for rule in load_rules(tmp_path)][:1] == ["mine"]
    assert "mediawiki" in [rule.name for rule in load_rules(tmp_path)]


def test_a_rule_may_match_hosts_and_their_subdomains(tmp_path: Path) -> None:
    (tmp_path / "shop.toml").write_text('title = "h1"\n[match]\nhost = "shop.example"')
    for host, title in (("shop.example", "B"), ("www.shop.example", "B"), ("myshop.example", "A")):
        one = page("<title>A</title><h1>B</h1>", url=f"https://{host}/x")
        found = extract(one, SETTINGS, MAX_BYTES, load_rules(tmp_path)).document
        assert found is not None
        assert found.title == title


def test_a_rule_filters_links(tmp_path: Path) -> None:
    (tmp_path / "shop.toml").write_text(
        """[match]
        host = "example.org"
        [links]
        follow = ['/shop/', '^https://other']
        skip = ['[?&]sort=']"""
    )
    hrefs = ("/shop/1", "/shop/1?sort=price", "/about", "https://other.example/")
    body = "".join(f"<a href='{href}'>x</a>" for href in hrefs)
    extracted = extract(page(body), SETTINGS, MAX_BYTES, load_rules(tmp_path))
    assert [link.target for link in extracted.links] == [
        "https://example.org/shop/1",
        "https://other.example/",
    ]


def test_a_wiki_page_is_read_without_navigation_and_references() -> None:
    extracted = read_page(
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
        <a href="/wiki/Mission:_Control">m</a><a href="/wiki/Talk:Nile">t</a>
        <a href="/wiki/John_1:1">j</a><a href="/wiki/%D0%A4%D0%B0%D0%B9%D0%BB:N.png">f</a>
        <a href="/w/index.php?title=Nile&action=edit">e</a><a href="https://a.org/x:y">out</a>
        <ul><li id=footer-info-lastmod>Последнее изменение: 16 марта 2023 в 09:44.</li></ul>
        <div class=catlinks><div id=mw-normal-catlinks><a href=/c>Categories</a>:
        <ul><li><a href=/r>Rivers</a></li><li><a href=/e>Egypt</a></li></ul></div></div>"""
    )
    found = extracted.document
    assert found is not None
    assert (found.title, found.modified) == ("Nile", "2023-03-16")
    assert [link.anchor for link in extracted.links[:4]] == ["m", "j", "out", "Categories"]
    assert found.text == "The Nile is a river.\nCourse\nIt flows north."
    assert found.attributes["categories"] == ["Rivers", "Egypt"]
    assert found.headings[0].anchor == "Course"


@pytest.mark.parametrize("box", ["{}", "<div class=mw-heading>{}</div>"])
def test_empty_sections_lose_their_headings(box: str) -> None:
    heads = {level: box.format(f"<h{level}>Head {level}</h{level}>") for level in (2, 3)}
    gone = "<div class=reflist>A source</div><!-- a comment -->"
    wiki = f"""<meta name=generator content="MediaWiki 1.43"><body><div id=mw-content-text>
        <p>What it says.</p>{heads[2]}<p>More.</p>{heads[2]}{heads[3]}{gone}{heads[2]}{gone}"""
    found = read_page(wiki).document
    assert found is not None
    assert found.text == "What it says.\nHead 2\nMore."
    assert [heading.text for heading in found.headings] == ["Head 2"]


def test_lists_of_external_links_are_dropped_only_if_all_items_are_links() -> None:
    sources = "<li><a class=external href=https://example.com/>A source</a>, 1990</li>" * 2
    wiki = f"""<meta name=generator content="MediaWiki 1.43"><body><div id=mw-content-text>
        <p>What it says.</p><ul>{sources}</ul><ul>{sources}<li>A point of its own</ul>"""
    found = read_page(wiki).document
    assert found is not None
    assert found.text.splitlines() == [
        "What it says.", "A source, 1990", "A source, 1990", "A point of its own"
    ]  # fmt: skip


def test_wiki_tables_are_dropped_unless_they_are_layout() -> None:
    wiki = """<meta name=generator content="MediaWiki 1.43"><body><div id=mw-content-text>
        <p>What it says.</p><table class=wikitable><tr><th>Year<td>1990</table>
        <table><tr><td><p>A paragraph in a column.</p></table>
        <table class=t-dcl-begin><tr><td>void declared();</table>"""
    found = read_page(wiki).document
    assert found is not None
    assert found.text.splitlines() == [
        "What it says.", "A paragraph in a column.", "void declared();"
    ]  # fmt: skip
    assert found.attributes["tables"] == ["Year", "1990"]
