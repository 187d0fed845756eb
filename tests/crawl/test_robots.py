import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pace import run_within
from vectors import vector_path

from byway.core.messages import Reason
from byway.core.model import Url
from byway.core.model.url_state import RobotsDecision
from byway.core.url import normalize
from byway.crawl.robots import (
    ALLOW_ALL,
    from_response,
    parse,
    product_token,
)

GOLDEN = Path(__file__).parents[1] / "golden" / "robots"


def decide(text: str, url: str, agent: str = "byway") -> RobotsDecision:
    return parse(text.encode()).decide(agent, Url(url))


def whole(url: str) -> Url:
    """Suites also ask about paths alone, or hosts alone; we only ever ask about whole URLs."""
    if "://" not in url:
        url = "http://foo.bar/" + url.removeprefix("/")
    return Url(url) if url.count("/") > 2 else normalize(url)


def wrong(cases: list[dict[str, Any]]) -> list[tuple[str, str, str]]:
    return [
        (case["test"], case["user_agent"], case["url"])
        for case in cases
        if parse(case["robots_body"].encode())
        .decide(case["user_agent"], whole(case["url"]))
        .allowed
        != case["expected_allowed"]
    ]


def test_every_decision_of_googles_own_tests_is_made_alike() -> None:
    cases = json.loads((GOLDEN / "google_robotstxt.json").read_text())
    assert len(cases) == 145
    assert wrong(cases) == []


@pytest.mark.parametrize("suite", ["protego", "reppy", "crawler_commons"])
def test_other_suites_are_obeyed_where_they_agree_with_google(suite: str) -> None:
    cases = json.loads(vector_path(f"robots/{suite}.json").read_text())
    agreed = [case for case in cases if case["expected_allowed"] == case["google_reference"]]
    assert len(agreed) > 70
    assert wrong(agreed) == []


def test_real_files_are_read_as_google_reads_them() -> None:
    folder = vector_path("robots/realworld")
    robots = {path.name: parse(path.read_bytes()) for path in (folder / "files").iterdir()}
    seen: Counter[str] = Counter()
    for line in (folder / "cases.jsonl").read_text().splitlines():
        case = json.loads(line)
        ours = robots[case["file"]].decide(case["user_agent"], Url(case["url"])).allowed
        meant = case["expected_allowed"]
        seen["alike" if ours == meant else "too open" if ours else "too strict"] += 1
    assert seen["alike"] > 1000
    assert (seen["too open"], seen["too strict"]) == (0, 0)


def test_a_decision_names_the_line_that_made_it() -> None:
    text = "# hello\nUser-agent: *\nDisallow: /a\nAllow: /a/b\n"
    assert decide(text, "http://x.org/a/c")[:3] == (False, "Disallow: /a", 3)
    assert decide(text, "http://x.org/a/b")[:3] == (True, "Allow: /a/b", 4)
    assert decide(text, "http://x.org/z") == RobotsDecision(True)


def test_allow_wins_when_both_rules_are_as_long() -> None:
    assert decide("User-agent: *\nDisallow: /p\nAllow: /p", "http://x.org/p").allowed


def test_groups_of_one_agent_are_merged_wherever_they_stand() -> None:
    text = "user-agent: byway\ndisallow: /a\nuser-agent: *\ndisallow: /\n"
    text += "user-agent: BYWAY\ndisallow: /b"
    assert [decide(text, f"http://x.org/{path}").allowed for path in "abc"] == [False, False, True]


def test_unknown_lines_do_not_close_a_group() -> None:
    text = "User-agent: byway\nSitemap: http://x.org/s\nNonsense: 1\nUser-agent: b\nDisallow: /"
    assert not decide(text, "http://x.org/a").allowed


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n"])
def test_lines_end_as_on_any_system(end: str) -> None:
    decision = decide(end.join(("User-agent: *", "", "Disallow: /a")), "http://x.org/a")
    assert decision[:3] == (False, "Disallow: /a", 3)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_byte_order_marks_are_understood(encoding: str) -> None:
    robots = parse("User-agent: *\nDisallow: /é\n".encode(encoding))
    assert not robots.decide("byway", normalize("http://x.org/é")).allowed


