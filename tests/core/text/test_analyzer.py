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
def test_terms_of_each_language_match_the_golden_files(file: Path) -> None:
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
def test_queries_without_accents_match_words_with_accents(language: str) -> None:
    voc = vector_path("text/snowball-data") / SNOWBALL[language] / "voc.txt"
    accented = [word for word in voc.read_text(encoding="utf-8").split() if not word.isascii()][::7]
    found = [word for word in accented if tuple(terms(word, language)) in _typed(word, language)]
    assert len(found) / len(accented) >= 0.96


def _typed(word: str, language: str) -> tuple[tuple[str, ...], ...]:
    return analyze_word(fold_text(word), [language])


def test_german_umlauts_and_their_transcriptions_are_one_term() -> None:
    assert terms("Zürich Zuerich Zurich", "de") == ["zurich"] * 3
    assert ("zurich",) in analyze_word("Zuerich", ["de"])


def test_words_in_another_script_are_stemmed_as_english_or_russian() -> None:
    assert terms("running туфлями", "de") == ["running", "туфл"]
    assert terms("running туфлями", "ru") == ["run", "туфл"]
    assert terms("running туфлями", "uk") == terms("running туфлями")


def test_serbian_is_one_language_in_two_scripts() -> None:
    assert terms("Београд", "sr") == terms("Beograd", "sr")


def test_turkish_has_two_letters_i() -> None:
    assert terms("KAPI", "tr") == terms("kapı", "tr")
    assert terms("İSTANBUL'DA", "tr") == terms("istanbul", "tr")


@given(malformed_text() | prose(), languages())
def test_term_spans_are_correct_in_every_language(text: str, language: str) -> None:
    found = list(term_spans(text, language))
    assert [term for term, _, _ in found] == terms(text, language)
    for term, start, end in found:
        assert term in terms(text[start:end], language)


@given(malformed_text() | prose(), languages())
def test_every_document_term_is_an_analysis_of_its_word(text: str, language: str) -> None:
    for term, start, end in term_spans(text, language):
        assert any(term in reading for reading in analyze_word(text[start:end], [language]))


@given(malformed_text() | prose(), languages())
def test_typed_words_of_a_document_match_its_terms(text: str, language: str) -> None:
    for word in text.split():
        known = tuple(terms(word, language))
        assert not known or known in analyze_word(word, ["de", language])
