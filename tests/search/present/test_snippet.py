"""Snippets."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pace import run_within
from strategies import WORDS, malformed_text, prose

from byway.core.model.query import ParsedQuery, TermAnalysis, TermClause
from byway.core.text import term_spans, terms
from byway.search.present.passage import snippet_terms_of
from byway.search.present.snippet import (
    SNIPPET_DEEP_SCAN_CHARS,
    SNIPPET_SCAN_CHARS,
    HighlightedText,
    scanned_text,
    snippet,
    snippet_from_matches,
)
from byway.search.present.term_locator import TermLocator
from byway.search.query.parser import CollectionInfo, parse

FILLER = "and so it went on for a long while without a word of it "


def shown(pieces: HighlightedText) -> str:
    """The snippet with the wanted words in brackets."""
    return "".join(f"[{text}]" if marked else text for text, marked in pieces)


def test_query_words_are_highlighted_in_all_their_forms() -> None:
    text = "He runs; she was running. Ёлки и ёлка."
    assert shown(snippet(text, {"run"}, 100)) == "He [runs]; she was [running]. Ёлки и ёлка."
    assert shown(snippet(text, {"елк"}, 100)) == "He runs; she was running. [Ёлки] и [ёлка]."


def test_overlapping_matches_are_highlighted_as_one() -> None:
    assert shown(snippet("私は日本語を話す", {*terms("日本語")}, 100)) == "私は[日本語]を話す"


def test_the_window_has_the_most_distinct_words() -> None:
    text = f"red red red. {FILLER * 5} red things and blue shoes. {FILLER * 5} blue blue"
    assert "[red] things and [blue] [shoes]" in shown(snippet(text, {"red", "blue", "shoe"}, 80))


def test_of_two_windows_with_the_same_words_the_shorter_one_is_shown() -> None:
    text = f"Red is not the colour of shoes. {FILLER * 5} Here are red shoes. {FILLER * 5}"
    assert "Here are [red] [shoes]." in shown(snippet(text, {"red", "shoe"}, 60))


def test_of_two_equal_windows_the_first_is_shown() -> None:
    text = f"One pair of shoes. {FILLER * 5} Two pairs of shoes."
    assert shown(snippet(text, {"shoe"}, 60)).startswith("One pair of [shoes].")


def test_a_snippet_starts_with_its_sentence_if_that_is_near() -> None:
    text = f"{FILLER * 5}the end. These are the red shoes that we like. {FILLER * 5}"
    assert shown(snippet(text, {"shoe"}, 80)).startswith("… These are the red [shoes]")
    text = f"{FILLER * 5}red shoes"
    assert re.match(r"… \w+ .*red \[shoes\]$", shown(snippet(text, {"shoe"}, 80)))
    assert shown(snippet(text, {"shoe"}, 80)).split()[1] in FILLER.split()


def test_without_the_words_the_beginning_is_shown() -> None:
    assert shown(snippet("One two three four.", {"shoe"}, 10)) == "One two …"
    assert shown(snippet("One two.", set(), 100)) == "One two."
    assert snippet("", {"shoe"}, 100) == ()


def test_line_ends_become_spaces() -> None:
    text = "red\n\n  shoes\tand\nhats\n"
    assert shown(snippet(text, {"shoe"}, 50)) == "red [shoes] and hats"
    assert shown(snippet(f"{FILLER}\n{text}", {"shoe"}, 50)) == "… [shoes] and hats"


def test_a_word_longer_than_the_snippet_is_shown_whole() -> None:
    long = "x" * 60
    assert f"[{long}]" in shown(snippet(f"{FILLER} {long} {FILLER}", {long}, 30))


def test_only_the_beginning_of_a_very_long_text_is_scanned() -> None:
    text = "hats " * SNIPPET_DEEP_SCAN_CHARS + "shoes"
    assert "[" not in shown(snippet(text, {"shoe"}, 100))


def test_the_scan_goes_deeper_if_the_words_are_not_close_together_before() -> None:
    text = f"Red hats. {'It goes on. ' * (SNIPPET_SCAN_CHARS // 10)} Here are red shoes."
    assert shown(snippet(text, {"shoe"}, 60)).endswith("Here are red [shoes].")
    assert shown(snippet(text, {"red", "shoe"}, 60)).endswith("Here are [red] [shoes].")
    assert shown(snippet(text, {"red"}, 60)).startswith("[Red] hats.")


def test_content_words_count_more_than_stop_words() -> None:
    text = f"This is what the others do. {FILLER * 5} The lock is held. {FILLER * 5}"
    question = parse("what is the lock", collection=CollectionInfo(("en",)))
    assert "The [lock] is held" in shown(best(text, question))


def test_stop_words_decide_between_windows_with_the_same_content_words() -> None:
    text = f"Every lock. {FILLER * 5} The lock is held. {FILLER * 5} A lock."
    question = parse("what is the lock", collection=CollectionInfo(("en",)))
    assert "The [lock] is held" in shown(best(text, question))


def test_stop_words_are_highlighted_if_the_query_has_no_others() -> None:
    question = parse("the who", collection=CollectionInfo(("en",)))
    assert shown(best("The band: The Who", question)) == "[The] band: [The] [Who]"


def test_a_text_with_stop_words_only_is_shown_from_its_beginning() -> None:
    question = parse("what is the lock", collection=CollectionInfo(("en",)))
    text = f"It begins here. {FILLER * 5} This is the end."
    assert shown(best(text, question)).startswith("It begins here.")


def test_spellings_of_one_word_count_once() -> None:
    text = f"Datum, dates and databases. {FILLER * 5} Is the data whole? {FILLER * 5}"
    readings = tuple(TermAnalysis((term,)) for term in ("data", "databas", "datum", "date"))
    question = ParsedQuery(
        (
            TermClause("dat*", readings, prefix="dat"),
            TermClause("whole", (TermAnalysis(("whole",)),)),
        )
    )
    assert "Is the [data] [whole]?" in shown(best(text, question))


def test_a_hyphenated_word_is_matched_as_a_phrase() -> None:
    text = f"Spawn it on POSIX systems. {FILLER * 5} Call posix_spawn() here. {FILLER * 5}"
    assert "Call [posix]_[spawn]() here" in shown(best(text, parse("posix_spawn")))


def best(text: str, question: ParsedQuery) -> HighlightedText:
    wanted = snippet_terms_of(question)
    locator = TermLocator(scanned_text(text), "")
    return snippet_from_matches(text, wanted, locator, locator.find(wanted.content_terms), 60)


@pytest.mark.alone
@pytest.mark.parametrize(
    "text", ["a b c d " * 100_000, "a " * 400_000, "a" * 800_000, "a. " * 300_000, "\n" * 800_000]
)
def test_a_page_cannot_make_its_snippet_slow(text: str) -> None:
    run_within(0.5, lambda: snippet(text, {"a", "b", "c", "d"}, 220))


texts = prose() | malformed_text() | st.lists(st.sampled_from(WORDS), max_size=200).map(" ".join)
asked = st.lists(st.sampled_from(WORDS), max_size=5).map(
    lambda words: frozenset(term for word in words for term in terms(word))
)


def squeezed(text: str) -> str:
    return re.sub(r"[\s…]+", "", text)


@given(texts, asked, st.integers(20, 300))
def test_a_snippet_is_a_piece_of_its_text(text: str, wanted: frozenset[str], length: int) -> None:
    pieces = snippet(text, wanted, length)
    assert squeezed("".join(piece for piece, _ in pieces)) in squeezed(text)


@given(texts, asked, st.integers(20, 300))
def test_a_snippet_exceeds_its_length_by_at_most_a_word(
    text: str, wanted: frozenset[str], length: int
) -> None:
    pieces = [piece for piece, _ in snippet(text, wanted, length) if piece not in ("… ", " …")]
    longest = max(
        (len(piece) for piece, marked in snippet(text, wanted, length) if marked), default=0
    )
    assert len("".join(pieces)) <= max(length, longest)


@given(texts, asked, st.integers(20, 300))
def test_exactly_the_wanted_words_are_highlighted(
    text: str, wanted: frozenset[str], length: int
) -> None:
    pieces = snippet(text, wanted, length)
    for piece, marked in pieces:
        if marked:
            assert wanted & set(terms(piece))
    if wanted & set(terms(text)):
        assert any(marked for _, marked in pieces)
    # A word at the cut may be half a word, and then another one.
    inner = pieces[1:-1]
    assert not any(wanted & set(terms(piece)) for piece, marked in inner if not marked)


def test_a_phrase_is_highlighted_only_where_it_is_complete() -> None:
    text = f"Shoes red. {FILLER * 5} The other shoes: red shoes. {FILLER * 5}"
    assert "other shoes: [red] [shoes]." in shown(best(text, parse('"red shoes"')))
    assert "other shoes: [red] [shoes]." in shown(best(text, parse('"red shoes" so')))
    assert shown(best(text, parse("red shoes"))).startswith("[Shoes] [red].")


def test_a_phrase_is_complete_even_if_its_stop_word_is_also_outside_of_it() -> None:
    text = f"Light of the city. {FILLER * 5} The city of light. {FILLER * 5}"
    question = parse('use of "city of light"', collection=CollectionInfo(("en",)))
    assert "The [city] [of] [light]." in shown(best(text, question))


def test_the_scan_goes_deeper_for_a_complete_phrase() -> None:
    text = f"Shoes, red. {'It goes on. ' * (SNIPPET_SCAN_CHARS // 10)} Here are red shoes."
    assert shown(best(text, parse('"red shoes"'))).endswith("Here are [red] [shoes].")


def test_words_of_an_incomplete_phrase_are_highlighted_singly() -> None:
    assert shown(best("Shoes, red.", parse('"red shoes"'))) == "[Shoes], [red]."


def test_a_phrase_without_spaces_is_complete_where_its_characters_are_adjacent() -> None:
    text = f"東京京都。{'これは文章です。' * 20}東京都の人。{'これは文章です。' * 20}"
    assert "[東京都]の人" in shown(best(text, parse('"東京都"')))


@pytest.mark.alone
@pytest.mark.parametrize("text", ["日" * 50_000, ("日" * 31 + "本") * 2000], ids=["whole", "torn"])
def test_a_page_that_repeats_a_long_phrase_is_not_slow(text: str) -> None:
    question = parse(f'"{"日" * 30}"')
    run_within(0.5, lambda: best(text, question))


@pytest.mark.parametrize("length", range(20, 60))
def test_no_word_is_cut_even_where_there_are_no_spaces(length: int) -> None:
    text = "/".join(["usr", "share", "documentation", "shoes", "configuration", "examples"] * 3)
    pieces = snippet(f"See {text} for more.", {"shoe"}, length)
    words = "".join(piece for piece, _ in pieces if "…" not in piece).replace("/", " ").split()
    assert {*words} <= {"See", "for", "more.", *text.split("/")}


@pytest.mark.parametrize("length", range(20, 40))
def test_a_text_without_spaces_fills_its_snippet(length: int) -> None:
    pieces = snippet("これは文章です靴" * 50, {*terms("靴こ")}, length)
    assert sum(len(piece) for piece, _ in pieces if "…" not in piece) > length - 5


@given(texts, asked, st.integers(20, 300))
def test_the_window_is_the_shortest_with_the_most_words(
    text: str, wanted: frozenset[str], length: int
) -> None:
    """Compared with a look at every stretch from one word to another."""
    best = _best_of_all(text, wanted, length)
    pieces = snippet(text, wanted, length)
    had = {term for piece, marked in pieces if marked for term in terms(piece)} & wanted
    assert len(had) >= best


def _best_of_all(text: str, wanted: frozenset[str], length: int) -> int:
    found = [one for one in term_spans(scanned_text(text)) if one[0] in wanted]
    return max(
        (
            len({term for term, _, _ in found[first : last + 1]})
            for first in range(len(found))
            for last in range(first, len(found))
            if found[last][2] - found[first][1] <= length or first == last
        ),
        default=0,
    )


@pytest.mark.parametrize("shift", range(8))
def test_no_word_is_cut_at_the_end_of_the_scan(shift: int) -> None:
    before = "hat " * ((SNIPPET_SCAN_CHARS - 60) // 4) + "x" * shift
    text = f"{before} red shoes {'walking ' * 100}"
    pieces = shown(snippet(text, {"red", "shoe"}, 120)).split("[shoes]")[1].split()
    assert {*pieces[:-1]} == {"walking"}
    assert pieces[-1] == "…"
