"""Query parser: every text is a valid query."""

from collections.abc import Iterator
from dataclasses import replace
from math import inf
from typing import Any

import pytest
from hypothesis import given
from pace import run_within
from strategies import queries

from byway.core.model.query import (
    AllOf,
    AnyOf,
    Clause,
    Filter,
    Not,
    ParsedQuery,
    TermAnalysis,
    TermClause,
)
from byway.core.text import terms
from byway.search.query.parser import MAX_NESTING_DEPTH, MAX_QUERY_TERMS, CollectionInfo, parse


def word(text: str, *terms: str, exact: bool = False, **more: Any) -> TermClause:
    return TermClause(text, (TermAnalysis(terms or (text,)),), exact=exact, **more)


RED, BLUE, HATS = word("red"), word("blue"), word("hats", "hat")
SHOES = word("shoes", "shoe")
RED_SHOES = word("red shoes", "red", "shoe", exact=True)
OR = word("OR", "or")
NOT = word("NOT", "not")


def of_path(host: str, path: str, *terms: str) -> AllOf:
    return AllOf((Filter("site", host), word(f"{host}/{path}", *terms, field="url")))


def needed(word: TermClause) -> TermClause:
    return replace(word, required=True)


@pytest.mark.parametrize(
    ("typed", "parts"),
    [
        ("red shoes", (RED, SHOES)),
        ("  red \t\n shoes ", (RED, SHOES)),
        ('"red shoes"', (RED_SHOES,)),
        ("“red shoes”", (RED_SHOES,)),
        ("«red shoes»", (RED_SHOES,)),
        ("‹red shoes›", (RED_SHOES,)),
        ("「red shoes」", (RED_SHOES,)),
        ("＂red shoes＂", (RED_SHOES,)),
        ('"red"', (word("red", exact=True),)),
        ('red "shoes', (RED, word("shoes", "shoe", exact=True))),
        ('"red shoes', (RED_SHOES,)),
        ("shoes -red", (SHOES, Not(RED))),
        ('shoes -"red shoes"', (SHOES, Not(RED_SHOES))),
        ("red - shoes", (RED, SHOES)),
        ("red- shoes", (word("red-", "red"), SHOES)),
        ("--red shoes", (Not(word("-red", "red")), SHOES)),
        ("red\0shoes", (RED, SHOES)),
        ("red AND shoes", (needed(RED), needed(SHOES))),
        ("blue red AND shoes", (BLUE, needed(RED), needed(SHOES))),
        ("red AND shoes AND hats blue", (needed(RED), needed(SHOES), needed(HATS), BLUE)),
        ("red AND (shoes OR hats)", (needed(RED), AnyOf((SHOES, HATS)))),
        ("(red shoes) AND hats", (needed(RED), needed(SHOES), needed(HATS))),
        ("red AND -shoes", (needed(RED), Not(SHOES))),
        ("AND red (AND shoes AND) AND", (RED, SHOES)),
        ("red OR AND shoes", (AnyOf((RED, SHOES)),)),
        ("red AND AND OR shoes", (AnyOf((RED, SHOES)),)),
        ("shoes NOT red", (SHOES, Not(RED))),
        ("shoes AND NOT red", (needed(SHOES), Not(RED))),
        ('shoes NOT "red shoes"', (SHOES, Not(RED_SHOES))),
        ("shoes NOT (red OR blue)", (SHOES, Not(AnyOf((RED, BLUE))))),
        ("shoes NOT site:a.org", (SHOES, Not(Filter("site", "a.org")))),
        ("NOT NOT red shoes", (NOT, Not(RED), SHOES)),
        ("NOT red", (NOT, RED)),
        ("shoes NOT NULL", (SHOES, NOT, word("NULL", "null"))),
        ("NOT (red)", (NOT, RED)),
        ("NOT", (NOT,)),
        ("shoes NOT", (SHOES, NOT)),
        ("(shoes NOT) red", (SHOES, NOT, RED)),
        ("shoes not red", (SHOES, word("not"), RED)),
        # A hyphen that ties a word to a quotation takes nothing away.
        ("„red shoes“-hats", (RED_SHOES, word("-hats", "hat"))),
        ("(red)-hats", (RED, word("-hats", "hat"))),
    ],
)
def test_words_phrases_and_exclusions_are_parsed(typed: str, parts: tuple[Clause, ...]) -> None:
    assert parse(typed) == ParsedQuery(parts)


