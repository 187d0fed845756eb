"""`byway robots`: URLs checked against a robots.txt."""

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from cli.conftest import LOOPBACK_NETWORK
from cli.runner import byway, error_line
from serving import QuickShutdownServer
from typer.testing import CliRunner

from byway.cli import make_app
from byway.village import Village

TEXT = """\
User-agent: *
Disallow: /private
Allow: /private/but-not-this$
Crawl-delay: 2.5
Sitemap: https://example.org/map[1].xml

User-agent: Greedy
Disallow: /
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "robots.txt"
    path.write_text(TEXT)
    return path


def lines(*arguments: object) -> list[Any]:
    """What `byway robots --json` says of each URL."""
    ran = byway("robots", *arguments, "--json")
    assert (ran.exit_code, ran.stderr) == (0, ""), ran
    return [json.loads(line) for line in ran.stdout.splitlines()]


def typed(text: str | bytes, *arguments: str) -> list[str]:
    """What it says of URLs on stdin."""
    result = CliRunner().invoke(make_app(), ["robots", *arguments], input=text)
    assert result.exit_code == 0, result.stderr
    return result.stdout.splitlines()


def test_each_url_is_answered_with_the_line_that_decides(file: Path) -> None:
    ran = byway("robots", file, "https://a.org/x", "a.org/private/x", "a.org/private/but-not-this")
    assert ran.exit_code == 0
    assert ran.stdout.splitlines() == [
        "allowed    https://a.org/x  (no robots.txt rule matches)",
        "forbidden  https://a.org/private/x  (robots.txt line 2: Disallow: /private)",
        "allowed    https://a.org/private/but-not-this  "
        "(robots.txt line 3: Allow: /private/but-not-this$)",
    ]


def test_json_has_one_object_on_each_line(file: Path) -> None:
    found = lines(file, "https://a.org/", "https://a.org/private")
    assert [one.pop("reason")["code"] for one in found] == ["robots_no_rule", "robots_rule"]
    assert found == [
        {"url": "https://a.org/", "allowed": True, "rule": "", "line": None},
        {"url": "https://a.org/private", "allowed": False, "rule": "Disallow: /private", "line": 2},
    ]


@pytest.mark.parametrize("rest", [(), ("-",)])
def test_urls_may_come_on_stdin(file: Path, rest: tuple[str, ...]) -> None:
    said = typed("\ufeffhttps://a.org/1\r\n\n  https://a.org/private \n", str(file), *rest)
    assert [line.split()[:2] for line in said] == [
        ["allowed", "https://a.org/1"],
        ["forbidden", "https://a.org/private"],
    ]


@pytest.mark.parametrize(
    ("agent", "allowed"),
    [
        ("greedy", False),
        ("Greedy/2.1 (+https://greedy.example/)", False),
        ("byway", True),
        ("*", True),
    ],
)
def test_a_robot_is_known_by_how_its_user_agent_begins(
    file: Path, agent: str, allowed: bool
) -> None:
    (told,) = lines(file, "https://a.org/", "--user-agent", agent)
    assert told["allowed"] is allowed


def test_the_default_user_agent_is_that_of_the_settings(file: Path) -> None:
    (told,) = lines(file, "https://a.org/", "--set", "crawl.user_agent=greedy/9")
    assert not told["allowed"]


def test_delay_and_sitemaps_are_shown_beside_the_answers(file: Path) -> None:
    ran = byway("robots", file, "https://a.org/", "-v")
    assert "Crawl-delay: 2.5 s\nSitemap: https://example.org/map[1].xml\n" in ran.stderr
    assert ran.stdout.count("\n") == 1


def test_the_robots_txt_of_a_host_is_fetched(village: Village) -> None:
    home, drafts = village.url("manual", "/index.html"), village.url("manual", "/drafts/a.html")
    told = lines(home, home, drafts, "--allow-private", LOOPBACK_NETWORK)
    assert [(each["allowed"], each["line"]) for each in told] == [(True, None), (False, 3)]
    assert [(request.path, request.user_agent[:6]) for request in village.log] == [
        ("/robots.txt", "byway/")
    ]


@pytest.fixture
def status(request: pytest.FixtureRequest) -> Iterator[str]:
    """A host that answers everything with this status."""

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(request.param)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *arguments: Any) -> None:
            pass

    with QuickShutdownServer(("127.0.0.1", 0), Answer) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@pytest.mark.parametrize(
    ("status", "allowed", "rule"),
    [
        (404, True, "robots.txt returned HTTP 404"),
        (403, True, "robots.txt returned HTTP 403"),
        (503, False, "robots.txt returned HTTP 503"),
        (429, False, "robots.txt returned HTTP 429"),
    ],
    indirect=["status"],
)
def test_a_missing_robots_txt_allows_everything_and_a_server_error_nothing(
    status: str, allowed: bool, rule: str
) -> None:
    (told,) = lines(status, f"{status}page", "--allow-private", LOOPBACK_NETWORK)
    assert (told["allowed"], told["reason"]["text"], told["line"]) == (allowed, rule, None)


def test_an_unreachable_robots_txt_forbids_everything() -> None:
    (told,) = lines(
        "http://127.0.0.1:9/", "http://127.0.0.1:9/x", "--allow-private", LOOPBACK_NETWORK
    )
    assert not told["allowed"]
    assert told["reason"]["code"] == "robots_unavailable"


def test_private_addresses_are_only_fetched_when_allowed(village: Village) -> None:
    why = error_line("robots", village.url("manual"), village.url("manual"), exit_code=1)
    assert "--allow-private 127.0.0.0/8" in why
    assert village.log == []


def test_bad_input_is_named_with_its_cure(file: Path, village: Village) -> None:
    assert "No such file: nothing.txt. For a URL, include http" in error_line(
        "robots", "nothing.txt", exit_code=2
    )
    assert "Not a URL: '/path'" in error_line("robots", file, "/path", exit_code=2)
    assert "--user-agent '7': a robot name" in error_line(
        "robots", file, "a.org", "--user-agent", "7", exit_code=2
    )
    assert f"{file.parent} is a folder. " in error_line("robots", file.parent, "a.org", exit_code=2)
    home = village.url("manual")
    other = error_line(
        "robots", home, "https://a.org/", "--allow-private", LOOPBACK_NETWORK, exit_code=2
    )
    assert f"https://a.org/ does not start with {home}" in other


def test_the_text_of_a_robots_txt_cannot_move_the_cursor(tmp_path: Path) -> None:
    path = tmp_path / "robots.txt"
    path.write_bytes(b"User-agent: *\nDisallow: /\x1b[2J\nSitemap: https://a.org/\x1b[2J[red]\n")
    ran = byway("robots", path, "https://a.org/", "-v")
    assert "\x1b" not in ran.stdout + ran.stderr
    assert "[red]" in ran.stderr