def test_of_a_huge_file_the_whole_lines_of_the_first_512_kib_count() -> None:
    start = b"User-agent: *\nDisallow: /\n"
    filler = b"#" * (512 * 1024 - len(start) - 9) + b"\n"
    robots = parse(start + filler + b"Allow: /open\n")
    assert not robots.decide("byway", Url("http://x.org/closed")).allowed
    assert not robots.decide("byway", Url("http://x.org/open")).allowed


def test_the_product_token_is_the_first_word_of_the_user_agent() -> None:
    assert product_token("byway/0.1 (+https://byway.example/bot)") == "byway"
    assert product_token("") == ""


def test_a_crawl_delay_is_that_of_our_group_or_of_everyone() -> None:
    robots = parse(
        b"User-agent: *\nCrawl-delay: 10\nUser-agent: slow\nCrawl-delay: 2.5\nDisallow:\n"
    )
    assert robots.crawl_delay("slow") == 2.5
    assert robots.crawl_delay("byway") == 10
    assert parse(b"User-agent: *\nCrawl-delay: soon\n").crawl_delay("byway") is None
    assert parse(b"Crawl-delay: 5\n").crawl_delay("byway") is None


def test_crawl_delays_are_read_as_protego_reads_them() -> None:
    for case in json.loads(vector_path("robots/protego_crawl_delay.json").read_text()):
        robots = parse(case["robots_body"].encode())
        assert robots.crawl_delay(case["user_agent"]) == case["crawl_delay"]


def test_sitemaps_are_collected_wherever_they_stand() -> None:
    robots = parse("Sitemap: http://x.org/é\nUser-agent: *\nsite-map: /b\nSitemap: /b".encode())
    assert robots.sitemaps == ("http://x.org/é", "/b")


def test_what_the_answer_to_the_request_means() -> None:
    url = Url("http://x.org/a")
    refusing = b"User-agent: *\nDisallow: /"
    assert from_response(200, refusing).decide("byway", url)[:3] == (False, "Disallow: /", 2)
    assert from_response(404, refusing).decide("byway", url).allowed
    for status in (429, 503):
        decision = from_response(status, b"").decide("byway", url)
        assert not decision.allowed
        assert decision.reason == Reason("robots_status", status=status)
    assert ALLOW_ALL.decide("byway", url).allowed


def naive(pattern: str, path: str) -> bool:
    """Matching by trying everything: slow, but plainly right."""
    if pattern in ("", "$"):
        return not pattern or not path
    if pattern[0] == "*":
        return any(naive(pattern[1:], path[cut:]) for cut in range(len(path) + 1))
    return path[:1] == pattern[0] and naive(pattern[1:], path[1:])


@given(st.text("ab/*$", min_size=1, max_size=8), st.text("ab/$", max_size=8))
def test_patterns_fit_as_trying_everything_says(pattern: str, rest: str) -> None:
    ours = not decide(f"User-agent: *\nDisallow: {pattern}", f"http://x.org/{rest}").allowed
    assert ours == naive(pattern, "/" + rest)


@given(st.binary(max_size=300))
def test_any_bytes_can_be_read(body: bytes) -> None:
    decision = parse(body).decide("byway", Url("http://x.org/a"))
    assert decision.line <= 1 + body.count(b"\n") + body.count(b"\r")
    assert decision.allowed or decision.line  # nothing is forbidden that no line forbids


@pytest.mark.alone
@pytest.mark.parametrize("pattern", ["/" + "*a" * 4000 + "$", "/" + "*" * 8000 + "b", "/*a*b*a*b$"])
def test_no_pattern_is_slow(pattern: str) -> None:
    robots = parse(f"User-agent: *\nDisallow: {pattern}".encode())
    url = Url("http://x.org/" + "a" * 1900 + "c")
    run_within(0.5, lambda: [robots.decide("byway", url) for _ in range(10)])
