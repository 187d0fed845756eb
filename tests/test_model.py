"""The words of this program."""

import pytest

from byway.model import Page, Phrase, Question, Signal, Word
from byway.url import normalise

RED, SHOES = Word("red", "red"), Word("Shoes", "shoe")


def page(*headers: tuple[str, str]) -> Page:
    return Page(normalise("http://a.org/"), 0.0, 200, headers, b"")


@pytest.mark.parametrize(
    ("header", "kind"),
    [
        ("text/html", "text/html"),
        ("Text/HTML ; charset=utf-8", "text/html"),
        (";charset=utf-8", ""),
        ("", ""),
    ],
)
def test_a_page_is_of_a_kind_whatever_else_the_header_says(header: str, kind: str) -> None:
    assert page(("CONTENT-type", header)).content_type == kind


def test_of_two_headers_the_first_counts_and_case_does_not() -> None:
    answer = page(("X-One", "a"), ("x-one", "b"))
    assert answer.header("X-ONE") == "a"
    assert answer.header("x-two") == ""


def test_a_question_has_each_term_once_in_the_order_it_was_typed() -> None:
    phrase = Phrase("shoes for rain", ("shoe", "for", "rain"))
    question = Question((SHOES, RED, SHOES), (phrase,), without=(Word("blue", "blue"),))
    assert question.terms == ("shoe", "red", "for", "rain")


def test_a_question_that_only_excludes_asks_nothing() -> None:
    assert not Question(without=(RED,))
    assert not Question()
    assert Question(hosts=("a.org",))
    assert Question(words=(RED,))


def test_a_signal_counts_by_its_weight() -> None:
    assert Signal("title", 0.5, 0.25).score == 0.125
