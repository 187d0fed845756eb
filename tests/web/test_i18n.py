"""English and Russian: every text in both, each number with its form."""

import re
import string
from pathlib import Path
from typing import Any

import pytest
from web.answers import HttpBrowser, served_fake_site

from byway.accounts import service as accounts_module
from byway.core.model import Status
from byway.core.model.account import ApiKeyScope, Role
from byway.web import i18n
from byway.web.i18n import (
    REQUEST_LOCALE,
    TEXTS_FOLDER,
    RequestLocale,
    languages,
    messages,
    negotiate_locale,
    plural_form,
    t,
)

FORMS = {"en": {"one", "other"}, "ru": {"one", "few", "many"}}
WEB = Path(i18n.__file__).parent
TEMPLATES = sorted((WEB / "templates").glob("*.html"))
TABLES = {"kinds", "months", "languages", "said", "signals"}
OTHERS = [language for language in languages() if language != "en"]
SAID = re.compile(r'(?:\b_|\bsaid)\(\s*"((?:[^"\\]|\\.)+)"')
WRONG = re.compile(
    r'(?:UsageError|self\._answer)\((?:\d+, )?"([^"]+)"\)|^[A-Z_]+ = "([a-z][^"]+ [^"]+)"', re.M
)
"""What is wrong is found out by those who know no languages; pages look it up."""


def test_every_text_is_there_in_every_language() -> None:
    assert len(languages()) == len(list(TEXTS_FOLDER.glob("*.toml"))) >= 2
    for language in languages():
        assert messages(language).keys() == messages("en").keys()
        for section in ("kinds", "months", "languages"):
            assert messages(language)[section].keys() == messages("en")[section].keys()


@pytest.mark.parametrize("key", sorted(messages("en").keys() - TABLES))
def test_a_text_is_filled_with_the_same_in_every_language(key: str) -> None:
    english = messages("en")[key]
    for language in languages():
        text = messages(language)[key]
        assert isinstance(text, dict) == isinstance(english, dict)
        if isinstance(text, dict):
            assert set(text) == FORMS[language]
        assert holes(text) == holes(english), language


def holes(text: Any) -> set[str]:
    """What is filled in, in any of its forms."""
    forms = text.values() if isinstance(text, dict) else [text]
    found = {name for form in forms for _, name, _, _ in string.Formatter().parse(form) if name}
    # `once` needs no number.
    return found - {"count"}


def test_every_text_that_is_asked_for_exists_and_every_one_is_asked_for() -> None:
    sources = [*WEB.rglob("*.py"), *(WEB / "templates").glob("*.html")]
    source = "\n".join(path.read_text(encoding="utf-8") for path in sources)
    asked = set(re.findall(r'\bt\("(\w+[a-z0-9])"', source))
    assert asked <= messages("en").keys()
    begun = ("fault_", "failure_", "filter_", "facet_", "by_", "place_", "looser_", "kept_", "tab_",
             "stock_", "absent_")  # fmt: skip
    mine = ("my_", "worth_", "ranking_", "measure_", "grade_", "hosts_")
    told = {key for key, text in messages("en").items() if not key.startswith(begun + mine)}
    other = {"name", "crawling", "paused", "duplicates_hide", "duplicates_show"}
    other |= {"listed", "listed_more", "seconds", "minutes"}
    assert told - asked - other - TABLES == set()


@pytest.mark.parametrize("language", OTHERS)
def test_all_that_account_and_admin_pages_say_is_translated(language: str) -> None:
    sources = [*WEB.rglob("*.py"), *TEMPLATES]
    said = {text for path in sources for text in SAID.findall(path.read_text(encoding="utf-8"))}
    said |= {*Role, *ApiKeyScope} - {Role.VISITOR}
    known = messages(language)["said"]
    assert said - known.keys() == set(), f"add these to [said] in texts/{language}.toml"
    assert {key for key, text in known.items() if holes(text) != holes(key)} == set()


@pytest.mark.parametrize("language", OTHERS)
def test_what_was_wrong_is_said_in_every_language(language: str) -> None:
    accounts = Path(accounts_module.__file__)
    forms = [
        WEB / f"{name}.py"
        for name in (
            "pages/account",
            "middleware/auth",
            "pages/history",
            "pages/login",
            "pages/admin/removal",
            "pages/admin/users",
        )
    ]
    sources = [path.read_text(encoding="utf-8") for path in (*forms, accounts)]
    wrong = {text for source in sources for found in WRONG.findall(source) for text in found}
    assert len(wrong) > 15
    assert wrong - {""} - messages(language)["said"].keys() == set()


