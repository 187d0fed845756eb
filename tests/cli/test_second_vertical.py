"""A second vertical, recipes, added as one folder by what its how-to page says."""

import json
import re
import textwrap
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from cli.conftest import LOOPBACK_NETWORK
from cli.runner import byway
from web.crawled_site import engine_at, local_site, served_search
from web.fake_site import HttpBrowser, page_links

HOW_TO = Path(__file__).parents[2] / "docs" / "how-to" / "add-a-vertical.md"
FENCE = re.compile(r"^( *)```(\w+)\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)

PAGE = """<title>{name}</title><h1>{name}</h1><p>A {kind} that my grandmother made.</p>
<script type="application/ld+json">{data}</script>"""


def blocks(kind: str) -> list[str]:
    found = FENCE.findall(HOW_TO.read_text("utf-8"))
    return [textwrap.dedent(block) for _, name, block in found if name == kind]


def write_vertical(data: Path) -> Path:
    """The folder of the how-to page."""
    (code,), (template,), (english, russian, _) = map(blocks, ("python", "html", "toml"))
    folder = data / "verticals" / "recipes"
    files = {
        "vertical.py": code,
        "templates/hit.html": template,
        "messages/en.toml": english,
        "messages/ru.toml": russian,
    }
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content, "utf-8")
    return folder


def recipe_page(name: str, kind: str, time: str, servings: str, *ingredients: str) -> str:
    about = {"@type": "Recipe", "name": name, "totalTime": time, "recipeYield": servings}
    data = json.dumps({**about, "recipeIngredient": ingredients}, ensure_ascii=False)
    return PAGE.format(name=name, kind=kind, data=data)


PAGES = {
    "/": '<a href="/1">1</a> <a href="/2">2</a> <a href="/3">3</a> <a href="/4">4</a>',
    "/1": recipe_page("Borscht", "soup", "PT1H30M", "6 plates", "500 g Beet", "1/2 Cabbage"),
    "/2": recipe_page("Okroshka", "soup", "PT25M", "4 plates", "2 Cucumbers", "1 l Kvass"),
    "/3": recipe_page("Vinegret", "salad", "PT45M", "4 plates", "2 Beet", "3 Potatoes"),
    "/4": "<title>The history of soup</title><p>Every soup begins with water.</p>",
}


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    data = tmp_path_factory.mktemp("recipes") / "data"
    write_vertical(data)
    with local_site(PAGES) as site:
        quick = ("--delay", 0, "--allow-private", LOOPBACK_NETWORK, "--data", data)
        assert byway("crawl", site.url, *quick).exit_code == 0
    assert byway("index", "--data", data).exit_code == 0
    return data


@pytest.fixture(scope="module")
def served(data: Path) -> Iterator[HttpBrowser]:
    with served_search(engine_at(data)) as browser:
        yield browser


def names(served: HttpBrowser, **asked: Any) -> list[str]:
    found = served.get("/api/v1/recipes", **asked)
    assert found.status == 200, found.text
    return [recipe["name"] for recipe in found.json["recipes"]]


def test_fields_are_extracted(served: HttpBrowser) -> None:
    (recipe,) = served.get("/api/v1/recipes", q="borscht").json["recipes"]
    assert recipe["ingredients"] == ["500 g Beet", "1/2 Cabbage"]
    assert (recipe["minutes"], recipe["yield"]) == (90, "6 plates")
    assert recipe["filters"] == {"is": "recipe", "ingredient": ["beet", "cabbage"], "minutes": 90}


def test_recipes_are_searched_and_filtered(served: HttpBrowser, data: Path) -> None:
    assert set(names(served)) == {"Borscht", "Okroshka", "Vinegret"}
    assert set(names(served, q="soup")) == {"Borscht", "Okroshka"}
    assert set(names(served, ingredient="beet")) == {"Borscht", "Vinegret"}
    assert names(served, ingredient="beet", max_minutes="60") == ["Vinegret"]
    assert names(served, attribute="ingredient:kvass") == ["Okroshka"]
    assert names(served, sort="minutes") == ["Okroshka", "Vinegret", "Borscht"]
    pages = json.loads(byway("search", "ingredient:beet", "--json", "--data", data).stdout)
    assert {hit["title"] for hit in pages["hits"]} == {"Borscht", "Vinegret"}
    assert served.get("/api/v1/recipes", max_minutes="soon").status == 422
    assert served.get("/api/v1/recipes", colour="red").status == 422


def test_words_of_a_query_become_filters(served: HttpBrowser, data: Path) -> None:
    found = served.get("/api/v1/recipes", q="soup under 60 minutes").json
    assert [recipe["name"] for recipe in found["recipes"]] == ["Okroshka"]
    (chip,) = found["detected_filters"]
    assert (chip["attribute"], chip["value"], chip["query_without"]) == ("minutes", "..60", "soup")
    words = ("search", "soup under 60 minutes", "--vertical", "recipes")
    shown = byway(*words, "--data", data).stdout
    assert "1. Okroshka" in shown
    assert "Borscht" not in shown


def test_facets_are_counted(served: HttpBrowser) -> None:
    facets = served.get("/api/v1/recipes").json["facets"]
    assert {"value": "beet", "count": 2} in facets["ingredient"]


def test_recipes_are_shown(served: HttpBrowser) -> None:
    page = served.get("/recipes", q="soup under 60 minutes", ui="en")
    text = unescape(page.text)
    assert page.status == 200
    assert "25 minutes · <bdi>4 plates</bdi>" in text
    assert "2 Cucumbers, 1 l Kvass" in text
    assert "Minutes: <bdi>up to 60</bdi>" in text
    assert "Quickest first" in text
    every = served.get("/recipes", ui="en").text
    beet = next(
        url for name, url in page_links(every, "<aside", "</aside>").items() if "beet" in name
    )
    assert beet == "/recipes?q=&ingredient=beet&ui=en"
    chosen = unescape(served.request(beet).text)
    assert "Ingredient: <bdi>beet</bdi>" in chosen
    assert "Okroshka" not in chosen
    russian = unescape(served.get("/recipes", q="soup", ui="ru").text)
    for said in ("Рецепты", "Сначала быстрые", "25 минут"):
        assert said in russian, said


def test_the_tab_appears_beside_pages(served: HttpBrowser) -> None:
    page = served.get("/search", q="soup", ui="en").text
    assert ">Recipes</a>" in page
    assert ">Products</a>" not in page
    assert served.get("/api/v1/status").json["verticals"] == ["recipes"]


def test_the_api_describes_its_parameters(served: HttpBrowser) -> None:
    paths = served.get("/api/v1/openapi.json").json["paths"]
    params = {one["name"] for one in paths["/api/v1/recipes"]["get"]["parameters"]}
    assert params == {
        *("q", "page", "limit", "sort", "ingredient", "max_minutes", "attribute"),
    }
    assert "/api/v1/recipes/history" not in paths
