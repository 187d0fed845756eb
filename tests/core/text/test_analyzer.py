"""By which terms does the index know a text in its language?"""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import malformed_text, prose
from vectors import vector_path

from byway.core.text import LANGUAGES, analyze_word, fold_text, term_spans, terms

GOLDEN = Path(__file__).parents[2] / "golden" / "terms"

SNOWBALL = {"en": "english", "fr": "french", "de": "german", "it": "italian"} | {
    "pt": "portuguese",
    "es": "spanish",
}


def languages() -> st.SearchStrategy[str]:
    return st.sampled_from(["", "en", "ru", "xx", *LANGUAGES])


@pytest.mark.parametrize("file", sorted(GOLDEN.glob("*.txt")), ids=lambda file: file.stem)
def test_each_language_has_its_terms(file: Path) -> None:
    text, expected = file.read_text(encoding="utf-8").splitlines()
    assert terms(text, file.stem) == expected.split()


def test_every_language_with_a_stemmer_is_in_the_golden_files() -> None:
    assert set(LANGUAGES) - {file.stem for file in GOLDEN.glob("*.txt")} == {"nb", "nn"}


@pytest.mark.parametrize("language", SNOWBALL)
def test_stems_are_those_of_snowball_without_their_accents(language: str) -> None:
    folder = vector_path("text/snowball-data") / SNOWBALL[language]
    written = (folder / "voc.txt").read_text(encoding="utf-8").splitlines()
    stems = (folder / "output.txt").read_text(encoding="utf-8").splitlines()
    whole = [pair for pair in zip(written, stems, strict=True) if "'" not in pair[0]]
    assert len(whole) > 20_000
    assert [word for word, stem in whole if terms(word, language) != [fold_text(stem)]] == []


@pytest.mark.parametrize("language", ["fr", "es", "it", "pt", "de"])
def test_who_types_no_accents_finds_the_words_that_have_them(language: str) -> None:
    voc = vector_path("text/snowball-data") / SNOWBALL[language] / "voc.txt"
    accented = [word for word in voc.read_text(encoding="utf-8").split() if not word.isascii()][::7]
    found = [word for word in accented if tuple(terms(word, language)) in _typed(word, language)]
    assert len(found) / len(accented) >= 0.96


def _typed(word: str, language: str) -> tuple[tuple[str, ...], ...]:
    return analyze_word(fold_text(word), [language])


def test_the_german_ways_round_an_umlaut_are_one_word() -> None:
    assert terms("Zürich Zuerich Zurich", "de") == ["zurich"] * 3
    assert ("zurich",) in analyze_word("Zuerich", ["de"])


def test_a_word_in_another_script_is_taken_for_english_or_russian() -> None:
    assert terms("running туфлями", "de") == ["running", "туфл"]
    assert terms("running туфлями", "ru") == ["run", "туфл"]
    assert terms("running туфлями", "uk") == terms("running туфлями")


def test_serbian_is_one_language_in_two_scripts() -> None:
    assert terms("Београд", "sr") == terms("Beograd", "sr")


def test_turkish_has_two_letters_i() -> None:
    assert terms("KAPI", "tr") == terms("kapı", "tr")
    assert terms("İSTANBUL'DA", "tr") == terms("istanbul", "tr")


@given(malformed_text() | prose(), languages())
def test_each_term_stands_where_it_was_written_in_every_language(text: str, language: str) -> None:
    found = list(term_spans(text, language))
    assert [term for term, _, _ in found] == terms(text, language)
    for term, start, end in found:
        assert term in terms(text[start:end], language)


@given(malformed_text() | prose(), languages())
def test_every_term_of_a_document_is_a_reading_of_its_own_word(text: str, language: str) -> None:
    for term, start, end in term_spans(text, language):
        assert any(term in reading for reading in analyze_word(text[start:end], [language]))


@given(malformed_text() | prose(), languages())
def test_what_a_document_says_is_found_by_typing_it(text: str, language: str) -> None:
    for word in text.split():
        known = tuple(terms(word, language))
        assert not known or known in analyze_word(word, ["de", language])
