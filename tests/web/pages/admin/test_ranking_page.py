"""What an admin does to the ranking: tries weights side by side, judges, measures, saves."""

import re
import subprocess
import sys
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from urllib.parse import quote

import pytest
from pace import WAIT_TIMEOUT_SECONDS, wait_until
from web.account_site import ServedSite, UserBrowser, served_site

from byway.core.messages import t
from byway.core.model import Document, UrlId
from byway.core.model.account import Role
from byway.core.settings.load import load_settings
from byway.core.url import normalize
from byway.search.rank.signals import SIGNALS
from byway.web.query_params import MAX_QUERY_CHARS

ANIMALS = ("fox", "hedgehog", "spider", "robin", "badger", "heron")


def pages() -> list[Document]:
    """Of each animal one page is named after it, and another says its name often."""
    found = []
    for number, name in enumerate(ANIMALS):
        named = f"A few words on what it eats, and a {name} at last, " + "among many others " * 20
        often = f"{name} and {name} " * 4
        for id, title, text in ((1, name.title(), named), (2, "Field notes", often)):
            url = normalize(f"https://host{id}.example/{name}")
            found.append(Document(url, UrlId(2 * number + id), title, text))
    return found


@pytest.fixture
def here(tmp_path: Path) -> Iterator[ServedSite]:
    with served_site(tmp_path, pages=pages()) as here:
        yield here


def lists(page: str) -> list[list[str]]:
    """The URLs of the results, before and after."""
    return [
        re.findall(r'<p dir="auto"><a href="([^"]+)"', part)
        for part in page.split('<ol class="placed">')[1:]
    ]


def state(page: str) -> str:
    return unescape(re.findall(r'name="state" value="([^"]*)"', page)[0])


NAMED, OFTEN = "https://host1.example/fox", "https://host2.example/fox"


def first(admin: UserBrowser, query: str = "fox") -> str:
    return str(admin.get(f"/api/v1/search?q={query}").json["hits"][0]["url"])


@pytest.fixture
def admin(here: ServedSite) -> UserBrowser:
    return here.new_browser(Role.ADMIN)


def test_every_weight_has_a_field_and_a_description(admin: UserBrowser) -> None:
    page = admin.get("/admin/ranking").text
    assert re.findall(r'name="weight\.(\w+)" type="number"', page) == list(SIGNALS)
    assert "How well the words match" in page


def test_rankings_are_compared_side_by_side(admin: UserBrowser) -> None:
    same = admin.get("/admin/ranking?q=fox").text
    assert lists(same) == [[NAMED, OFTEN], [NAMED, OFTEN]]
    assert "▲" not in same and "▼" not in same
    turned = admin.get("/admin/ranking?q=fox&weight.title_exact=-100").text
    assert lists(turned) == [[NAMED, OFTEN], [OFTEN, NAMED]]
    before, after = turned.split('<ol class="placed">')[1:]
    assert "▲" not in before and "▼" not in before
    assert after.count("▲ 1") == after.count("up 1 place") == 1
    assert after.count("▼ 1") == after.count("down 1 place") == 1


@pytest.mark.parametrize(
    "parameters",
    ["weight.bm25=x", "weight.bm25=", "weight.bm25=inf", "weight.bm25=1e9", "weight.moon=1"],
)
def test_an_invalid_weight_shows_its_error(admin: UserBrowser, parameters: str) -> None:
    reply = admin.get(f"/admin/ranking?q=fox&{parameters}")
    assert reply.status == 400
    assert 'role="alert"' in reply.text


def test_saved_weights_are_in_use_at_once_and_in_the_settings(
    here: ServedSite, admin: UserBrowser
) -> None:
    assert first(admin) == NAMED
    page = admin.get("/admin/ranking?q=fox&weight.title_exact=-100").text
    saved = admin.post("/admin/ranking", form_page="/admin/ranking", state=state(page), save="1")
    assert t("web.ranking.done_saved") in saved.text
    assert first(admin) == OFTEN
    assert load_settings(here.engine.storage.settings_file, {}).search.weights == {
        "title_exact": -100.0
    }
    reset = admin.post("/admin/ranking", form_page="/admin/ranking", state="q=fox", reset="1")
    assert t("web.ranking.done_reset") in reset.text
    assert first(admin) == NAMED
    assert load_settings(here.engine.storage.settings_file, {}).search.weights == {}


def test_broken_settings_are_not_overwritten(here: ServedSite, admin: UserBrowser) -> None:
    here.engine.storage.settings_file.write_text("[crawl\n")
    reply = admin.post(
        "/admin/ranking", form_page="/admin/ranking", state="weight.url_coverage=3", save="1"
    )
    assert (reply.status, "Fix the file first" in reply.text) == (400, True)
    assert here.engine.storage.settings_file.read_text() == "[crawl\n"


def judge(admin: UserBrowser, query: str, url: str, grade: str) -> None:
    sent = {"state": f"q={query}", "grade": f"{grade} {url}"}
    reply = admin.post("/admin/judge", form_page="/admin/ranking", **sent)
    assert (reply.status, reply.headers["Location"]) == (
        303,
        f"/admin/ranking?q={query}#comparison",
    )


