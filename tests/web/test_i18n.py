"""Messages and locales: every key is defined and used, and pages follow the language."""

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from search.query.test_operators import diagnosis_keys
from web.fake_site import HttpBrowser, served_fake_site

import byway
from byway.core import errors
from byway.core.media_types import document_formats
from byway.core.messages import catalogue, languages, speaking, t
from byway.core.model import Status
from byway.core.operators import OPERATORS
from byway.search.rank.signals import SIGNALS
from byway.web.i18n import negotiate_locale

SOURCE = Path(byway.__file__).parent
TEMPLATES = sorted(SOURCE.glob("*/templates/**/*.html"))
TEMPLATES += [SOURCE / "reports" / "crawl" / "page.html"]
MODULES = sorted(SOURCE.rglob("*.py"))
KEYS = frozenset(catalogue("en"))
CODE = re.compile(r"[a-z][\w-]*(\.[\w-]+)+")
"""A dotted code, as opposed to a sentence."""
PREFIX = re.compile(r"[a-z]\w*\.([\w.-]*[._])?")
"""The constant start of a key: `f"web.sort.{sort}"`."""
SECTIONS = ("error.", "reason.", "diagnosis.", "state.")
"""Sections whose name code leaves out: `UsageError("web.bad_page")` is `error.web.bad_page`."""
TEMPLATE_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')


def strings(module: Path) -> Iterator[str]:
    """All string literals of a module, and the constant starts of its f-strings."""
    for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def template_strings(path: Path) -> Iterator[str]:
    source = path.read_text(encoding="utf-8")
    for expression in re.findall(r"\{\{.*?\}\}|\{%.*?%\}", source, re.DOTALL):
        yield from TEMPLATE_STRING.findall(expression)


def calls(module: Path) -> Iterator[tuple[str, str]]:
    """The name of each called function with its first argument, if that is a string."""
    for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            first = next(
                (
                    each.value
                    for each in node.args[:2]
                    if isinstance(each, ast.Constant) and isinstance(each.value, str)
                ),
                "",
            )
            yield node.func.id, first


def is_used(key: str, literals: set[str], prefixes: tuple[str, ...]) -> bool:
    names = [key, *(key.removeprefix(section) for section in SECTIONS if key.startswith(section))]
    return any(name in literals or name.startswith(prefixes) for name in names)


@pytest.fixture(scope="module")
def literals() -> set[str]:
    found = {text for path in MODULES for text in strings(path)}
    found |= {key for operator in OPERATORS.values() for key in diagnosis_keys(operator)}
    return found | {text for path in TEMPLATES for text in template_strings(path)}


def without_format(text: str) -> str:
    """`web.ranking.grade_%d` without its format."""
    return text.removesuffix("%d").removesuffix("%g")


def missing(keys: Iterable[str]) -> set[str]:
    return {key for key in keys if key not in KEYS and not any(k.startswith(key) for k in KEYS)}


def test_every_key_in_a_template_is_defined() -> None:
    used = {text for path in TEMPLATES for text in template_strings(path)}
    assert missing(without_format(text) for text in used if text.startswith("web.")) == set()


def test_every_key_in_code_is_defined() -> None:
    found = [call for path in MODULES for call in calls(path)]
    assert missing(first for name, first in found if name == "t" and first) == set()
    kinds = {name for name in vars(errors) if name.endswith("Error")}
    sections = {
        name: getattr(errors, name).section if hasattr(errors, name) else "error"
        for name in kinds | {"HttpError", "QueryParamsError"}
    }
    codes = {
        f"{sections[name]}.{first}"
        for name, first in found
        if name in sections and CODE.fullmatch(first)
    }
    assert missing(codes) == set()


def test_every_key_is_used(literals: set[str]) -> None:
    prefixes = tuple(text for text in map(without_format, literals) if PREFIX.fullmatch(text))
    assert {key for key in KEYS if not is_used(key, literals, prefixes)} == set()


@pytest.mark.parametrize("language", languages())
def test_every_signal_has_a_description(language: str) -> None:
    assert {f"signals.{name}" for name in SIGNALS} <= catalogue(language).keys()


@pytest.mark.parametrize("language", languages())
def test_every_document_type_has_a_name(language: str) -> None:
    assert {f"web.type.{name}" for name in document_formats()} <= catalogue(language).keys()


