"""`byway trace`: one URL through every stage."""

import json
from pathlib import Path
from typing import Any

from cli.conftest import LOOPBACK_NETWORK, CrawledSite
from cli.runner import byway


def traced(crawled: CrawledSite, url: str, *options: str) -> Any:
    """What `byway trace` says, for programs and for people."""
    arguments = ("trace", url, "--data", crawled.data, *options)
    ran = byway(*arguments, "--json")
    assert (ran.exit_code, ran.stderr) == (0, "")
    told = json.loads(ran.stdout)
    shown = [" ".join(line.split()) for line in byway(*arguments).stdout.splitlines()]
    for step in told["steps"]:
        mark = "✗" if step["stopped"] else "✓"
        assert f"{mark} {step['stage']} {step['message']}" in shown
    assert [step["stopped"] for step in told["steps"][:-1]] == [False] * (len(told["steps"]) - 1)
    return told


def last(told: Any) -> tuple[str, str]:
    """The stage that stopped a URL, and its reason."""
    step = told["steps"][-1]
    assert step["stopped"]
    return step["stage"], step["message"]


def test_a_page_that_is_allowed_comes_through(crawled_site: CrawledSite) -> None:
    told = traced(crawled_site, crawled_site.url(), "--allow-private", LOOPBACK_NETWORK)
    assert [step["stage"] for step in told["steps"]] == [
        *("scope", "robots", "fetch", "links", "document", "words")
    ]
    assert not any(step["stopped"] for step in told["steps"])
    assert told["crawl"] == {"state": "kept", "reason": None}
    says = {step["stage"]: step["message"] for step in told["steps"]}
    assert says["robots"] == "allowed: no robots.txt rule matches"
    assert says["fetch"].startswith("HTTP 200, text/html")
    assert says["document"].startswith("'Tallybook")


def test_a_page_that_robots_txt_closes_stops_there(crawled_site: CrawledSite) -> None:
    told = traced(
        crawled_site, crawled_site.url("/drafts/roadmap.html"), "--allow-private", LOOPBACK_NETWORK
    )
    assert last(told) == ("robots", "forbidden: robots.txt line 3: Disallow: /drafts/")


def test_a_page_of_another_host_stops_before_anybody_is_asked(crawled_site: CrawledSite) -> None:
    before = len(crawled_site.village.log)
    stage, why = last(traced(crawled_site, crawled_site.url("/", site="news")))
    assert stage == "scope"
    assert "host" in why
    assert len(crawled_site.village.log) == before


def test_a_page_that_is_not_there_stops_when_fetched(crawled_site: CrawledSite) -> None:
    told = traced(
        crawled_site, crawled_site.url("/nothing.html"), "--allow-private", LOOPBACK_NETWORK
    )
    stage, why = last(told)
    assert stage == "fetch"
    assert why.startswith("missing: HTTP 404")
    assert told["crawl"] is None


def test_a_private_address_stops_unless_it_is_named(crawled_site: CrawledSite) -> None:
    stage, why = last(traced(crawled_site, crawled_site.url()))
    assert stage == "fetch"
    assert why.startswith("blocked: ") and "--allow-private" in why


def test_a_redirect_says_where_it_leads(crawled_site: CrawledSite) -> None:
    told = traced(
        crawled_site, crawled_site.url("/old-changelog.html"), "--allow-private", LOOPBACK_NETWORK
    )
    target = crawled_site.url("/changelog.html")
    assert last(told) == ("fetch", f"HTTP 301: redirects to {target}; trace that URL instead")


def test_without_a_crawl_everything_is_in_scope(crawled_site: CrawledSite, tmp_path: Path) -> None:
    ran = byway("trace", crawled_site.url(), "--data", tmp_path / "none", "--json")
    first = json.loads(ran.stdout)["steps"][0]
    assert first["message"] == "nothing has been crawled yet, so every URL is in scope"
    assert not (tmp_path / "none").exists()
