"""Structured data in every notation, checked against the samples of extruct."""

import json
from pathlib import Path
from typing import Any

import pytest
from extract.page_factory import SETTINGS, document, extract_page
from pace import run_within
from vectors import vector_path

from byway.core.model import Url
from byway.core.structured_data import StructuredData
from byway.core.text import single_line
from byway.extract.formats.html import html_reader, structured_data
from byway.extract.formats.html.dom import parse_html, select_by_tag

BASE = Url("http://www.example.com/index.html")
SAMPLES = "products/extruct/tests/samples"

OTHERS = {
    "misc/microformat_test": "microformats are not read",
    "schema.org/SearchAction.001": "what a form's input asks for is not read",
    "schema.org/product-ref": "an item that is referred to keeps its properties, as HTML has it",
}
"""Samples that are read in another way, and why."""


def data_of(body: bytes) -> StructuredData:
    tree = parse_html(body, "text/html; charset=utf-8")
    return structured_data.read(tree, select_by_tag(tree, html_reader.TAG_SELECTORS), BASE)


def of(text: str) -> Any:
    return data_of(text.encode()).stored_data


def test_items_have_one_shape_in_every_notation() -> None:
    boot = {"@type": "Product", "name": "Boot", "offers": {"@type": "Offer", "price": "99"}}
    as_json = f"<script type=application/ld+json>{json.dumps(boot)}</script>"
    micro = """<div itemscope itemtype=https://schema.org/Product><b itemprop=name>Boot</b>
    <p itemprop=offers itemscope itemtype=http://schema.org/Offer>
    <i itemprop=price content=99>99 €</i></p></div>"""
    rdfa = """<div vocab=https://schema.org/ typeof=Product><b property=name>Boot</b>
    <p property=offers typeof=Offer><i property=price content=99>99 €</i></p></div>"""
    assert of(as_json)["json-ld"] == of(micro)["microdata"] == of(rdfa)["rdfa"] == [boot]


def test_opengraph_and_dublin_core_are_stored_by_name() -> None:
    found = of(
        """<meta property=og:title content=T><meta property=og:image content=a.png>
        <meta property=og:image content=b.png><meta name=DC.creator content=Ada>
        <meta property=product:price:amount content=5><meta name=description content=D>"""
    )
    assert found == {
        "opengraph": {"title": "T", "image": ["a.png", "b.png"], "product:price:amount": "5"},
        "dublin-core": {"dc.creator": "Ada"},
    }


def test_json_with_comments_is_read() -> None:
    text = '/* x */ <!-- y -->{"@type": "A", // z\n "url": "http://a.org//b", },'
    assert of(f"<script type=application/ld+json>{text}</script>") == {}
    text = text.rstrip(",") + ";"
    (thing,) = of(f"<script type=application/ld+json>{text}</script>")["json-ld"]
    assert thing == {"@type": "A", "url": "http://a.org//b"}


@pytest.mark.alone
@pytest.mark.parametrize(
    "body",
    [
        # each item holds the two after it: without a limit, 2 ** 60 of them
        "<div itemscope itemref='a0 b0'></div>"
        + "".join(
            f"<p id={name}{number} itemscope itemprop=x itemref='a{number + 1} b{number + 1}'></p>"
            for number in range(60)
            for name in "ab"
        ),
        "<div itemscope id=a itemref=b></div><div itemscope itemprop=q id=b itemref=a></div>",
        "<div itemscope itemref=z></div>" * 2000 + "<div id=z>" + "<p itemprop=a>v</p>" * 2000,
        "<div itemscope>" + "<div itemprop=a>text" * 3000,
        "<div itemscope itemprop=a>" * 3000,
        "<div typeof=a property=b>" * 3000,
        "<script type=application/ld+json>" + '{"a":[' * 5000,
        "<script type=application/ld+json>[" + "{}," * 80_000 + "{}]",
        "<meta property=og:a content=b>" * 20_000,
        "<script type=application/ld+json>" + "/*" * 100_000,
        "<div id=z>" * 20_000 + "<p itemprop=a>v</p>" * 3000 + "<div itemscope itemref=z>" * 50,
        "<div class=breadcrumb>" + "<i>" * 20_000 + "x<b>y</b>" * 20_000,
        "<div class=breadcrumb><a>" + "x<b>y</b>" * 100_000,
    ],
)
def test_endless_data_is_limited(body: str) -> None:
    extracted = run_within(SETTINGS.timeout, lambda: extract_page(body))
    assert extracted.document is not None, extracted.failure
    kept = json.dumps(extracted.document.attributes)
    assert len(kept) < 2 * structured_data.MAX_STRUCTURED_DATA_CHARS


def test_items_too_large_to_store_are_still_used() -> None:
    item = {"@type": "Article", "author": {"name": "Ada"}, "text": "x" * 20_000}
    found = document(
        f"""<script type=application/ld+json>{json.dumps(item)}</script>
        <meta property=og:type content=article>"""
    )
    assert found.author == "Ada"
    assert found.attributes["structured"] == {"opengraph": {"type": "article"}}


# The samples.


def samples(suffix: str) -> list[tuple[str, Path, Any]]:
    folder = vector_path(SAMPLES)
    found = []
    for page in sorted(folder.rglob("*.html")):
        told = page.with_name(page.stem + suffix)
        if told.exists():
            name = page.relative_to(folder).with_suffix("").as_posix()
            found.append((name, page, json.loads(told.read_text(encoding="utf-8"))))
    return found


