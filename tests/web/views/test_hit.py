"""Foreign text, made fit to be shown."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from byway.core.display import sanitize
from byway.core.model import Hit, Signal, Url, UrlId
from byway.web.views.hit import hit_view


def hit(url: str = "https://example.org/", title: str = "", **more: object) -> Hit:
    return Hit(Url(url), UrlId(1), title, 1.0, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("url", "crumbs"),
    [
        ("https://example.org/", "example.org"),
        ("http://example.org:8080/a/b", "example.org:8080 › a › b"),
        ("https://example.org/a/b/c/d/e", "example.org › a › … › d › e"),
        ("https://example.org/K%C3%B6ln?q=%D0%B0", "example.org › Köln › ?q=а"),
        ("https://example.org/%E2%80%AEgnp.exe", "example.org › gnp.exe"),
        ("https://example.org/%FF%00", "example.org › \ufffd"),
        ("https://example.org/" + "a" * 99, "example.org › " + "a" * 39 + "…"),
    ],
)
def test_a_url_is_shown_as_a_path_of_crumbs(url: str, crumbs: str) -> None:
    assert " › ".join(hit_view(hit(url)).crumbs) == crumbs


@pytest.mark.parametrize(
    "url", ["javascript:alert(1)", "data:text/html,x", "//example.org/", " https://x.org/", "", "x"]
)
def test_only_http_urls_are_links(url: str) -> None:
    assert hit_view(hit(url)).href == ""


def test_a_page_without_a_title_shows_its_file_name() -> None:
    assert hit_view(hit("https://example.org/a/notes.txt")).title == "notes.txt"
    assert hit_view(hit("https://example.org/")).title == "example.org"


@pytest.mark.parametrize(
    ("media_type", "document_type"),
    [
        ("", ""),
        ("text/html", ""),
        ("application/xhtml+xml", ""),
        ("application/pdf", "pdf"),
        ("text/plain", "text"),
        ("text/x-markdown", "markdown"),
        ("text/css", "css"),
    ],
)
def test_the_document_type_is_shown_unless_it_is_html(media_type: str, document_type: str) -> None:
    assert hit_view(hit(content_type=media_type)).document_type == document_type


def test_a_long_title_is_truncated() -> None:
    assert len(hit_view(hit(title="word " * 1000)).title) <= 120


def test_direction_marks_of_arabic_and_hebrew_are_kept() -> None:
    for text in ("Ёлка", "مرحبا\u200f", "שלום", "日本", "नमस्ते\u200d", "🌲", "tab\u00a0here"):
        assert sanitize(text) == text


def test_shares_add_up_and_the_largest_comes_first() -> None:
    signals = (Signal("a", 1, 1), Signal("b", 3, -1), Signal("c", float("inf"), 1))
    shown = hit_view(hit(signals=signals))
    assert [reason.name for reason in shown.signals] == ["b", "a"]
    assert [reason.share for reason in shown.signals] == [-0.75, 0.25]
    assert [reason.percent for reason in shown.signals] == ["−75%", "25%"]
    assert shown.minor_signals == ("c",)


@given(st.lists(st.sampled_from(["a", "\x00", "\ud800", "\u202e", "\u2069", "%", "/", "?", "://"])))
def test_any_title_can_be_shown(
    parts: list[str],
) -> None:
    shown = hit_view(hit("https://e.org/" + "".join(parts), "".join(parts)))
    text = shown.title + "".join(shown.crumbs)
    text.encode()
    assert not set(text) & set("\x00\u202e\u2069")
