"""Products from structured data, site rules and visible text."""

import json
from typing import Any

import pytest
from extract.page_factory import HOSTILE_PAGES, MAX_BYTES, SETTINGS, VERTICALS, document, page

from byway.extract.dispatch import extract
from byway.extract.site_rules.parse import parse_rule
from byway.products.record import Product, product_of

BOOT = {
    "@context": "https://schema.org",
    "@type": "Product",
    "name": "Boot",
    "brand": {"@type": "Brand", "name": "Halm"},
    "color": ["black", "red"],
    "size": ["38", "39"],
    "sku": "B-1",
    "image": [{"@type": "ImageObject", "url": "https://a.org/1.png"}, "https://a.org/2.png"],
    "audience": {"@type": "PeopleAudience", "suggestedGender": "female"},
    "aggregateRating": {"ratingValue": "4.5", "reviewCount": 12},
    "additionalProperty": [{"@type": "PropertyValue", "name": "Heel", "value": "wedge"}],
    "offers": [
        {"@type": "Offer", "price": "1,299.00", "priceCurrency": "EUR"},
        {"@type": "Offer", "price": 999, "priceCurrency": "EUR", "availability": "InStock"},
    ],
}
PLAIN = """<h1>Riding boots</h1><p class=price>Price: <b>177,00 €</b> <s class=old>200,00 €</s></p>
<dl><dt>Brand</dt><dd>Halm</dd><dt>Colour</dt><dd>black, brown</dd><dt>Sizes</dt><dd>36, 37</dd>
</dl><table><tr><th>For</th><td>women</td></tr></table><ul><li>Country: Italy</li></ul>
<a href=/cart>Add to basket</a>"""
SHELF = "<h1>Boots</h1><ul>{}</ul>".format(
    "".join(f"<li><a href=/{n}>Boot {n}</a> <b class=price>€{n}0</b></li>" for n in range(1, 9))
)


def product(body: str, **about: str) -> Product:
    found = product_of(document(body, **about))
    assert found is not None
    return found


def scripted(*things: Any) -> str:
    return "".join(f"<script type=application/ld+json>{json.dumps(one)}</script>" for one in things)


def test_a_product_is_read_from_json_ld() -> None:
    boot = product(scripted(BOOT) + "<h1>Boot</h1>")
    assert (boot.name, boot.brand, boot.sku) == ("Boot", "Halm", "B-1")
    assert (boot.colours, boot.sizes) == (("black", "red"), ("38", "39"))
    assert (boot.price, boot.currency, boot.availability) == (999.0, "EUR", "yes")
    assert (boot.rating, boot.reviews) == (4.5, 12)
    assert boot.images == ("https://a.org/1.png", "https://a.org/2.png")
    assert boot.attributes == {"Heel": "wedge"}
    assert set(boot.sources.values()) == {"json-ld"}


def test_a_group_of_variants_has_their_sizes_and_colours() -> None:
    variants = [{"@type": "Product", "size": str(n), "color": "red"} for n in (36, 37)]
    group = {"@type": "ProductGroup", "name": "Boot", "hasVariant": variants, "sku": "B"}
    assert product(scripted(group)).sizes == ("36", "37")


def test_opengraph_is_enough_for_a_price() -> None:
    head = """<meta property=og:type content=product><meta property=og:image content=/a.png>
    <meta property=product:price:amount content=49.90>
    <meta property=product:price:currency content=usd><h1>Flats</h1>"""
    flats = product(head)
    assert (flats.name, flats.price, flats.currency) == ("Flats", 49.9, "USD")
    assert flats.sources["price"] == "opengraph"
    assert flats.sources["name"] == "heuristic"


def test_a_product_is_read_from_visible_text() -> None:
    boots = product(PLAIN)
    assert (boots.name, boots.price, boots.currency, boots.old_price) == (
        "Riding boots", 177.0, "EUR", 200.0,
    )  # fmt: skip
    assert (boots.brand, boots.colours, boots.sizes) == ("Halm", ("black", "brown"), ("36", "37"))
    assert (boots.gender, boots.attributes) == ("women", {"Country": "Italy"})
    assert set(boots.sources.values()) == {"heuristic"}


RULE = """title = ".name"
[match]
host = "example.org"
[fields.price]
css = ".tag"
type = "price"
currency = "EUR"
[fields.colours]
const = ["white"]
[fields.attribute_names]
css = "i"
list = true
[fields.attribute_values]
css = "em"
list = true
"""


def test_a_site_rule_overrules_structured_data() -> None:
    body = scripted(BOOT) + "<b class=name>Boot 7</b><b class=tag>5</b><i>Heel</i><em>flat</em>"
    rule = parse_rule(RULE, "mine.toml", "mine", "mine")
    read = extract(page(body), SETTINGS, MAX_BYTES, [rule], VERTICALS).document
    assert read is not None
    boot = product_of(read)
    assert boot is not None
    assert (boot.name, boot.price, boot.colours) == ("Boot 7", 5.0, ("white",))
    assert boot.attributes == {"Heel": "flat"}
    assert (boot.sources["price"], boot.sources["brand"]) == ("rule", "json-ld")


def test_attribute_names_and_values_are_paired_by_index() -> None:
    rows = "<i>Upper</i><em>wool</em><i>Heel</i><em></em><i>Lining</i><em>wool</em>"
    body = f"<b class=name>Boot 7</b><b class=tag>5</b>{rows}<i>Sole</i><em>rubber</em>"
    read = extract(
        page(body), SETTINGS, MAX_BYTES, [parse_rule(RULE, "mine.toml", "mine", "mine")], VERTICALS
    ).document
    boot = product_of(read) if read else None
    assert boot is not None
    assert boot.attributes == {"Upper": "wool", "Lining": "wool", "Sole": "rubber"}


@pytest.mark.parametrize(
    "body",
    [SHELF, "<h1>News</h1><p>Shoes cost 99 € now.</p>", "<p class=price>99 €</p>", "",
     scripted({**BOOT, "name": "Alder"}, {**BOOT, "name": "Birch"}) + "<h1>Boots</h1>",
     "<meta property=og:image content=a.png><h1>Picture</h1>"],
)  # fmt: skip
def test_category_pages_and_articles_are_no_products(body: str) -> None:
    assert product_of(document(f"<title>Page</title><main>{body}<p>Text.</p></main>")) is None


def test_of_several_products_the_one_in_the_title_is_taken() -> None:
    others = scripted({**BOOT, "name": "Sandal"}, BOOT)
    assert product(f"<title>Boot, black</title>{others}<h1>Boot</h1>").name == "Boot"


@pytest.mark.parametrize("body", HOSTILE_PAGES, ids=range(len(HOSTILE_PAGES)))
def test_hostile_shop_pages_are_read_in_time(body: str) -> None:
    extracted = extract(
        page(f"<h1>x</h1><p class=price>9 €</p>{body}"), SETTINGS, MAX_BYTES, verticals=VERTICALS
    )
    assert extracted.document is not None or extracted.failure


def test_values_of_a_product_are_limited() -> None:
    many = "".join(f"<dt>Name {n}</dt><dd>{'x' * 250}</dd>" for n in range(5000))
    boots = product(PLAIN + f"<dl>{many}</dl>")
    assert len(boots.attributes) <= 60
    assert sum(len(value) for value in boots.attributes.values()) < 20_000
