import random
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import parse_qsl, unquote, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from byway.core.errors import UsageError
from byway.core.messages import Reason, text
from byway.core.model import ExtractionResult, Page, Url
from byway.core.model.url_state import PausedPattern
from byway.core.settings.schema import ExtractSettings
from byway.core.text import terms
from byway.core.text.simhash import simhash
from byway.core.url import normalize
from byway.crawl.traps.pattern_budget import (
    PatternBudget,
    TrapThresholds,
)
from byway.crawl.traps.url_pattern import patterns_of, template_of
from byway.extract.dispatch import extract
from byway.village.server import SITES_FOLDER
from byway.village.site import load_site

DOCS = Path("/usr/share/doc")
MANUALS = [DOCS / "python3.11" / "html", DOCS / "postgresql-doc-15" / "html"]
HOST = "a.org"


def at(path: str) -> Url:
    return normalize(f"http://{HOST}{path}")


def content(seed: object) -> int:
    """The simhash of a page that is like no other."""
    return random.Random(str(seed)).getrandbits(64) - (1 << 63)


def tell(
    traps: PatternBudget, paths: Iterator[str], said: Callable[[str], int | None]
) -> PausedPattern | None:
    """Visit these in order until something is paused."""
    for path in paths:
        if paused := traps.record_page(at(path), said(path), kept=True):
            return paused
    return None


# What URLs look like.


@pytest.mark.parametrize(
    ("path", "template"),
    [
        ("/", "/"),
        ("/library/os.path.html", "/library/os.path.html"),
        ("/calendar/2025/07", "/calendar/{n}/{n}"),
        ("/page12.html", "/page{n}.html"),
        ("/news/2024-05-31/rain", "/news/{date}/rain"),
        ("/news/20240531.html", "/news/{date}.html"),
        ("/u/c1a7b2e0-5f1d-4b8e-9c3a-0d9e8f7a6b5c", "/u/{id}"),
        ("/commit/1f0a3c5d7e", "/commit/{id}"),
        ("/x/k3v9q0r1l2m8n7o6p5.html", "/x/{id}.html"),
        ("/wiki/%D0%9F%D0%B8", "/wiki/%D0%9F%D0%B8"),
        ("/list?page=7&colour=red", "/list?colour&page"),
        ("/stairs/down/left/down/left/", "/stairs/down/left/…"),
    ],
)
def test_a_template_leaves_out_what_differs(path: str, template: str) -> None:
    assert template_of(at(path)) == template


def test_a_url_belongs_to_parts_of_its_host_from_narrow_to_wide() -> None:
    texts = [pattern.text for pattern in patterns_of(at("/shop/item7?size=41&colour=red"))]
    assert texts == ["/shop/item{n}?colour&size", "/shop/item7?*", "/shop/*", "/*"]


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("/a/b/a/b/a/b", Reason("repeated_segments", segments="a/b")),
        ("/x/img/img/img/y", Reason("repeated_segments", segments="img")),
        ("/a/x/b/x/c/x/d/x/e/x", Reason("repeated_segments", segments="x")),
        ("/a////b", Reason("repeated_segments", segments="//")),
        (
            "/" + "/".join(str(number) for number in range(21)),
            Reason("too_many_segments", segments=21, limit=20),
        ),
        (
            "/a?" + "&".join(f"p{number}=1" for number in range(9)),
            Reason("too_many_parameters", parameters=9, limit=8),
        ),
        ("/a?page=1&page=2&page=3", Reason("repeated_parameter", parameter="page")),
        ("/a?add=7&add=7", Reason("repeated_parameter", parameter="add=7")),
    ],
)
def test_a_crooked_url_is_refused_with_the_reason(path: str, why: Reason) -> None:
    assert PatternBudget().refusal(at(path)) == why


@pytest.mark.parametrize(
    "path",
    ["/", "/a/a/b", "/a/b/a/b", "/1/1/1/1.png", "/7/7/7/7/7/7/7", "/s?c[]=red&c[]=blue", "/a/?b"],
)
def test_a_url_that_is_only_odd_is_not(path: str) -> None:
    assert not PatternBudget().refusal(at(path))


# What is paused.


def test_a_calendar_is_paused_and_says_so() -> None:
    traps = PatternBudget()
    months = (f"/calendar/{2000 + n // 12}/{n % 12 + 1:02}" for n in range(1000))
    paused = tell(traps, months, lambda path: content(path[-2:]))
    assert (
        paused and text(paused.message) == "paused /calendar/{n}/{n}: 200 URLs, 94% near-duplicates"
    )
    assert traps.paused_patterns() == [paused]
    assert traps.is_paused(at("/calendar/1066/10"))
    assert not traps.is_paused(at("/calendar"))
    assert not traps.is_paused(normalize("http://b.org/calendar/1066/10"))