def plain(value: Any) -> Any:
    """A value with its lists in one order, and URLs as they were written."""
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items() if key != "@context"}
    if isinstance(value, list):
        flat = [
            one
            for each in value
            for one in (plain(each) if isinstance(each, list) else [plain(each)])
        ]
        return sorted(flat, key=lambda each: json.dumps(each, sort_keys=True))
    if isinstance(value, str):
        for start in ("http://www.example.com/", "http://blog.example.com/progress-report"):
            value = value.removeprefix(start)
        for start in ("index.html", "microdata/", "/"):
            value = value.removeprefix(start)
        return single_line(value, 4000)
    return value


def in_our_shape(value: Any) -> Any:
    """Microdata of extruct in our shape."""
    if isinstance(value, list):
        return [in_our_shape(each) for each in value]
    if not isinstance(value, dict) or not {"type", "properties"} & set(value):
        return value
    types = value.get("type", [])
    types = types.split() if isinstance(types, str) else types
    short = [each.removeprefix("http://schema.org/") for each in types]
    about = {"@type": short[0] if len(short) == 1 else short, "@id": value.get("id")}
    item = {key: each for key, each in about.items() if each}
    for key, each in value.get("properties", {}).items():
        item[key] = in_our_shape(each[0] if isinstance(each, list) and len(each) == 1 else each)
    return item


def short_types(value: Any) -> Any:
    if isinstance(value, list):
        return [short_types(each) for each in value]
    if not isinstance(value, dict):
        return value.removeprefix("http://schema.org/") if isinstance(value, str) else value
    return {
        key: short_types(each) if key == "@type" else in_types(each) for key, each in value.items()
    }


def in_types(value: Any) -> Any:
    return short_types(value) if isinstance(value, dict | list) and value else value


def test_microdata_matches_other_extractors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(structured_data, "MAX_STRUCTURED_DATA_CHARS", 10**9)
    told = [each for each in samples(".json") if isinstance(each[2], list) and "type" in each[2][0]]
    unlike = {
        name
        for name, page, expected in told
        if plain(data_of(page.read_bytes()).stored_data.get("microdata", []))
        != plain(in_our_shape(expected))
    }
    assert len(told) > 15
    assert unlike == set(OTHERS)


def test_json_ld_matches_other_extractors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(structured_data, "MAX_STRUCTURED_DATA_CHARS", 10**9)
    told = samples(".jsonld")
    for name, page, expected in told:
        items = expected if isinstance(expected, list) else expected.get("items", [expected])
        found = data_of(page.read_bytes()).stored_data.get("json-ld", [])
        assert plain(found) == plain(short_types(items)), name
    assert len(told) > 10


@pytest.mark.parametrize("name", ["opengraph_test", "opengraph_ns_product_test"])
def test_opengraph_matches_other_extractors(name: str) -> None:
    folder = vector_path(SAMPLES) / "misc"
    (told,) = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
    found: Any = data_of((folder / f"{name}.html").read_bytes()).stored_data["opengraph"]
    expected = {key.removeprefix("og:"): value for key, value in told["properties"]}
    assert expected.items() <= found.items()


def test_dublin_core_matches_other_extractors() -> None:
    folder = vector_path(SAMPLES) / "misc"
    (told,) = json.loads((folder / "dublincore_test.json").read_text(encoding="utf-8"))
    found = data_of((folder / "dublincore_test.html").read_bytes()).stored_data["dublin-core"]
    assert found == {
        each["name"].lower(): " ".join(each["content"].split())
        for each in told["elements"] + told["terms"]
        if "name" in each
    }


RDFA_LITE = ["w3c.rdfalite.example003", "w3c.rdfalite.example004", "w3c.rdfalite.example005"]


@pytest.mark.parametrize("name", [*RDFA_LITE, "w3c.rdfaprimer.example015"])
def test_rdfa_lite_matches_other_extractors(name: str) -> None:
    folder = vector_path(SAMPLES) / "w3crdfa"
    told = json.loads((folder / f"{name}.expanded.json").read_text(encoding="utf-8"))
    found: list[Any] = []
    for thing in data_of((folder / f"{name}.html").read_bytes()).items:
        statements(thing, found)
    assert {triple for node in told for triple in triples(node)} == set(found)


def statements(thing: Any, found: list[Any]) -> str:
    """The triples of an item as (property, value); items without an id are equal."""
    types = thing.get("@type", [])
    found += [("@type", each) for each in ([types] if isinstance(types, str) else types)]
    for key, value in thing.items():
        for each in (value if isinstance(value, list) else [value]) if key[0] != "@" else ():
            found.append((key, statements(each, found) if isinstance(each, dict) else each))
    return str(thing.get("@id", "_:"))


def triples(node: Any) -> list[tuple[str, str]]:
    found = [("@type", each.removeprefix("http://schema.org/")) for each in node.get("@type", [])]
    for key, values in node.items():
        if key[0] != "@" and "usesVocabulary" not in key:
            short = key.removeprefix("http://schema.org/")
            named = [each.get("@value", each.get("@id")) for each in values]
            found += [(short, "_:" if each.startswith("_:") else each) for each in named]
    return found
