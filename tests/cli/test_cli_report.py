import json
from pathlib import Path

import pytest
from reports.crawl.crawled import START_SECONDS, FinishedVisit, crawled_folder
from typer.testing import CliRunner, Result

from byway.app import reports
from byway.cli import make_app
from byway.core.messages import Reason
from byway.core.model import Url, UrlState
from byway.storage.sqlite.crawl_db.frontier import SqliteFrontier
from byway.storage.sqlite.storage import SqliteStorage


def byway(*arguments: str | Path) -> Result:
    return CliRunner().invoke(make_app(["report"]), ["report", *map(str, arguments)])


NOT_FOUND = Reason("http_status", status=404, phrase="Not Found")
MARKUP = Reason("type_not_kept", media_type="[red]image[/red]/png")
TARGET = Url("http://a.org/1")
REDIRECT = Reason("redirect", to=TARGET)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    pages = [
        FinishedVisit(f"http://a.org/{n}", fetched_at=START_SECONDS + n / 10, body=b"%d" % n)
        for n in range(40)
    ]
    ends = [
        *pages,
        FinishedVisit("http://b.org/x", UrlState.MISSING, NOT_FOUND),
        FinishedVisit("http://b.org/y", UrlState.REJECTED, MARKUP),
        FinishedVisit("http://b.org/z", UrlState.REDIRECTED, REDIRECT, redirect_target=TARGET),
    ]
    return crawled_folder(tmp_path / "data", ends, queued=["http://a.org/next"]).path


def test_it_shows_states_times_reasons_hosts_and_sizes(data: Path) -> None:
    result = byway("--data", data)
    assert result.exit_code == 0
    assert result.stderr == ""
    assert "URLs     44 on 2 hosts" in result.stdout
    assert "HTTP 404 Not Found" in result.stdout
    assert "redirects to …" in result.stdout
    assert "media type [red]image[/red]/png is not" in result.stdout
    assert "█" in result.stdout
    assert "08:00:03.8" in result.stdout
    assert "text/html" in result.stdout
    assert "sampled" not in result.stdout


def test_as_json_everything_adds_up(data: Path) -> None:
    report = json.loads(byway("--data", data, "--json").stdout)
    assert report["urls"] == sum(one["urls"] for one in report["states"]) == 44
    assert report["pages"] == sum(report["timeline"]["pages"]) == 40
    columns = ("kept", "queued", "failed", "forbidden", "other")
    assert sum(host[column] for host in report["hosts"] for column in columns) == 44
    assert sum(host["bytes"] for host in report["hosts"]) == report["bytes"]


def test_html_goes_into_the_file_and_nothing_to_stdout(data: Path, tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    result = byway("--data", data, "--html", file)
    assert (result.exit_code, result.stdout) == (0, "")
    assert file.read_text().startswith("<!doctype html>")
    assert "media type [red]image[/red]/png is not" in file.read_text()


def test_a_large_crawl_is_sampled_and_says_so(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reports, "MAX_PAGES_SAMPLED", 20)
    result = byway("--data", data)
    assert "sampled  20 of 44 URLs" in result.stdout
    assert "sampled  20 of 40 pages" in result.stdout
    assert "hosts (estimated)" in result.stdout


def test_a_crawl_that_is_running_can_be_reported_on(data: Path) -> None:
    with SqliteStorage(data).write_lock("crawl"):
        frontier = SqliteFrontier(data / "crawl.db")
        assert "crawl    running" in byway("--data", data).stdout
        frontier.close()


def test_a_crawl_without_urls_is_told_what_to_do(tmp_path: Path) -> None:
    crawled_folder(tmp_path, [])
    assert "Start with `byway up URL`" in byway("--data", tmp_path).stdout
    assert json.loads(byway("--data", tmp_path, "--json").stdout)["urls"] == 0


def test_an_empty_folder_gives_one_line(tmp_path: Path) -> None:
    result = byway("--data", tmp_path)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(
        f"byway: There is no data in {tmp_path}. Start with `byway up URL`"
    )
    assert result.stderr.count("\n") == 1


def test_html_and_json_at_once_are_refused_in_one_line(data: Path) -> None:
    result = byway("--data", data, "--json", "--html", "x.html")
    assert result.exit_code == 2
    assert result.stderr == ("byway: --html and --json cannot be combined. Remove one of them.\n")


def test_a_file_that_cannot_be_written_is_named(data: Path, tmp_path: Path) -> None:
    result = byway("--data", data, "--html", tmp_path / "no" / "report.html")
    assert result.exit_code == 2
    assert f"there is no folder {tmp_path / 'no'}" in result.stderr
