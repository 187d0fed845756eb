"""Breadcrumbs in structured data and in markup."""

import json
from typing import Any

import pytest
from extract.page_factory import document
from vectors import vector_path

from byway.core.model.document import pack, unpack
from byway.extract.formats.html.breadcrumbs import clean_steps, visible_steps
from byway.extract.formats.html.dom import body_of, parse_html


def crumbs(body: str) -> tuple[str, ...]:
    return document(body).breadcrumbs


def listed(*steps: Any) -> str:
    data = {"@type": "BreadcrumbList", "itemListElement": list(steps)}
    return f"<script type=application/ld+json>{json.dumps(data)}</script>"


def test_json_ld_breadcrumbs_are_ordered() -> None:
    second = {"@type": "ListItem", "position": 2, "name": "Boots"}
    first = {"@type": "ListItem", "position": "1", "item": {"@id": "/s", "name": "Shoes"}}
    assert crumbs(listed(second, first)) == ("Shoes", "Boots")
    page = {"@type": "WebPage", "breadcrumb": {"itemListElement": [first, second]}}
    assert crumbs(f"<script type=application/ld+json>{json.dumps(page)}</script>") == (
        *("Shoes", "Boots"),
    )


def test_microdata_breadcrumbs_are_read() -> None:
    assert crumbs(
        """<ol itemscope itemtype=https://schema.org/BreadcrumbList>
        <li itemprop=itemListElement itemscope itemtype=https://schema.org/ListItem>
        <a itemprop=item href=/s><span itemprop=name>Shoes</span></a>
        <meta itemprop=position content=1></li>
        <li itemprop=itemListElement itemscope itemtype=https://schema.org/ListItem>
        <span itemprop=name>Boots</span><meta itemprop=position content=2></li></ol>"""
    ) == ("Shoes", "Boots")


@pytest.mark.parametrize(
    "body",
    [
        "<nav aria-label=Breadcrumb><ol><li><a href=/>Home</a><li>Boots</ol></nav>",
        "<ul class=breadcrumbs><li><a href=/>Home</a></li><li>&rsaquo;</li><li>Boots</ul>",
        "<div id=breadcrumb><a href=/>Home</a> &gt; Boots</div>",
        "<p class=my-breadcrumb-bar><a href=/>Home</a> &raquo; <b>Boots</b></p>",
        "<div class=breadcrumb>Home / <script>x()</script><span>Boots</span></div>",
    ],
)
def test_common_breadcrumb_markup_is_read(body: str) -> None:
    assert crumbs(body) == ("Home", "Boots")


def test_menus_are_not_breadcrumbs() -> None:
    menu = "".join(f"<li><a href=/{number}>Shelf {number}</a>" for number in range(40))
    assert crumbs(f"<ul class=breadcrumb>{menu}</ul>") == ()
    assert crumbs("<div class=breadcrumb>Home</div><p>x") == ()
    assert crumbs(listed(3, "x", {"name": ["a", {}]}, None)) == ("a",)


def test_breadcrumbs_survive_packing() -> None:
    found = document("<nav class=breadcrumb><a href=/>Home</a> › Boots</nav>")
    assert unpack(pack(found)) == found


def test_breadcrumbs_of_real_shops_are_read() -> None:
    folder = vector_path("products/zyte-parsers/tests/data")
    samples = json.loads((folder / "breadcrumb_items_extract.json").read_text(encoding="utf-8"))
    right = 0
    for each in samples:
        page = folder / "breadcrumb_items_snippets" / each["snippet_path"]
        region: Any = body_of(parse_html(page.read_bytes(), "text/html; charset=utf-8"))
        names = [" ".join(step["name"].split()) for step in each["expected"] if step.get("name")]
        right += list(clean_steps(visible_steps(region))) == names
    assert right / len(samples) > 0.85