RED_TITLE, BLUE_TITLE = replace(RED, field="title"), replace(BLUE, field="title")
A, B = Filter("site", "a.org"), Filter("site", "b.org")


@pytest.mark.parametrize(
    ("typed", "parts"),
    [
        ("intitle:(red OR blue)", (AnyOf((RED_TITLE, BLUE_TITLE)),)),
        ("INTITLE:(red blue) hats", (RED_TITLE, BLUE_TITLE, HATS)),
        ("-intitle:(red OR blue)", (Not(AnyOf((RED_TITLE, BLUE_TITLE))),)),
        ("site:(a.org OR b.org) hats", (HATS, AnyOf((A, B)))),
        ("-site:(a.org OR b.org) hats", (Not(AnyOf((A, B))), HATS)),
        ("site:a.org/ hats", (HATS, A)),
        ("site:a.org/old/red hats", (HATS, of_path("a.org", "old/red", "old", "red"))),
        (
            "site:https://A.org/red?q#top",
            (AllOf((A, word("a.org/red?q", "red", "q", field="url"))),),
        ),
        ("-site:a.org/red hats", (Not(of_path("a.org", "red", "red")), HATS)),
        ("site:a.org/red site:b.org", (AnyOf((of_path("a.org", "red", "red"), B)),)),
        ("intitle:(red (blue site:a.org))", (RED_TITLE, BLUE_TITLE, A)),
        ("intitle:(red", (RED_TITLE,)),
        ("intitle:() hats", (HATS,)),
        ("note:(red) hats", (word("note"), RED, HATS)),
    ],
)
def test_an_operator_before_parentheses_applies_to_all_inside(
    typed: str, parts: tuple[Clause, ...]
) -> None:
    assert parse(typed) == ParsedQuery(parts)


@pytest.mark.parametrize(
    ("typed", "parts"),
    [
        ("red OR blue", (AnyOf((RED, BLUE)),)),
        ("red | blue", (AnyOf((RED, BLUE)),)),
        ("red OR blue OR hats", (AnyOf((RED, BLUE, HATS)),)),
        ("red OR blue shoes", (AnyOf((RED, BLUE)), SHOES)),
        ("shoes red OR blue", (SHOES, AnyOf((RED, BLUE)))),
        ("(red shoes) OR hats", (AnyOf((AllOf((RED, SHOES)), HATS)),)),
        ("-(red OR blue) hats", (Not(AnyOf((RED, BLUE))), HATS)),
        ("-(-red)", (RED,)),
        ("(-red -blue) hats", (Not(RED), Not(BLUE), HATS)),
        ("(red)", (RED,)),
        ("((red) (shoes))", (RED, SHOES)),
        ("red OR -blue", (RED,)),
        # What cannot be meant as it stands.
        ("OR", (OR,)),
        ("red OR", (RED, OR)),
        ("(red OR", (RED, OR)),
        ("OR red", (OR, RED)),
        ("red OR OR blue", (RED, AnyOf((OR, BLUE)))),
        ("(red", (RED,)),
        ("red)", (RED,)),
        (") red (", (RED,)),
        ("()", ()),
        ("-() red", (RED,)),
        ("f(red)", (word("f"), RED)),
    ],
)
def test_or_and_parentheses_are_parsed(typed: str, parts: tuple[Clause, ...]) -> None:
    assert parse(typed) == ParsedQuery(parts)


