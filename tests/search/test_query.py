"""What was asked? Whatever a person types has a meaning; nothing is an error."""

import time

import pytest
from hypothesis import given
from strategies import queries

from byway.model import Phrase, Question, Word
from byway.search.query import MOST_TERMS, parse
from byway.text import terms

RED, SHOES = Word("red", "red"), Word("shoes", "shoe")
RED_SHOES = Phrase("red shoes", ("red", "shoe"))


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("red shoes", Question(words=(RED, SHOES))),
        ("  red \t\n shoes ", Question(words=(RED, SHOES))),
        ('"red shoes"', Question(phrases=(RED_SHOES,))),
        ("“red shoes”", Question(phrases=(RED_SHOES,))),
        ("«red shoes»", Question(phrases=(RED_SHOES,))),
        ('"red"', Question(words=(RED,))),
        ('red "shoes', Question(words=(RED, SHOES))),
        ('"red shoes', Question(phrases=(RED_SHOES,))),
        ("shoes -red", Question(words=(SHOES,), without=(RED,))),
        ('shoes -"red shoes"', Question(words=(SHOES,), without=(RED_SHOES,))),
        ("red - shoes", Question(words=(RED, SHOES))),
        ("red- shoes", Question(words=(Word("red-", "red"), SHOES))),
        ("--red shoes", Question(words=(SHOES,), without=(Word("-red", "red"),))),
        ("red\0shoes", Question(words=(RED, SHOES))),
        ("(red OR", Question(words=(Word("(red", "red"), Word("OR", "or")))),
    ],
)
def test_words_phrases_and_what_must_not_be_there(typed: str, meant: Question) -> None:
    assert parse(typed) == meant


@pytest.mark.parametrize("typed", ["path_hooks", "example.org", "A/B", "2024-05-31"])
def test_what_is_written_as_one_belongs_together(typed: str) -> None:
    assert parse(typed) == Question(phrases=(Phrase(typed, tuple(terms(typed))),))


@pytest.mark.parametrize(
    ("typed", "host"),
    [
        ("site:example.org", "example.org"),
        ("SITE:Example.org", "example.org"),
        ("site:https://Example.org/path?q#top", "example.org"),
        ("site:example.org:8080", "example.org:8080"),
        ("site:example.org/", "example.org"),
        ("site:*.example.org", "example.org"),
        ('site:"example.org"', "example.org"),
        ("site:bücher.example", "xn--bcher-kva.example"),
        ("site:org", "org"),
        ("site:127.0.0.1:8601", "127.0.0.1:8601"),
        ("site:[::1]:8601", "[::1]:8601"),
    ],
)
def test_a_site_can_be_named_in_many_ways(typed: str, host: str) -> None:
    assert parse(typed) == Question(hosts=(host,))


def test_a_site_that_is_not_wanted_is_not_the_only_one_wanted() -> None:
    question = parse("shoes -site:example.org")
    assert question.hosts == ()
    assert question.without == (Phrase("example.org", ("exampl", "org")),)


@pytest.mark.parametrize(
    "typed", ["", " ", '"', '""', "-", "- -", "--", '-"', "?!", "\0", "\ud800", "\u202e", "-red"]
)
def test_what_asks_for_nothing_asks_for_nothing(typed: str) -> None:
    assert not parse(typed)


@pytest.mark.parametrize(
    "typed",
    [
        " ".join(f"word{n}" for n in range(10_000)),
        '"' + " ".join(f"word{n}" for n in range(10_000)),
        " ".join(f"-word{n}" for n in range(10_000)),
        " ".join(f"site:{n}.org" for n in range(10_000)),
        "(" * 5_900,
        '"' * 10_000,
        "-" * 10_000,
        "a" * 1_000_000,
        "'" * 1_000_000,
        "site:" * 10_000,
        "\u0301a" * 10_000,
    ],
    ids=lambda typed: typed[:10],
)
def test_a_question_without_end_is_cut(typed: str) -> None:
    started = time.perf_counter()
    question = parse(typed)
    assert time.perf_counter() - started < 0.5
    without = [clause for clause in question.without if isinstance(clause, Word)]
    assert len(question.terms) + len(without) <= MOST_TERMS
    assert len(question.hosts) <= MOST_TERMS


@given(queries())
def test_everything_that_can_be_typed_is_understood(typed: str) -> None:
    question = parse(typed)
    assert set(question.terms) <= set(terms(typed.replace("\0", " ")))
    assert all(host and host == host.lower() for host in question.hosts)
    assert all(len(phrase.terms) > 1 for phrase in question.phrases)
    str(question).encode()