#: Names and commands: the same in every language.
UNTRANSLATED = {"robots.txt", "byway", "up", "https://example.org", "site:example.org", "Enter"}
UNTRANSLATED |= {"j", "k", "n", "p", "utf-8", "eval", "--data", "judged"}


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.stem)
def test_no_template_has_words_of_its_own(path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    source = re.sub(r"{% block body_class %}.*?{% endblock %}", " ", source)
    plain = re.sub(r"{#.*?#}|{%.*?%}|{{.*?}}|<!doctype html>", " ", source, flags=re.DOTALL)
    labels = re.findall(r'(?:aria-label|placeholder|title|alt)="([^"]*)"', plain)
    shown = re.sub(r'[a-z-]+="[^"]*"', " ", re.sub("<[^>]*>", " ", plain))
    words = {word.strip(",.:;!?…") for text in [shown, *labels] for word in text.split()}
    assert {word for word in words - UNTRANSLATED if re.search("[A-Za-zА-я]", word)} == set()


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (1, "1 результат за 2 мс"),
        (2, "2 результата за 2 мс"),
        (5, "5 результатов за 2 мс"),
        (11, "11 результатов за 2 мс"),
        (21, "21 результат за 2 мс"),
        (112, "112 результатов за 2 мс"),
        (1003, "1\u202f003 результата за 2 мс"),
    ],
)
def test_russian_numbers_have_three_forms(count: int, text: str) -> None:
    with speaking("ru"):
        assert t("web.search.results", count=count, took="2 мс") == text


def test_english_numbers_have_two_forms() -> None:
    texts = [t("web.search.did_you_mean_total", count=count) for count in (0, 1, 2, 21)]
    assert texts == ["0 pages", "1 page", "2 pages", "21 pages"]


@pytest.mark.parametrize(
    ("accepted", "query", "language"),
    [
        ("", "", "en"),
        ("ru", "", "ru"),
        ("ru-RU,ru;q=0.9,en;q=0.8", "", "ru"),
        ("xx, en;q=0.5, ru;q=0.7", "", "ru"),
        ("xx", "", "en"),
        ("ru", "q=a&ui=en", "en"),
        ("en", "ui=ru", "ru"),
        ("en", "ui=../../etc/passwd", "en"),
        ("ru;q=0,*", "", "en"),
        ("\x00;;q=;q=x,ru;q=nan" + ",a" * 9999, "", "en"),
    ],
)
def test_the_url_overrides_the_language_of_the_browser(
    accepted: str, query: str, language: str
) -> None:
    assert negotiate_locale(accepted, query).language == language


def test_a_page_and_its_links_follow_the_language(browser: HttpBrowser) -> None:
    reply = browser.request("/search?q=first", headers={"Accept-Language": "ru"})
    assert '<html lang="ru">' in reply.text
    assert "2 результата за менее 1 мс" in reply.text
    assert "31 мая 2024" in reply.text
    assert "ui=ru" not in reply.text.partition("<footer")[0]
    assert reply.headers["Content-Language"] == "ru"
    assert "Accept-Language" in reply.headers["Vary"]
    page = browser.get("/search", q="many", ui="ru").text
    links = re.findall(r'href="(/search[^"]*)"', page)
    assert links
    assert all("ui=ru" in link for link in links)


def test_an_api_error_follows_the_language_and_keeps_its_code(browser: HttpBrowser) -> None:
    english = browser.get("/api/v1/search").json
    russian = browser.get("/api/v1/search?q=&limit=10", ui="ru")
    assert russian.status == 422, "ui is a parameter of pages"
    russian = browser.request("/api/v1/search", headers={"Accept-Language": "ru"})
    assert english["code"] == russian.json["code"] == "web.empty_query"
    assert english["detail"] == t("error.web.empty_query", path="/api/v1/search")
    with speaking("ru"):
        assert russian.json["detail"] == t("error.web.empty_query", path="/api/v1/search")


def test_a_hit_in_a_language_the_browser_does_not_accept_is_labelled(
    browser: HttpBrowser,
) -> None:
    accepted = {"Accept-Language": "en, ru;q=0.5"}
    assert "Russian</span>" in browser.get("/search", q="first").text
    assert "Russian</span>" not in browser.request("/search?q=first", headers=accepted).text


def test_the_crawl_progress_is_one_line() -> None:
    with served_fake_site(Status(5, 9, 5, True)) as browser:
        assert browser.get("/live").text == "crawling: 5 pages so far, 9 waiting"
        russian = browser.get("/live", ui="ru").text
        assert russian == "идёт обход: 5 страниц, 9 в очереди"
        assert 'data-live="/live"' in browser.get("/search", q="first").text
    with served_fake_site() as browser:
        assert browser.get("/live").text == ""
        assert "data-live" not in browser.get("/search", q="first").text
