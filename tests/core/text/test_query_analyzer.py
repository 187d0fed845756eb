"""Query analysis: terms by language, stop words, indexable numbers."""

import pytest
from hypothesis import given
from strategies import malformed_text, prose

from byway.core.text import (
    LANGUAGES,
    STOP_WORDS,
    analyze_exact,
    analyze_word,
    analyze_words,
    is_indexable_term,
    is_stop_word,
    stop_words_in,
    terms,
    tokenize,
)


@pytest.mark.parametrize(
    ("word", "languages", "found"),
    [
        ("running", [], (("run",),)),
        ("running", ["en", "de", "xx"], (("run",), ("running",))),
        ("node.js", [], (("node", "js"),)),
        ("3.11", ["de"], (("3", "11"),)),
        ("wi-fi", [], (("wi", "fi"), ("wifi",))),
        ("2024-05", [], (("2024", "05"),)),
        ("e-mail", [], (("email",),)),
        ("日本語", ["ja"], (("日本", "本語"),)),
        ("туфлями", ["ru", "de", "fr"], (("туфл",),)),
        ("nacao", ["pt"], (("nacao",), ("naca",))),
        ("…", ["de"], ()),
    ],
)
def test_a_word_is_analyzed_in_each_language(
    word: str, languages: list[str], found: tuple[tuple[str, ...], ...]
) -> None:
    assert analyze_word(word, languages) == found


@given(prose() | malformed_text())
def test_analyses_are_distinct_and_begin_with_the_default_one(text: str) -> None:
    for word in text.split():
        found = analyze_word(word, LANGUAGES)
        assert len(set(found)) == len(found)
        assert all(found)
        if terms(word):
            assert found[0] == tuple(terms(word))


@given(prose() | malformed_text())
def test_the_terms_of_every_language_are_analyses(text: str) -> None:
    languages = ("en", *LANGUAGES)
    for word in text.split():
        known, exact = analyze_word(word, languages), analyze_exact(word, languages)
        for language in languages:
            if way := tuple(terms(word, language)):
                assert way in known
                assert way in exact
        assert {*known} >= {*exact}


def test_quoted_text_is_analyzed_in_each_language_and_without_one() -> None:
    assert analyze_exact("Häuser", ("de",)) == (("hauser",), ("haus",))
    assert analyze_exact("running dogs", ("de", "en")) == (("run", "dog"), ("running", "dog"))
    assert analyze_exact("running", ()) == (("run",),)


@given(prose() | malformed_text())
def test_many_words_are_analyzed_like_single_ones(text: str) -> None:
    languages = ("en", "tr", "de", "es", "ar")
    folded = tokenize(text)
    each = {one for word in folded for one in analyze_word(word, languages)}
    found = analyze_words(folded, languages)
    assert ({*found}, len(found)) == (each, len(each))


def test_stop_words_are_recognized_as_words_and_as_terms() -> None:
    assert is_stop_word("the") and is_stop_word("это") and is_stop_word("the", "en")
    assert is_stop_word("etait", "fr") and is_stop_word(terms("étaient", "fr")[0], "fr")
    assert is_stop_word("und", "de") and not is_stop_word("und")
    assert is_stop_word("the", "xx")
    assert not is_stop_word("haus", "de") and not is_stop_word("python")


def test_stop_words_of_questions_are_found() -> None:
    def among(typed: str, *languages: str) -> set[str]:
        return set(stop_words_in(typed.split(), languages))

    assert among("What is the speed of light?") == {"What", "is", "the", "of"}
    assert among("Wann starb Goethe?", "de", "en") == {"Wann"}
    assert among("сколько лет живут кошки") == {"сколько"}
    assert among("Что такое сепсис", "ru") == {"Что", "такое"}
    assert among("Как называется труд, которым известен Ганди?", "ru") == {
        "Как",
        "называется",
        "которым",
    }
    assert among("Wie lautet ihrer Ansicht nach das Urteil", "de") == {
        "Wie",
        "lautet",
        "ihrer",
        "nach",
        "das",
    }
    assert among("die hard", "en") == set()
    assert among("die hard", "de") == {"die"}


def test_stop_words_alone_are_no_stop_words() -> None:
    assert stop_words_in(["to", "be", "or", "not"], ()) == {"to", "be", "or"}
    assert stop_words_in(["the", "who"], ()) == frozenset()
    assert stop_words_in(["what", "kind", "of", "bread"], ["en"]) == {"what", "kind", "of"}
    assert stop_words_in(["WHAT", "KIND", "OF", "BREAD"], ["en"]) == {"WHAT", "KIND", "OF"}
    assert stop_words_in(["сапоги", "без", "каблука"], ["ru"]) == frozenset()
    assert stop_words_in(["сапоги", "для", "женщин"], ["ru"]) == frozenset()
    assert stop_words_in([], ["de"]) == frozenset()


def test_stop_word_lists_are_short_and_exist_for_every_big_language() -> None:
    big = {"ar", "cs", "da", "de", "en", "es", "fi", "fr", "hi", "it", "nl", "no", "pl", "pt", "ru"}
    assert big < STOP_WORDS.keys()
    assert all(30 <= len(listed) <= 130 for listed in STOP_WORDS.values())


def test_long_numbers_are_not_indexable() -> None:
    found = terms("Room 42, 1999 to 2024; order 31415926 for 9000 at x86-64")
    kept = [term for term in found if is_indexable_term(term)]
    assert kept == ["room", "42", "1999", "to", "2024", "order", "for", "at", "x86", "64"]
