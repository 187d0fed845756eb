"""Term locator."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pace import run_within
from strategies import WORDS, malformed_text, prose

from byway.core.model import Document, Heading, Url, UrlId
from byway.core.text import LANGUAGES, term_spans, terms
from byway.search.present.snippet import MAX_SCANNED_HEADINGS, find_in_headings
from byway.search.present.term_locator import DENSE_NON_ASCII_CHARS, TermMatches, find_terms

FILLER = "and so it went on for a long while "


def all_places(text: str, wanted: frozenset[str], language: str) -> TermMatches:
    """The same by analysing all of the text."""
    return [one for one in term_spans(text, language) if one[0] in wanted]


def found(text: str, *words: str, language: str = "") -> list[str]:
    wanted = frozenset(term for word in words for term in terms(word, language))
    return [text[start:end] for _, start, end in find_terms(text, wanted, language)]


@pytest.mark.parametrize(
    ("text", "word", "forms"),
    [
        ("Using it is of no use; users misuse it.", "use", ["Using", "use"]),
        ("He tries, they try, a tribe.", "try", ["tries", "try"]),
        ("He lies, lay, is lying; a lyric", "lie", ["lies", "lying"]),
        ("E-mail, email and E-Mails; e-male", "email", ["E-mail", "email", "E-Mails"]),
        ("The user's guide; users’ guides, a superuser", "user", ["user's", "users"]),
        ("l'avion, L’AVION, un avion.", "avion", ["l'avion", "L’AVION", "avion"]),
        ("O'Reilly, O’Reilly’s, Oreilly", "O'Reilly", ["O'Reilly", "O’Reilly’s", "Oreilly"]),
        (".NET, net and asp.net; dotnet", "net", ["net", "net"]),
        (".NET, net and asp.net; dotnet", ".net", [".NET"]),
        ("C++ is not C, nor c++17 or C+.", "c++", ["C++", "c++"]),
        ("os.path, path_hooks and sys-path; xpath", "path", ["path", "path", "path"]),
        ("a “café” — CAFÉ, cafe, cafés?", "cafe", ["café", "CAFÉ", "cafe", "cafés"]),
        ("col·lecció, paral·lel · parallels", "parallel", ["paral·lel", "parallels"]),
        ("soft\u00adware and so\u00adftware", "software", ["soft\u00adware", "so\u00adftware"]),
        (
            f"an E\u2011mail, an e\u2010mail{' and more' * 20}",
            "email",
            ["E\u2011mail", "e\u2010mail"],
        ),
    ],
)
@pytest.mark.parametrize("around", ["", "Ёлки и ёлка " * DENSE_NON_ASCII_CHARS])
def test_words_are_found_in_all_their_forms(
    text: str, word: str, forms: list[str], around: str
) -> None:
    assert found(f"{around}{text}", word) == forms


def test_words_are_found_in_languages_whose_stemmers_strip_prefixes() -> None:
    text = f"{FILLER} Layanan masih perlu dikonfigurasi: konfigurasi dasar."
    assert found(text, "konfigurasi", language="id") == ["dikonfigurasi", "konfigurasi"]


def test_german_umlauts_are_found_in_every_spelling() -> None:
    text = f"{FILLER} Der Daemon, die Dämonen und das Guessing"
    assert found(text, "Dämon", language="de") == ["Daemon", "Dämonen"]


def test_a_hyphen_behind_an_e_is_found_in_german_too() -> None:
    assert found("Die E-Mail, eine Email", "email", language="de") == ["E-Mail", "Email"]


@pytest.mark.parametrize(
    ("language", "word", "forms"),
    [
        ("nl", "boot", ["boten"]),
        ("id", "siap", ["penyiapan", "Menyiapkan"]),
        ("sr", "књига", ["књиге"]),
        ("ga", "tír", ["thír"]),
    ],
)
def test_words_are_found_whose_stems_begin_with_other_letters(
    language: str, word: str, forms: list[str]
) -> None:
    text = f"{FILLER} {' '.join(forms)} {FILLER}"
    assert found(text, word, language=language) == forms


def test_no_wanted_terms_have_no_matches() -> None:
    assert find_terms(FILLER, frozenset(), "") == []


texts = prose() | malformed_text() | st.lists(st.sampled_from(WORDS), max_size=200).map(" ".join)
languages = st.sampled_from(["", "ru", *LANGUAGES])


@given(texts, st.lists(st.sampled_from(WORDS), max_size=5), languages)
def test_the_matches_equal_those_of_a_full_analysis(
    text: str, words: list[str], language: str
) -> None:
    wanted = frozenset(term for word in words for term in terms(word, language))
    everywhere = all_places(text, wanted, language)
    assert sorted(find_terms(text, wanted, language)) == sorted(set(everywhere))


@pytest.mark.alone
@pytest.mark.parametrize("piece", ["a-é{n}", "a'a'{n}"])
def test_headings_are_matched_quickly(piece: str) -> None:
    said = " ".join(piece.format(n=n) for n in range(150))
    headings = tuple(Heading(2, f"{said} {n}") for n in range(MAX_SCANNED_HEADINGS))
    page = Document(Url("http://a.org/"), UrlId(1), "", "", headings=headings)
    run_within(0.5, lambda: find_in_headings(page, frozenset(["a", "ae"])))
