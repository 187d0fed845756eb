"""Values of the domain model."""

import pytest

from byway.core.media_types import document_type_of
from byway.core.model import Document, HostRecord, Page, Signal, parse_epoch_day
from byway.core.model.query import (
    AnyOf,
    Filter,
    Not,
    ParsedQuery,
    TermAnalysis,
    TermClause,
)
from byway.core.url import normalize

RED, SHOES = (
    TermClause("red", (TermAnalysis(("red",)),)),
    TermClause("Shoes", (TermAnalysis(("shoe",)),)),
)


def page(*headers: tuple[str, str]) -> Page:
    return Page(normalize("http://a.org/"), 0.0, 200, headers, b"")


@pytest.mark.parametrize(
    ("header", "kind"),
    [
        ("text/html", "text/html"),
        ("Text/HTML ; charset=utf-8", "text/html"),
        (";charset=utf-8", ""),
        ("", ""),
    ],
)
def test_the_content_type_is_the_media_type_without_parameters(header: str, kind: str) -> None:
    assert page(("CONTENT-type", header)).content_type == kind


def test_header_names_are_case_insensitive_and_the_first_wins() -> None:
    answer = page(("X-One", "a"), ("x-one", "b"))
    assert answer.header("X-ONE") == "a"
    assert answer.header("x-two") == ""


def test_a_query_has_each_term_once_in_typed_order() -> None:
    phrase = TermClause("shoes for rain", (TermAnalysis(("shoe", "for", "rain")),), exact=True)
    question = ParsedQuery(
        (SHOES, AnyOf((RED, SHOES)), phrase, Not(TermClause("x", (TermAnalysis(("x",)),))))
    )
    assert question.terms == ("shoe", "red", "for", "rain")
    assert question.words == (SHOES, RED, phrase)


def test_a_query_with_exclusions_only_is_empty() -> None:
    assert not ParsedQuery((Not(RED),))
    assert not ParsedQuery()
    assert ParsedQuery((Filter("site", "a.org"),))
    assert ParsedQuery((RED,))


def test_a_document_has_a_type_and_a_day() -> None:
    url = normalize("http://a.org/")
    assert (
        Document(url, content_type="text/markdown").document_type
        == document_type_of(".md")
        == "markdown"
    )
    assert (
        Document(url, content_type="application/xhtml+xml").document_type
        == document_type_of(".htm")
        == "html"
    )
    assert Document(url, published="1970-01-11T10:00").epoch_day == 10
    assert Document(url, published="soon", modified="1971").epoch_day == 365
    assert Document(url, published="1066-10-14").epoch_day == Document(url).epoch_day == 0
    assert parse_epoch_day("2024-02-30") is parse_epoch_day("") is parse_epoch_day("20245") is None
    first = parse_epoch_day("2024-05") or 0
    assert parse_epoch_day("20240531") == parse_epoch_day("2024-05-31") == first + 30


def test_the_score_of_a_signal_is_value_times_weight() -> None:
    assert Signal("title_coverage", 0.5, 0.25).score == 0.125


@pytest.mark.parametrize(
    ("waiting", "kept", "failed", "paused", "standing"),
    [
        (1, 5, 9, 1, "waiting"),
        (0, 5, 1, 2, "paused"),
        (0, 1, 2, 0, "failing"),
        (0, 5, 2, 0, "done"),
        (0, 0, 0, 0, "known"),
    ],
)
def test_the_status_of_a_host_follows_from_its_url_states(
    waiting: int, kept: int, failed: int, paused: int, standing: str
) -> None:
    assert HostRecord("a.org", 1.0, waiting, kept, failed, paused).status == standing