#: Names, and what is typed: the same in every language.
AS_IT_IS = {"robots.txt", "byway", "up", "https://example.org", "site:example.org", "Enter"}
AS_IT_IS |= {"j", "k", "n", "p", "utf-8", "eval", "--data", "judged"}


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.stem)
def test_no_template_has_words_of_its_own(path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    source = re.sub(r"{% block body_class %}.*?{% endblock %}", " ", source)
    plain = re.sub(r"{#.*?#}|{%.*?%}|{{.*?}}|<!doctype html>", " ", source, flags=re.DOTALL)
    told = re.findall(r'(?:aria-label|placeholder|title|alt)="([^"]*)"', plain)
    shown = re.sub(r'[a-z-]+="[^"]*"', " ", re.sub("<[^>]*>", " ", plain))
    words = [word for text in [shown, *told] for word in text.split()]
    ours = {word.strip(",.:;!?…") for word in words}
    assert {word for word in ours - AS_IT_IS if re.search("[A-Za-zА-я]", word)} == set()


@pytest.mark.parametrize(
    ("count", "says"),
    [
        (1, "1 результат за 2 мс"),
        (2, "2 результата за 2 мс"),
        (5, "5 результатов за 2 мс"),
        (11, "11 результатов за 2 мс"),
        (21, "21 результат за 2 мс"),
        (112, "112 результатов за 2 мс"),
        (1003, "1\u00a0003 результата за 2 мс"),
    ],
)
def test_russian_numbers_have_three_forms(count: int, says: str) -> None:
    before = REQUEST_LOCALE.set(RequestLocale("ru"))
    try:
        assert t("results", count=count, took="2 мс") == says
    finally:
        REQUEST_LOCALE.reset(before)


def test_english_numbers_have_two() -> None:
    assert [plural_form("en", count) for count in (0, 1, 2, 21)] == [
        "other",
        "one",
        "other",
        "other",
    ]


@pytest.mark.parametrize(
    ("accepted", "query", "language"),
    [
        ("", "", "en"),
        ("ru", "", "ru"),
        ("ru-RU,ru;q=0.9,en;q=0.8", "", "ru"),
        ("de, en;q=0.5, ru;q=0.7", "", "ru"),
        ("de", "", "en"),
        ("ru", "q=a&ui=en", "en"),
        ("en", "ui=ru", "ru"),
        ("en", "ui=../../etc/passwd", "en"),
        ("ru;q=0,*", "", "en"),
        ("\x00;;q=;q=x,ru;q=nan" + ",a" * 9999, "", "en"),
    ],
)
def test_the_browser_chooses_unless_the_url_does(accepted: str, query: str, language: str) -> None:
    assert negotiate_locale(accepted, query).language == language


def test_a_page_speaks_and_its_links_go_on_speaking(browser: HttpBrowser) -> None:
    reply = browser.request("/search?q=first", headers={"Accept-Language": "ru"})
    assert '<html lang="ru">' in reply.text
    assert "2 результата за менее 1 мс" in reply.text
    assert "31 мая 2024" in reply.text
    assert "ui=ru" not in reply.text.partition("<footer")[0]
    assert reply.headers["Content-Language"] == "ru"
    assert "Accept-Language" in reply.headers["Vary"]
    asked = browser.get("/search", q="many", ui="ru").text
    links = re.findall(r'href="(/search[^"]*)"', asked)
    assert links
    assert all("ui=ru" in link for link in links)


def test_the_language_of_a_hit_is_named_where_the_browser_does_not_read_it(
    browser: HttpBrowser,
) -> None:
    reads = {"Accept-Language": "en, ru;q=0.5"}
    assert "Russian</span>" in browser.get("/search", q="first").text
    assert "Russian</span>" not in browser.request("/search?q=first", headers=reads).text


def test_the_crawl_is_told_of_in_one_line() -> None:
    with served_fake_site(Status(5, 9, 5, True)) as browser:
        assert browser.get("/live").text == "crawling: 5 pages so far, 9 waiting"
        russian = browser.get("/live", ui="ru").text
        assert russian == "идёт обход: 5 страниц, 9 в очереди"
        assert 'data-live="/live"' in browser.get("/search", q="first").text
    with served_fake_site() as browser:
        assert browser.get("/live").text == ""
        assert "data-live" not in browser.get("/search", q="first").text