@pytest.mark.parametrize(
    ("typed", "part"),
    [
        ("data*", TermClause("data*", (), prefix="data")),
        ("Ёлк*", TermClause("Ёлк*", (), prefix="елк")),
        ("intitle:data*", TermClause("data*", (), "title", prefix="data")),
        ("da*", word("da*", "da")),
        ("a/b*", word("a/b*", "a", "b")),
        (
            "sql-create*",
            TermClause("sql-create*", (), prefix="sql create", prefix_context=(("sql",),)),
        ),
        (
            "inurl:sql-cr*",
            TermClause("sql-cr*", (), "url", prefix="sql cr", prefix_context=(("sql",),)),
        ),
        ("日本語*", word("日本語*", "日本", "本語")),
        ("intitle:red", word("red", field="title")),
        ("InTitle:red", word("red", field="title")),
        ('intitle:"red shoes"', replace(RED_SHOES, field="title")),
        ("inurl:red", word("red", field="url")),
        ("lang:DE", Filter("language", "de")),
        ("lang:de-DE", Filter("language", "de")),
        ("lang:pt_BR", Filter("language", "pt")),
        ("lang:German", Filter("language", "de")),
        ("lang:Deutsch", Filter("language", "de")),
        ("lang:русский", Filter("language", "ru")),
        ("lang:Français", Filter("language", "fr")),
        ("lang:francais", Filter("language", "fr")),
        ("lang:日本語", Filter("language", "ja")),
        ('lang:"Tiếng Việt"', Filter("language", "vi")),
        ("lang:klingon", Filter("language", "klingon")),
        ("lang:english", Filter("language", "en")),
        ("filetype:.PDF", Filter("type", "pdf")),
        ("filetype:txt", Filter("type", "text")),
        ("before:1970-01-11", Filter("day", minimum=1, maximum=9)),
        ("after:1970-01-11", Filter("day", minimum=10)),
        ("after:1970-02", Filter("day", minimum=31)),
        ("after:1971", Filter("day", minimum=365)),
        ("after:1971/1/2", Filter("day", minimum=366)),
        ("link:example.org/a", Filter("link", "https://example.org/a")),
        ("related:http://example.org", Filter("related", "http://example.org/")),
        ("brand:Nike", Filter("brand", "nike")),
        ('BRAND:"Nike Air"', Filter("brand", "nike air")),
        ("price:10..50", Filter("price", "", 10, 50)),
        ("price:10..", Filter("price", "", 10)),
        ("price:..50.5", Filter("price", "", maximum=50.5)),
        ("price:50", Filter("price", "50", 50, 50)),
        # What is no filter is words.
        ("colour:red", word("colour:red", "colour", "red")),
        ("http://a.org/b", word("http://a.org/b", "http", "a", "org", "b")),
        ("std::sort", word("std::sort", "std", "sort")),
        ("12:30", word("12:30", "12", "30")),
    ],
)
def test_operators_and_prefixes_are_parsed(typed: str, part: Clause) -> None:
    collected = CollectionInfo(attributes={"brand", "price"})
    assert parse(typed, (), collected) == ParsedQuery((part,))


def test_selected_filters_are_added_to_the_query() -> None:
    de, en = Filter("language", "de"), Filter("language", "en")
    assert parse("red", [de]) == ParsedQuery((RED, de))
    assert parse("red", [de, en]) == ParsedQuery((RED, AnyOf((de, en))))
    assert parse("red lang:de", [de, Filter("unknown", "hats")]) == ParsedQuery((RED, de))


def test_a_word_is_analyzed_in_every_language() -> None:
    for languages in (("en",), ("en", "ru", "de")):
        (found,) = parse("shoes", (), CollectionInfo(languages)).words
        assert found.analyses[0].tokens == ("shoe",)
        assert len(set(found.analyses)) == len(found.analyses)


