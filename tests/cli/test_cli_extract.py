"""`byway extract` of a file, a URL or a stored page."""

import json
import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from cli.conftest import LOOPBACK_NETWORK, CrawledSite
from cli.runner import byway, error_line

from byway.core.messages import t

PAGE = """<html lang=en><title>Boots</title><h1>Boots</h1><p>Made for walking.</p>
<h2>Care</h2><p>With wax. <a href=wax.html>Wax</a></p>"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "boots.html"
    path.write_text(PAGE)
    return path


def told(*arguments: object) -> Any:
    ran = byway("extract", *arguments, "--json")
    assert (ran.exit_code, ran.stderr) == (0, ""), ran
    return json.loads(ran.stdout)


def test_a_file_is_shown_as_markdown(file: Path) -> None:
    ran = byway("extract", file)
    assert (ran.exit_code, ran.stderr) == (0, "")
    assert ran.stdout == "# Boots\n\nMade for walking.\n\n## Care\n\nWith wax. Wax\n"


def test_json_has_the_whole_document(file: Path) -> None:
    found = told(file, "--base-url", "https://shop.example/boots/")
    assert (found["title"], found["language"]) == ("Boots", "en")
    assert found["headings"][1] == {"level": 2, "text": "Care", "anchor": ""}
    link = {"target": "https://shop.example/boots/wax.html", "anchor": "Wax", "nofollow": False}
    assert found["links"] == [link]


def test_markdown_and_text_are_read_too(tmp_path: Path) -> None:
    note = tmp_path / "note.md"
    note.write_text("# Note\n\nSee [more](more.md).\n\n## Then\n\nWords.")
    assert "# Note\n\nSee more.\n\n## Then\n" in byway("extract", note).stdout
    (tmp_path / "plain").write_text("Just words\nand more")
    assert byway("extract", tmp_path / "plain").stdout == "# Just words\n\nand more\n"


def test_a_url_is_fetched_as_a_crawl_would(crawled_site: CrawledSite) -> None:
    before = len(crawled_site.village.log)
    found = told(crawled_site.url(), "--allow-private", LOOPBACK_NETWORK)
    assert found["title"].startswith("Tallybook")
    assert [each.path for each in crawled_site.village.log[before:]] == ["/robots.txt", "/"]


def test_redirects_are_followed(crawled_site: CrawledSite) -> None:
    found = told(crawled_site.url("/old-changelog.html"), "--allow-private", LOOPBACK_NETWORK)
    assert found["url"] == crawled_site.url("/changelog.html")


def test_a_stored_page_is_read_without_a_request(crawled_site: CrawledSite) -> None:
    before = len(crawled_site.village.log)
    found = told(crawled_site.url(), "--stored", "--data", crawled_site.data)
    assert found["title"].startswith("Tallybook")
    assert len(crawled_site.village.log) == before
    why = error_line("extract", "a.org/x", "--stored", "--data", crawled_site.data, exit_code=1)
    assert f"https://a.org/x is not stored in {crawled_site.data}" in why


def test_a_page_that_cannot_be_fetched_is_one_error_line(
    crawled_site: CrawledSite, tmp_path: Path
) -> None:
    drafts = crawled_site.url("/drafts/roadmap.html")
    private = ("--allow-private", LOOPBACK_NETWORK)
    assert "may not be fetched: robots.txt line 3" in error_line(
        "extract", drafts, *private, exit_code=1
    )
    missing = crawled_site.url("/nothing.html")
    assert f"{missing} returned HTTP 404" in error_line("extract", missing, *private, exit_code=1)
    assert "--allow-private" in error_line("extract", crawled_site.url(), exit_code=1)
    assert "No such file: nothing.html. For a URL, include http" in error_line(
        "extract", "nothing.html", exit_code=2
    )
    assert error_line("extract", "", exit_code=2) == t("error.cli.no_source")
    assert "is a folder. Give a file in that folder" in error_line("extract", tmp_path, exit_code=2)
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        silent = "http://{}:{}/".format(*nobody.getsockname())
        why = error_line("extract", silent, *private, exit_code=1)
    assert f"{silent} may not be fetched: robots.txt could not be fetched: " in why
    (tmp_path / "x.pdf").write_bytes(b"%PDF-1.7 broken")
    assert "this PDF is damaged" in error_line("extract", tmp_path / "x.pdf", exit_code=1)
    big = error_line("extract", tmp_path / "x.pdf", "--set", "crawl.max_bytes=5", exit_code=2)
    assert "is larger than 5 bytes" in big


def test_an_unsupported_or_damaged_file_is_named(tmp_path: Path) -> None:
    kinds = "unsupported document type: "
    for name, body, says in (
        ("a.pdf", b"\0\x81noise" * 40, "damaged, or not a PDF"),
        ("a.png", b"\x89PNG\r\n\x1a\n\0\0", f"{kinds}image/png"),
        ("b.pdf", b"\x89PNG\r\n\x1a\n\0\0", f"{kinds}image/png"),
        ("a.bin", b"\0\x81noise" * 40, f"{kinds}binary data"),
    ):
        (tmp_path / name).write_bytes(body)
        assert says in error_line("extract", tmp_path / name, exit_code=1)
    says = error_line("extract", "ftp://x.example/a", exit_code=2)
    assert says.startswith("Unsupported URL: 'ftp://x.example/a'. byway fetches only http://")


def test_a_base_url_is_for_files_only(crawled_site: CrawledSite) -> None:
    other = ("--base-url", "https://a.org/", "--data", crawled_site.data)
    says = error_line("extract", crawled_site.url(), *other, exit_code=2)
    assert says == t("error.cli.base_url_of_url", url=crawled_site.url())
    assert t("error.cli.base_url_of_stored") == error_line(
        "extract", crawled_site.url(), "--stored", *other, exit_code=2
    )


def test_a_character_that_the_terminal_lacks_is_replaced(file: Path) -> None:
    file.write_text("<title>Café</title><p>Ein Text über das Café, in dem es Kuchen gibt.")
    command = [sys.executable, "-m", "byway", "extract", str(file)]
    environ = {**os.environ, "PYTHONIOENCODING": "ascii"}
    shown = subprocess.run(command, capture_output=True, env=environ, check=True, text=True)
    assert "Caf?" in shown.stdout
    told = subprocess.run(
        [*command, "--json"], capture_output=True, env=environ, check=True, text=True
    )
    assert json.loads(told.stdout)["title"] == "Café"


def test_a_local_file_with_stored_names_the_cure(
    crawled_site: CrawledSite, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(file.parent)
    says = error_line("extract", file.name, "--stored", "--data", crawled_site.data, exit_code=1)
    assert says.endswith("To read the file of that name, remove --stored.")


def test_a_noindex_page_is_shown_with_a_notice(tmp_path: Path) -> None:
    path = tmp_path / "x.html"
    path.write_text("<meta name=robots content=noindex><p>words")
    ran = byway("extract", path)
    assert "noindex" in ran.stderr
    assert "words" in ran.stdout


def test_the_text_of_a_page_cannot_move_the_cursor(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    path.write_bytes(b"title\n\x1b[2J[red]words")
    out = byway("extract", path).stdout
    assert "\x1b" not in out
    assert "red" in out