def test_pages_that_differ_are_never_paused_however_many() -> None:
    assert tell(PatternBudget(), (f"/article/{n}?page={n}" for n in range(3000)), content) is None


def test_a_trap_behind_thousands_of_good_pages_is_still_found() -> None:
    traps = PatternBudget()
    assert tell(traps, (f"/node/{n}/" for n in range(5000, 0, -1)), content) is None
    paused = tell(traps, (f"/node/{n}/" for n in range(5000)), lambda path: 7)
    assert paused and paused.urls < 6000


def test_a_page_with_many_choices_of_parameters_is_paused_when_they_change_nothing() -> None:
    traps = PatternBudget()
    ways = (
        f"/shop?{'&'.join(f'{x}=1' for x in 'abcdefg' if n >> ord(x) % 8 & 1)}&s={n}"
        for n in range(255)
    )
    paused = tell(traps, ways, lambda path: content("shop"))
    assert paused and paused.pattern == "/shop?*"
    assert paused.reason == Reason("trap.duplicates_by_parameters")
    assert traps.is_paused(at("/shop?x=9")) and not traps.is_paused(at("/shop"))


@pytest.mark.parametrize("said", [None, 0, 42])
def test_a_list_without_an_end_is_paused_early(said: int | None) -> None:
    traps = PatternBudget()
    assert tell(traps, (f"/list?page={n}" for n in range(300)), content) is None
    paused = tell(traps, (f"/list?page={n}" for n in range(300, 1000)), lambda path: said)
    assert paused and paused.pattern == "/list?page"
    assert paused.urls <= 51
    assert paused.reason.code == "trap.redundant_run"
    assert str(paused.reason.params["last"]).startswith("3")


def test_soft_404s_of_many_names_are_found_by_their_folder() -> None:
    traps = PatternBudget(TrapThresholds(folder_urls=100))
    traps.record_soft_404(HOST, content("sorry"))
    paused = tell(traps, (f"/tag/{'x' * n}" for n in range(1, 200)), lambda path: content("sorry"))
    assert paused and text(paused.message) == "paused /tag/*: 100 URLs, 100% soft 404s"


def test_a_host_that_answers_everything_with_one_page_is_paused_whole() -> None:
    traps = PatternBudget(TrapThresholds(host_urls=100))
    paused = tell(traps, (f"/{'x' * n}" for n in range(1, 200)), lambda path: content("home"))
    assert paused and (paused.pattern, paused.urls) == ("/*", 100)


def test_broken_links_pause_their_template_but_never_the_host() -> None:
    traps = PatternBudget(TrapThresholds(host_urls=300))
    for n in range(400):
        if paused := traps.record_page(at(f"/old/{n}"), None, kept=False):
            assert (
                paused
                and text(paused.message) == "paused /old/{n}: 200 URLs, 100% empty or missing"
            )
            break
    assert [traps.record_page(at(f"/{'x' * n}"), None, kept=False) for n in range(500)] == [
        None
    ] * 500


def test_a_trap_is_not_held_against_the_folder_it_is_in() -> None:
    traps = PatternBudget(TrapThresholds(folder_urls=201, template_urls=200))
    assert tell(traps, (f"/blog/{n}.html" for n in range(300, 0, -1)), lambda path: 1)
    assert tell(traps, (f"/blog/{'x' * n}" for n in range(100)), content) is None
    assert len(traps.paused_patterns()) == 1


def test_filters_are_not_held_against_the_pages_beside_them() -> None:
    traps = PatternBudget(TrapThresholds(parameter_urls=50, folder_urls=60, host_urls=60))
    shelves = (f"/en/{'x' * shelf}/?colour={n}" for shelf in range(1, 20) for n in range(40))
    assert tell(traps, shelves, lambda path: content("shoes")) is None
    assert not traps.is_paused(at("/en/about"))


# What people decide, and what is kept.


def trapped() -> tuple[PatternBudget, PausedPattern]:
    traps = PatternBudget()
    paused = tell(traps, (f"/{n}/{n % 9}" for n in range(300)), lambda path: 5)
    assert paused
    return traps, paused


def test_what_is_resumed_is_visited_and_never_paused_again() -> None:
    traps, paused = trapped()
    traps.resume(HOST, paused.pattern)
    assert not traps.is_paused(at("/7/7")) and not traps.paused_patterns()
    assert tell(traps, (f"/{n}/{n % 9}" for n in range(3000)), lambda path: 5) is None