def test_a_click_judges_and_another_undoes_it(here: ServedSite, admin: UserBrowser) -> None:
    judge(admin, "fox", NAMED, "2")
    judge(admin, "fox", OFTEN, "0")
    page = admin.get("/admin/ranking?q=fox").text
    assert page.count('aria-pressed="true"') == 4  # two pages, each in both lists
    assert (
        here.engine.storage.judged_queries / "qrels.tsv"
    ).read_text() == f"1\t{NAMED}\t2\n1\t{OFTEN}\t0\n"
    judge(admin, "fox", NAMED, "–")
    assert admin.get("/admin/ranking?q=fox").text.count('aria-pressed="true"') == 2
    admin.post("/admin/judge", form_page="/admin/ranking", state="", forget="fox")
    assert t("web.evaluation.none_judged") in admin.get("/admin/ranking").text


def measured(admin: UserBrowser, parameters: str = "") -> str:
    started = admin.post("/admin/measure", form_page="/admin/ranking", state=f"q=fox{parameters}")
    assert started.status == 303
    assert wait_until(lambda: not admin.get("/admin/measure").json["running"])
    return admin.get(started.headers["Location"].partition("#")[0]).text


def test_weights_are_evaluated_on_judged_queries(here: ServedSite, admin: UserBrowser) -> None:
    for name in ANIMALS:
        judge(admin, name, f"https://host1.example/{name}", "2")
    good = measured(admin, "&weight.title_exact=100")
    bad = measured(admin, "&weight.title_exact=-100")
    assert figures(good)[1] == 1.0
    assert figures(bad)[1] == pytest.approx(0.6309, abs=1e-4)
    assert figures(bad)[2] < 0
    assert "worse" in bad and "p = " in bad
    # The command line says the same of the same judgments.
    typed = [
        "eval",
        str(here.engine.storage.judged_queries),
        "--data",
        str(here.engine.storage.path),
    ]
    told = subprocess.run(
        [sys.executable, "-m", "byway", *typed, "--set", "search.weights.title_exact=-100"],
        capture_output=True,
        text=True,
        timeout=WAIT_TIMEOUT_SECONDS,
    )
    assert "nDCG@10  0.6309" in told.stdout, told.stderr


def figures(page: str) -> list[float]:
    """nDCG@10 before, after, and the change."""
    found = re.findall(r"<dd>([+-]?[\d.]+) <small>\(([+-]?[\d.]+) … ([+-]?[\d.]+)\)", page)
    for mean, low, high in found:
        assert float(low) <= float(mean) <= float(high)
    return [float(mean) for mean, _, _ in found]


def test_an_evaluation_needs_judgements(admin: UserBrowser) -> None:
    reply = admin.post("/admin/measure", form_page="/admin/ranking", state="")
    assert (reply.status, "Judge some results first" in reply.text) == (400, True)


def test_hostile_text_is_escaped(admin: UserBrowser) -> None:
    evil = "%3Cscript%3Ealert(1)%3C/script%3E%22"
    page = admin.get(f"/admin/ranking?q={evil}").text
    assert "<script>alert" not in page
    sent = {"state": f"q={evil}", "grade": f"2 {NAMED}"}
    reply = admin.post("/admin/judge", form_page="/admin/ranking", **sent)
    assert reply.headers["Location"].startswith("/admin/ranking?q=%3Cscript")
    assert "<script>alert" not in admin.get("/admin/ranking").text


@pytest.mark.parametrize("text", ["q=" + "x" * 3000, "&".join("a=1" for _ in range(99)), "q=a"])
@pytest.mark.parametrize("url", ["", "javascript:alert(1)", "no URL"])
def test_an_invalid_judgement_is_rejected(
    here: ServedSite, admin: UserBrowser, text: str, url: str
) -> None:
    sent = {"state": text, "grade": f"2 {url}"}
    assert admin.post("/admin/judge", form_page="/admin/ranking", **sent).status == 400
    assert not here.engine.storage.judged_queries.exists()


@pytest.mark.parametrize("grade", ["9", "x", "-1", ""])
def test_an_invalid_grade_changes_nothing(here: ServedSite, admin: UserBrowser, grade: str) -> None:
    judge(admin, "fox", NAMED, "2")
    sent = {"state": "q=fox", "grade": f"{grade} {NAMED}"}
    assert admin.post("/admin/judge", form_page="/admin/ranking", **sent).status == 400
    assert (here.engine.storage.judged_queries / "qrels.tsv").read_text() == f"1\t{NAMED}\t2\n"


def test_the_query_limit_is_that_of_the_search_page(admin: UserBrowser) -> None:
    query = "лиса " * (MAX_QUERY_CHARS // 5)
    page = admin.get(f"/admin/ranking?q={quote(query)}")
    assert page.status == 200
    judged = admin.post(
        "/admin/judge", form_page="/admin/ranking", state=state(page.text), grade=f"2 {NAMED}"
    )
    assert judged.status == 303
    assert admin.get(f"/admin/ranking?q={quote(query + 'лиса')}").status == 400
