"""The plain and the compiled tokenizer are built from one table and give the same terms."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from strategies import malformed_text, mixed_scripts, prose

from byway.core.text import LANGUAGES, TURKISH, analysis_digest, storable_text, term_spans
from byway.index.analysis.compiled_tokenizer import (
    CONTEXT_TABLE,
    FIELD_END,
    FOLD_TABLE,
    PADDING_BYTES,
    TEXT_START,
    TURKISH_FOLD_TABLE,
    UNFOLD_TABLE,
    find_chunks,
)

NO_LINE_STARTS = 9


def chunk_spans(text: str, language: str) -> list[tuple[int, int]]:
    """The chunks of a text as the compiled tokenizer splits it, in bytes."""
    encoded = (text + "\1").encode()
    end = TEXT_START + len(encoded)
    table = TURKISH_FOLD_TABLE if language == TURKISH else FOLD_TABLE
    folded = CONTEXT_TABLE + encoded.translate(table) + bytes(PADDING_BYTES + -end % 8)
    spans, zeros = np.zeros((end, 2), np.int32), np.zeros(1, np.int64)
    count = find_chunks(
        np.frombuffer(folded, np.uint8),
        np.frombuffer(folded, np.uint64),
        end,
        1,
        NO_LINE_STARTS,
        zeros,
        zeros,
        spans,
        zeros,
    )
    assert spans[count - 1].tolist() == [0, -FIELD_END]
    return [(start - TEXT_START, stop - TEXT_START) for start, stop in spans[: count - 1].tolist()]


@given(mixed_scripts() | prose() | malformed_text(), st.sampled_from(("", "en", *LANGUAGES)))
@example("'é# 'c# 'e-mail l'e-mail ''c# c#' \u200be-mail", "")
@example("из-за é-mail .NET ..net x.net c++'s +'e-mail C+++ D++#", "tr")
@example("日本語、東京。ไทย ab日本cd 한국어 हिन्दी كتاب", "")
def test_chunks_have_the_terms_of_the_whole_text_at_the_same_offsets(
    text: str, language: str
) -> None:
    text = storable_text(text).translate({0: " ", 1: " "})
    encoded = text.encode()
    found = []
    for start, end in chunk_spans(text, language):
        chunk = encoded[start:end].decode()
        offset = len(encoded[:start].decode())
        spans = term_spans(chunk, language)
        found += [(term, offset + first, offset + last) for term, first, last in spans]
    assert found == term_spans(text, language)


def test_folded_bytes_of_words_are_restored() -> None:
    word = "Don't-C#.net+ÂäÊâ".encode()
    assert word.translate(TURKISH_FOLD_TABLE).translate(UNFOLD_TABLE) == word


CHANGED_TABLE_SCRIPT = """
import importlib.util, pathlib, sys
spec = importlib.util.find_spec("byway")
path = pathlib.Path(spec.origin).parent / "core/text/characters.py"
name = "byway.core.text.characters"
spec = importlib.util.spec_from_file_location(name, path)
characters = sys.modules[name] = importlib.util.module_from_spec(spec)
spec.loader.exec_module(characters)
{change}
from byway.core.model import Document, UrlId
from byway.core.text import terms
from byway.core.text import analysis_digest
from byway.core.url import normalize
from byway.index.analysis.document_analyzer import DocumentAnalyzer
document = Document(normalize("http://a.org/"), UrlId(1), text={text!r})
compiled = DocumentAnalyzer(True, max_uncompiled=0)
((_, analyzed),) = compiled.analyze([(document, ())])
print(analysis_digest(), *terms(document.text), "|", *analyzed.terms_by_field["body"])
"""


@pytest.mark.parametrize(
    ("change", "text", "terms"),
    [
        (
            "",
            "rock~roll rock‧roll don`t a.net .org x-ray f!",
            "rock roll rock roll don t a net org x ray f",
        ),
        (
            'characters.JOINERS += (characters.Joiner("~‧"),)',
            "rock~roll rock‧roll ~x ~c# x~",
            "rockrol rockrol x c x",
        ),
        (
            'characters.JOINERS += (characters.Joiner("`", before="[n]", after="t"),)',
            "don`t `t a`b n`x",
            "dont t a b n x",
        ),
        (
            'characters.PREFIXED_WORDS["."] = ("net", "org")',
            ".org .ORG .net a.org",
            ".org .org .net a org",
        ),
        ('characters.SUFFIXES += ("!",)', "yahoo! (c!) !x", "yahoo! c! x"),
        ("characters.MAX_TOKEN_CHARS = 3", "abcdefg", "abc"),
    ],
)
def test_a_change_to_the_table_changes_both_tokenizers(change: str, text: str, terms: str) -> None:
    script = CHANGED_TABLE_SCRIPT.format(change=change, text=text)
    ran = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60
    )
    digest, _, printed = ran.stdout.strip().partition(" ")
    plain, compiled = printed.split("|")
    assert (plain.split(), compiled.split()) == (terms.split(), terms.split())
    assert (int(digest) != analysis_digest()) == bool(change)