def test_what_is_dropped_is_refused() -> None:
    traps, paused = trapped()
    traps.drop(HOST, paused.pattern)
    assert not traps.is_paused(at("/7/7"))
    assert traps.refusal(at("/7/7")) == Reason("pattern_dropped", pattern="/{n}/{n}")


def test_deciding_on_what_is_not_paused_is_refused() -> None:
    with pytest.raises(UsageError, match="The URL pattern /a is not paused on"):
        PatternBudget().resume(HOST, "/a")


@given(st.lists(st.tuples(st.integers(0, 40), st.integers(0, 3), st.booleans()), max_size=60))
def test_what_is_restored_from_its_rows_goes_on_as_before(
    seen: list[tuple[int, int, bool]],
) -> None:
    thresholds = TrapThresholds(
        template_urls=10, folder_urls=20, host_urls=30, max_redundant_run=5, parameter_urls=5
    )
    one = PatternBudget(thresholds)
    other = PatternBudget(thresholds)
    for number, said, kept in seen:
        url = at(f"/list/{number % 5}?page={number}")
        assert one.record_page(url, said, kept) == other.record_page(url, said, kept)
        other = PatternBudget(thresholds, list(other.rows()))
    assert list(one.rows()) == list(other.rows())


def test_memory_is_bounded() -> None:
    traps = PatternBudget(TrapThresholds(max_patterns=50))
    for n in range(1000):
        traps.record_page(normalize(f"http://h{n}.org/a/b"), content(n), kept=True)
        traps.record_soft_404(f"h{n}.org", 1)
    assert len(list(traps.rows())) == 50


# Real sites.


def read(url: Url, body: bytes) -> ExtractionResult:
    page = Page(url, 0.0, 200, (("Content-Type", "text/html; charset=utf-8"),), body)
    return extract(page, ExtractSettings(workers=1), 1 << 25)


def said(extracted: ExtractionResult) -> int | None:
    document = extracted.document
    return simhash(terms(document.text), include_numbers=False) if document else None


@pytest.mark.parametrize("folder", MANUALS, ids=lambda folder: folder.parent.name)
def test_a_manual_is_not_a_trap(folder: Path) -> None:
    files = sorted(folder.rglob("*.html"))[::4]
    if not files:
        pytest.skip("not installed here")
    # Judged ten times sooner than by default, as these are a fourth of its pages.
    traps = PatternBudget(
        TrapThresholds(
            template_urls=20, folder_urls=40, host_urls=100, parameter_urls=10, max_redundant_run=5
        )
    )
    for file in files:
        url = at(f"/en/15/{file.relative_to(folder).as_posix()}")
        assert not traps.refusal(url)
        assert traps.record_page(url, said(read(url, file.read_bytes())), kept=True) is None


class Walk:
    """A site of the village, visited as a crawler would, until nothing is left."""

    def __init__(self, name: str, most: int) -> None:
        site = load_site(SITES_FOLDER / name)
        self.traps = PatternBudget()
        self.visited: dict[Url, bool] = {}
        waiting = [at("/")]
        while waiting and len(self.visited) < most:
            url = waiting.pop(0)
            if url in self.visited or self.traps.is_paused(url):
                continue
            parts = urlsplit(url)
            answer = site.respond(unquote(parts.path), dict(parse_qsl(parts.query)))
            if "Location" in answer.headers:
                waiting.append(normalize(answer.headers["Location"], url))
                continue
            kept = answer.status == 200 and answer.content_type.startswith("text/html")
            extracted = read(url, answer.body) if kept else ExtractionResult()
            self.visited[url] = kept
            self.traps.record_page(url, said(extracted), kept)
            targets = dict.fromkeys(link.target for link in extracted.links)
            waiting += [each for each in targets if self._wanted(each)]

    def _wanted(self, url: Url) -> bool:
        return url.startswith(f"http://{HOST}/") and not self.traps.refusal(url)


def test_the_traps_of_the_village_come_to_an_end() -> None:
    walk = Walk("trap", 3000)
    assert len(walk.visited) < 600
    assert walk.visited[at("/")] and walk.visited[at("/clocks.html")]
    assert "/calendar/{n}/{n}" in [paused.pattern for paused in walk.traps.paused_patterns()]


def test_the_filters_of_the_village_shop_are_no_trap() -> None:
    walk = Walk("shop", 3000)
    assert 100 < len(walk.visited) < 3000
    assert walk.traps.paused_patterns() == []
