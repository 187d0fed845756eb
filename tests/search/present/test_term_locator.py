"""Term locator."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pace import run_within
from strategies import WORDS, malformed_text, prose

from byway.core.languages import word_lists
from byway.core.model import Document, Heading, Url, UrlId
from byway.core.text import LANGUAGES, term_spans, terms
from byway.search.present.snippet import MAX_SCANNED_HEADINGS, find_in_headings
from byway.search.present.term_locator import TermLocator, TermMatches

WORD_LISTS = [word_lists("stop_words"), word_lists("question_words")]
FILLER = "and so it went on for a long while "


def all_places(text: str, wanted: frozenset[str], language: str) -> TermMatches:
    """The same by analysing all of the text."""
    return [one for one in term_spans(text, language) if one[0] in wanted]


def found(text: str, *words: str, language: str = "") -> list[str]:
    wanted = frozenset(term for word in words for term in terms(word, language))
    return [text[start:end] for _, start, end in TermLocator(text, language).find(wanted)]


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
@pytest.mark.parametrize("around", ["", "Ёлки и ёлка " * 50])
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
    assert TermLocator(FILLER, "").find(frozenset()) == []


def test_a_passage_has_the_matches_of_the_words_that_start_in_it() -> None:
    text = "shoe shoes e-mail shoe"
    locator = TermLocator(text, "")
    for start, end in ((0, 22), (0, 4), (1, 6), (5, 19), (11, 30)):
        everywhere = all_places(text, frozenset(["shoe", "email"]), "")
        inside = [one for one in everywhere if start <= one[1] < end]
        assert locator.find(frozenset(["shoe", "email"]), start, end) == inside


WORD_PIECES = (
    *("user", "run", "ning", "mail", "net", "Maß", "straße", "dämon", "daemon", "qu", "s", "d"),
    *("vying", "die", "боец", "паёк", "книга", "الكتاب", "کتاب", "कि", "ताब", "ภาษา", "น้ำ", "ve"),
    *("日本", "語", "한국", "\u1112\u1161", "ｶﾞ", "Ｅｍａｉｌ", "ﬁ", "æ", "Ĳ", "½", "²", "𝐀", "𠀀"),
    *("boten", "ge", "Αϊτή", "Çığ", "İ", "I", "ı", "cx", "e", "E", "c", "C", "Þ", "col", "l", "a"),
    *("42", "2024", "x86", "o", "sch", "ёлка", "za\u0308", "e\u0301", "שלום", "שָׁ", "x" * 61),
)
WORD_SIGNS = ("'", "’", "ʼ", "״", "-", "‑", ".", "+", "++", "#", "·", "_", *"\u00ad\u200c\u0301")
WORD_GAPS = (" ", " ", "\n", ", ", ". ", "''", '"', "—", "…", "/", *"\0\ud800😀。\u00a0")


def composed_text() -> st.SearchStrategy[str]:
    """Words of joined pieces in many scripts, and what stands in and between them."""
    piece = st.sampled_from(WORD_PIECES)
    joint = st.sampled_from(("", "", *WORD_SIGNS))
    gap = st.sampled_from((*WORD_GAPS, *WORD_SIGNS))
    word = st.lists(st.tuples(piece, joint), min_size=1, max_size=4).map(
        lambda pairs: "".join(part for pair in pairs for part in pair)
    )
    return st.lists(st.tuples(word, gap), max_size=12).map(
        lambda pairs: "".join(part for pair in pairs for part in pair)
    )


texts = (
    composed_text()
    | prose()
    | malformed_text()
    | st.lists(st.sampled_from(WORDS), max_size=200).map(" ".join)
)
wanted_words = st.lists(
    composed_text() | st.sampled_from(WORDS) | st.sampled_from(WORD_PIECES), max_size=4
)
languages = st.sampled_from(["", "ru", *LANGUAGES])


@given(texts, wanted_words, languages)
def test_the_matches_equal_those_of_a_full_analysis(
    text: str, words: list[str], language: str
) -> None:
    wanted = frozenset(term for word in words for term in terms(word, language))
    everywhere = all_places(text, wanted, language)
    assert sorted(TermLocator(text, language).find(wanted)) == sorted(set(everywhere))


@given(texts, languages, st.data())
def test_every_term_of_a_text_is_found_in_it(text: str, language: str, data: st.DataObject) -> None:
    filler = FILLER * data.draw(st.sampled_from((0, 10, 60)))
    everywhere = term_spans(f"{text} {filler}", language)
    for term in {term for term, _, _ in everywhere}:
        expected = {one for one in everywhere if one[0] == term}
        assert {*TermLocator(f"{text} {filler}", language).find(frozenset([term]))} == expected


@pytest.mark.parametrize("language", ["", *LANGUAGES])
def test_words_of_word_lists_are_found_by_their_terms(language: str) -> None:
    """Stemmers keep the first letters that the locator relies on."""
    listed = " ".join(words for lists in WORD_LISTS for words in lists.values()).split()
    own = " ".join(lists.get(language, "") for lists in WORD_LISTS).split()
    for word in {*listed[::5], *own}:
        spans = term_spans(word, language)
        found_spans = TermLocator(word, language).find(frozenset(term for term, _, _ in spans))
        assert {*found_spans} == {*spans}


@pytest.mark.alone
@pytest.mark.parametrize("piece", ["a-é{n}", "a'a'{n}"])
def test_headings_are_matched_quickly(piece: str) -> None:
    said = " ".join(piece.format(n=n) for n in range(150))
    headings = tuple(Heading(2, f"{said} {n}") for n in range(MAX_SCANNED_HEADINGS))
    page = Document(Url("http://a.org/"), UrlId(1), "", "", headings=headings)
    run_within(0.5, lambda: find_in_headings(page, frozenset(["a", "ae"])))