@pytest.mark.parametrize("typed", ["path_hooks", "example.org", "A/B", "2024-05-31"])
def test_joined_words_are_a_phrase(typed: str) -> None:
    assert parse(typed) == ParsedQuery((word(typed, *terms(typed)),))


def test_only_one_narrowed_prefix_is_allowed() -> None:
    many = parse(" OR ".join(f"pre-co{letter}*" for letter in "abcdefghijklmnop")).words
    assert [word.prefix for word in many if word.prefix] == ["pre coa"]


def test_a_hyphenated_word_is_its_parts_side_by_side_or_joined() -> None:
    (found,) = parse("low-speed").words
    assert found.analyses == (TermAnalysis(("low", "speed")), TermAnalysis(("lowspe",)))


@pytest.mark.parametrize(
    ("typed", "host"),
    [
        ("site:example.org", "example.org"),
        ("SITE:Example.org", "example.org"),
        ("site:https://Example.org/#top", "example.org"),
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
def test_a_site_has_many_spellings(typed: str, host: str) -> None:
    assert parse(typed) == ParsedQuery((Filter("site", host),))


def test_an_excluded_site_is_no_alternative() -> None:
    question = parse("shoes -site:example.org")
    assert question == ParsedQuery((SHOES, Not(Filter("site", "example.org"))))
    assert question.filters("site") == ()


@pytest.mark.parametrize(
    "typed", ["", " ", '"', '""', "-", "- -", "--", '-"', "?!", "\0", "\ud800", "\u202e", "-red"]
)
def test_a_query_without_words_is_empty(typed: str) -> None:
    assert not parse(typed)


@pytest.mark.alone
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
        "(a OR " * 1000,
        "-(" * 1000 + "a",
        "a* " * 1000,
        "price:1..2 " * 1000,
    ],
    ids=lambda typed: typed[:10],
)
def test_a_long_query_is_cut(typed: str) -> None:
    question = run_within(0.5, lambda: parse(typed))
    assert sum(1 for _ in nodes(question.clauses)) <= 2 * MAX_QUERY_TERMS
    assert deepest(question.clauses) <= MAX_NESTING_DEPTH + 2


def nodes(parts: tuple[Clause, ...]) -> Iterator[Clause]:
    for part in parts:
        yield part
        inside = (part.clause,) if isinstance(part, Not) else getattr(part, "clauses", ())
        yield from nodes(inside)


def deepest(parts: tuple[Clause, ...]) -> int:
    inside = (
        (one.clause,) if isinstance(one, Not) else getattr(one, "clauses", ()) for one in parts
    )
    return 1 + max(map(deepest, inside), default=0) if parts else 0


@given(queries())
def test_every_text_is_parsed(typed: str) -> None:
    question = parse(typed, (), CollectionInfo(("en", "ru"), {"price"}))
    for part in nodes(question.clauses):
        if isinstance(part, TermClause):
            assert part.prefix or all(reading.tokens for reading in part.analyses)
        if isinstance(part, AnyOf | AllOf):
            assert len(part.clauses) > 1
        if isinstance(part, Filter):
            assert part.value or part.minimum > -inf or part.maximum < inf
    assert bool(question) == any(not isinstance(part, Not) for part in question.clauses)
    str(question).encode()


def test_typographic_quotes_are_quotes_outside_of_ascii_quotes() -> None:
    red = parse('"red shoes"')
    for typed in ("„red shoes“", "«red shoes»", "“red shoes”", "「red shoes」", '"red shoes”'):
        assert parse(typed).words[0].analyses == red.words[0].analyses
        assert parse(typed).words[0].exact
    said = parse('hats -"red „blue“ 『shoes』"')
    assert [type(part) for part in said.clauses] == [TermClause, Not]
    assert parse('"red „blue“ shoes"').words[0].analyses[0].tokens == ("red", "blue", "shoe")
