"""Compiled code analyzes a document exactly as the plain analyzer does."""

import tracemalloc

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from strategies import mixed_scripts

from byway.core.fields import SEARCHED_FIELDS
from byway.core.model import Document, Heading, UrlId
from byway.core.text import LANGUAGES
from byway.core.url import normalize
from byway.index.analysis.document_analyzer import DocumentAnalyzer, analyze_uncompiled
from byway.index.dictionary.document_words import document_words
from byway.index.forward_index import AnalyzedDocument

URL = normalize("http://a.org/")

written = mixed_scripts()
documents = st.builds(
    Document,
    url=st.just(normalize("http://a.org/running/E-mail_notes.html")),
    id=st.just(UrlId(1)),
    title=written,
    text=written,
    description=written,
    language=st.sampled_from(("", "en", "xx", *LANGUAGES)),
    headings=st.lists(st.builds(Heading, st.integers(1, 6), written), max_size=4).map(tuple),
    attributes=st.fixed_dictionaries({"tables": st.lists(written, max_size=2)}),
    emphasis=st.lists(written, max_size=3).map(tuple),
)


def same(one: AnalyzedDocument, other: AnalyzedDocument) -> bool:
    """Are two analyses equal in terms, codes and hashes?"""
    values = [
        [[piece.split() for piece in analyzed.terms_by_field[name]] for name in SEARCHED_FIELDS]
        for analyzed in (one, other)
    ]
    return (
        values[0] == values[1]
        and one.field_lengths == other.field_lengths
        and one.codes.tolist() == other.codes.tolist()
        and sorted(one.impacts.split()) == sorted(other.impacts.split())
        and sorted(one.word_codes.tolist()) == sorted(other.word_codes.tolist())
        and sorted(one.distinct_codes.tolist()) == sorted(other.distinct_codes.tolist())
        and one.duplicate_hash == other.duplicate_hash
    )


@given(st.lists(documents, min_size=1, max_size=3), st.booleans())
@settings(deadline=None, max_examples=200, suppress_health_check=[HealthCheck.too_slow])
@example([Document(normalize("http://a.org/"), UrlId(1), text="word " * 60)], True)
@example(2 * [Document(normalize("http://a.org/"), UrlId(1), "Home", text="welcome " * 9)], True)
def test_compiled_and_plain_analysis_agree(some: list[Document], numbers: bool) -> None:
    compiled = DocumentAnalyzer(numbers, max_uncompiled=0)
    with_anchors = [(document, [(document.title, 9)]) for document in some]
    for (document, anchors), (found, analyzed) in zip(
        with_anchors, compiled.analyze(with_anchors), strict=True
    ):
        assert found is document
        assert same(analyze_uncompiled(document, anchors, numbers), analyzed)


def test_compiled_and_plain_analysis_agree_on_every_separator() -> None:
    around = "ab{0}cd 'e{0}mail c{0}# .{0}net l{0}l {0}x e-{0}y a'{0}b"
    characters = [
        chr(code) for code in (*range(0x3100), *range(0xD7A0, 0xD900), *range(0xFE00, 0x10400))
    ]
    some = [
        Document(URL, UrlId(1), text="\n".join(map(around.format, characters[n : n + 500])))
        for n in range(0, len(characters), 500)
    ]
    compiled = DocumentAnalyzer(True, max_uncompiled=0)
    for document, analyzed in compiled.analyze((document, ()) for document in some):
        assert same(analyze_uncompiled(document), analyzed)


def test_compiled_and_plain_analysis_agree_on_line_starts() -> None:
    words = ("x" * 99, "x" * 100, "é" * 100, "é" * 101, "x" * 250, "a.b-c", "", "日" * 100)
    lines = [
        f"{before}{one}{between}{two} three"
        for one in words
        for two in words
        for before in ("", " ", "\u3000")
        for between in (" ", "\u00a0\t", "\n")
    ]
    texts = ["\n".join(lines), "\n".join(lines[::-1]), "word here\n" * 3000, "ab é\n" * 110_000]
    some = [Document(URL, UrlId(1), text=text, attributes={"tables": ["a b c"]}) for text in texts]
    compiled = DocumentAnalyzer(True, max_uncompiled=0)
    for document, analyzed in compiled.analyze((document, ()) for document in some):
        assert same(analyze_uncompiled(document), analyzed)


def test_few_and_many_documents_are_analyzed_alike_and_in_order() -> None:
    some = [Document(URL, UrlId(n), f"Page {n}", text="running words\n" * n) for n in range(9)]
    with_anchors = [(document, ()) for document in some]
    few = list(DocumentAnalyzer(True, max_uncompiled=10).analyze(with_anchors))
    for limit in (9, 3, 0):
        many = DocumentAnalyzer(True, max_uncompiled=limit)
        found = [
            (one, analyzed)
            for part in (with_anchors[:2], with_anchors[2:])
            for one, analyzed in many.analyze(part)
        ]
        assert [one.id for one, _ in found] == list(range(9))
        assert [analyzed.field_lengths for _, analyzed in found] == [
            analyzed.field_lengths for _, analyzed in few
        ]


def test_a_word_is_counted_once_a_document_in_a_batch() -> None:
    compiled = DocumentAnalyzer(True, max_uncompiled=0)
    url = normalize("http://a.org/")
    some = [Document(url, UrlId(n), "Common", text=f"common {n} " * 900) for n in range(40)]
    list(compiled.analyze((document, []) for document in some))
    assert compiled.drain_words()["common"] == 40
    assert compiled.drain_words() == {}


@pytest.mark.parametrize("gap", [" ", "\n", "/", "", "\u2028", "-"])
@pytest.mark.parametrize("length", [3990, 3995, 3999, 4000, 4001, 4005])
def test_both_analyses_count_words_up_to_the_same_one(gap: str, length: int) -> None:
    words = gap.join(["alphabet", "betablocker", "gammaray", "delta"])
    document = Document(URL, UrlId(1), "Title", text="x " * (length // 2 - 8) + words + gap + words)
    compiled = DocumentAnalyzer(True, max_uncompiled=0)
    ((_, analyzed),) = compiled.analyze([(document, [])])
    assert compiled.drain_words().keys() == document_words(document)
    assert same(analyze_uncompiled(document), analyzed)


def test_texts_without_spaces_do_not_fill_the_chunk_cache() -> None:
    compiled = DocumentAnalyzer(True, max_uncompiled=0)
    url = normalize("http://a.org/")
    first = Document(url, UrlId(1), text="compiled before it is measured", language="de")
    list(compiled.analyze([(first, [])]))
    tracemalloc.start()
    try:
        for n in range(60):
            long = Document(url, UrlId(1), text=f"{n}" + "x" * 1_000_000, language="de")
            list(compiled.analyze([(long, [])]))
        assert tracemalloc.get_traced_memory()[0] < 40_000_000
    finally:
        tracemalloc.stop()


def test_buffers_shrink_after_a_long_text() -> None:
    compiled = DocumentAnalyzer(True, max_uncompiled=0)
    short = Document(URL, UrlId(1), text="running words " * 1000)

    def analyze(document: Document) -> AnalyzedDocument:
        ((_, analyzed),) = compiled.analyze([(document, ())])
        return analyzed

    analyze(short)
    tracemalloc.start()
    try:
        analyze(Document(URL, UrlId(2), text="a b c d " * 500_000))
        left, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert left < 8_000_000
    assert same(analyze_uncompiled(short), analyze(short))
