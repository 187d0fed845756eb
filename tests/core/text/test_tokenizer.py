"""Where does a word begin and end, and how is it spelled?"""

import pytest
from hypothesis import example, given
from strategies import malformed_text, prose

from byway.core.text import MAX_TOKEN_CHARS, fold_text, storable_text, term_spans, terms, tokenize


@pytest.mark.parametrize(
    "spellings",
    [
        ("Zürich", "Zu\u0308rich", "ZÜRICH", "zurich"),
        ("Ёлки", "ёлки", "елки", "е\u0308лки"),
        ("за\u0301мок", "замок", "ЗАМОК"),
        ("soft\u00adhyphen", "softhyphen", "soft\u200bhyphen", "soft\u2060hyphen"),
        ("ﬁne", "fine", "ｆｉｎｅ"),
        ("it’s", "it's", "itʼs"),
        ("Straße", "STRASSE", "strasse"),
        ("İstanbul", "istanbul"),
        ("smørrebrød", "smorrebrod"),
        ("running", "runs", "run"),
        ("туфли", "туфлями"),
        ("Java™", "java"),
        ("كِتَاب", "كتاب", "كـتاب"),
        ("שָׁלוֹם", "שלום"),
        ("Łódź", "lodz"),
        ("IŞIK", "ışık", "isik"),
        ("Ἑλλάς", "ελλασ", "ΕΛΛΆΣ"),
    ],
)
def test_spelling_variants_of_a_word_are_one_term(spellings: tuple[str, ...]) -> None:
    assert {tuple(terms(spelling)) for spelling in spellings} == {tuple(terms(spellings[0]))}
    assert len(terms(spellings[0])) == 1


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("C++ and C#, g++ or F#.", ["c++", "and", "c#", "g++", "or", "f#"]),
        ("Installation# and issue#12", ["installation", "and", "issue", "12"]),
        ("path_hooks __init__", ["path", "hooks", "init"]),
        ("A/B; x86 3.14 node.js", ["a", "b", "x86", "3", "14", "node", "js"]),
        ("e-mail E‑Mail email E-3 the-mail", ["email"] * 3 + ["e", "3", "the", "mail"]),
        ("user@example.org well-known", ["user", "example", "org", "well", "known"]),
        (".NET, ASP.NET .network example.net", [".net", "asp", "net", "network", "example", "net"]),
        ("'quoted' rock'n'roll students'", ["quoted", "rocknroll", "students"]),
        ("it’s she'll we're don't O'Reilly", ["it", "she", "we", "dont", "oreilly"]),
        ("l’avion d'un qu'il dell'arte Jusqu'où", ["avion", "un", "il", "arte", "ou"]),
        ("JavaScript getElementById", ["javascript", "getelementbyid"]),
        ("½ №5 km²", ["1", "2", "5", "km2"]),
        ("й и\u0306 ї", ["й", "й", "ї"]),
        ("日本語 한국어 本", ["日本", "本語", "한국", "국어", "本"]),
        ("iPhone手机2台", ["iphone", "手机", "2", "台"]),
        ("ไทยน้ำ", ["ไท", "ทย", "ยน้", "น้ำ"]),
        ("हिन्दी தமிழ் বাংলা", ["हिन्दी", "தமிழ்", "বাংলা"]),
        ("col·lecció a·b", ["colleccio", "a", "b"]),
        ("٢٠٢٤ २०२४ ２０２４", ["2024"] * 3),
        (" … — ?! () \u0301 \u00ad", []),
    ],
)
def test_text_is_split_into_words(text: str, found: list[str]) -> None:
    assert tokenize(text) == found


def test_long_runs_of_letters_are_cut() -> None:
    (term,) = terms("x" * 100_000)
    assert len(term) == MAX_TOKEN_CHARS
    assert terms("x" * MAX_TOKEN_CHARS) == [term]


@given(malformed_text() | prose())
@example("½")
@example("Java™ ﬁne №5")
@example("'" * 50)
def test_term_spans_match_the_text(text: str) -> None:
    found = list(term_spans(text))
    assert [term for term, _, _ in found] == terms(text)
    for term, start, end in found:
        assert term in terms(text[start:end])
    starts = [start for _, start, _ in found]
    assert starts == sorted(starts)


@given(malformed_text() | prose())
def test_terms_contain_no_spaces(text: str) -> None:
    assert " ".join(tokenize(text)).split() == tokenize(text)
    assert " ".join(terms(text)).split() == terms(text)


def test_long_unspaced_text_becomes_bigrams_with_correct_spans() -> None:
    text = "中文书籍" * 100
    assert len(terms(text)) == len(text) - 1
    assert all(text[start:end] == term for term, start, end in term_spans(text))


@given(prose(), prose())
def test_terms_do_not_depend_on_the_previous_line(one: str, other: str) -> None:
    assert terms(f"{one}\n{other}") == terms(one) + terms(other)


@given(prose() | malformed_text())
@example("þ#")
def test_folding_is_idempotent(text: str) -> None:
    assert tokenize(" ".join(tokenize(text))) == tokenize(text)


@given(prose())
def test_case_and_composition_do_not_matter(text: str) -> None:
    assert tokenize(text.lower()) == tokenize(text)
    assert fold_text(fold_text(text)) == fold_text(text)


@given(malformed_text())
@example("\0a\ud800b\udfff")
def test_storable_text_has_no_nuls_and_no_lone_surrogates(text: str) -> None:
    stored = storable_text(text)
    assert "\0" not in stored
    assert stored.encode().decode() == stored
    assert len(stored) == len(text)


def test_storable_text_is_unchanged() -> None:
    assert storable_text("Zürich, ёж 日本 🌲\n") == "Zürich, ёж 日本 🌲\n"
