"""What does a document say, as the index takes it? Its terms by field, spelt and as codes.

A few documents are analysed by `byway.core.text` alone. Whoever adds more gets a lexicon, which
says the same: it is much faster, but takes half a second to load.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import TYPE_CHECKING
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from byway.core.fields import FIELDS, field_terms, field_texts, field_texts_without_starts
from byway.core.fields import LINE_START_SCAN_CHARS as STARTS_IN
from byway.core.model import Document
from byway.core.text import is_indexable_term
from byway.core.text.simhash import duplicate_hash
from byway.index.dictionary.term_dictionary import (
    COUNTED_TEXT_CHARS,
    TermDictionary,
    is_dictionary_key,
)

if TYPE_CHECKING:
    from byway.index.analysis.chunk_cache import ChunkCache, EncodedDocument
    from byway.index.analysis.document_frequency import DocumentFrequencyCounter

MAX_UNCOMPILED_DOCUMENTS = 300
"""Documents for which loading compiled code would take longer than it saves."""
MAX_UNCOMPILED_CHARS = 1_500_000
"""The same in characters of their texts."""
MAX_CACHED_WORDS = 1_000_000
"""Words that have numbers in the lexicons; then all are forgotten."""
BATCH_CHARS = 200_000
"""Characters of texts that are analysed at once."""
PIECE_END, FIELD_END = "\0", "\1"
INDEXED_FIELD_END = "\4"
INDEXED_FIELDS = [name for name, copies in FIELDS.items() if copies]
"""The fields that candidates are picked by."""
TITLE_FIELD, BODY_FIELD, LINE_STARTS_FIELD = (
    list(FIELDS).index(name) for name in ("title", "body", "starts")
)
PIECE_BREAK_CODE = 0
"""The code that stands between two pieces of a field; it is that of no term."""

Codes = NDArray[np.uint32]
Anchors = Iterable[tuple[str, int]]


@dataclass(frozen=True, slots=True)
class AnalyzedDocument:
    """The terms of one document."""

    terms_by_field: Mapping[str, list[str]]
    """Those of each field that candidates are picked by: each piece with spaces between."""
    field_lengths: list[int]
    """How many codes each field has."""
    codes: Codes
    """Those of all fields in a row."""
    duplicate_hash: int
    """What it is like; 0 if it says too little."""

    @property
    def word_count(self) -> int:
        """How many terms its text has."""
        return self.field_lengths[BODY_FIELD] - max(0, len(self.terms_by_field["body"]) - 1)


class DocumentAnalyzer:
    """Analyses documents, some at once, and counts their words in the vocabulary."""

    def __init__(
        self,
        dictionary: TermDictionary,
        all_numbers: bool,
        max_uncompiled: int = MAX_UNCOMPILED_DOCUMENTS,
    ):
        self._vocabulary = dictionary
        self._all_numbers = all_numbers
        self._plain = max_uncompiled
        self._counted: DocumentFrequencyCounter | None = None
        self._lexicon: ChunkCache | None = None

    def analyze(
        self, documents: Iterable[tuple[Document, Anchors]]
    ) -> Iterator[tuple[Document, AnalyzedDocument]]:
        """What each document says, and what others call it; good until the next is asked for."""
        arriving = iter(documents)
        few = self._few(arriving)
        if self._plain > 0:
            self._plain -= len(few)
            for document, anchors in few:
                self._vocabulary.add(document)
                yield document, analyze_uncompiled(document, anchors, self._all_numbers)
            return
        waiting: list[tuple[Document, Anchors]] = []
        size = 0
        for document, anchors in chain(few, arriving):
            waiting.append((document, anchors))
            size += len(document.text)
            if size > BATCH_CHARS:
                yield from self._quickly(waiting)
                waiting, size = [], 0
        if waiting:
            yield from self._quickly(waiting)

    def _few(self, arriving: Iterator[tuple[Document, Anchors]]) -> list[tuple[Document, Anchors]]:
        """All that arrive, if they are few; if not, none is to be analysed plainly any more."""
        few: list[tuple[Document, Anchors]] = []
        size = 0
        while self._plain > 0 and (one := next(arriving, None)) is not None:
            few.append(one)
            size += len(one[0].text)
            if len(few) >= self._plain or size > MAX_UNCOMPILED_CHARS:
                self._plain = 0
        return few

    def commit(self) -> None:
        """Tell the vocabulary what was counted."""
        if self._counted is not None:
            self._vocabulary.add_frequencies(self._counted.drain())
            if len(self._counted) > MAX_CACHED_WORDS:
                self._lexicon = self._counted = None

    def _quickly(
        self, named: Sequence[tuple[Document, Anchors]]
    ) -> Iterator[tuple[Document, AnalyzedDocument]]:
        lexicon = self._loaded()
        said = lexicon.tokenize([_written(*one) for one in named])
        self._vocabulary.document_count += len(named)
        spelt = iter(said.terms.decode().split(INDEXED_FIELD_END))
        before = 0
        for (document, _), ends, alike in zip(
            named, said.field_ends, said.duplicate_hashes, strict=True
        ):
            values = {
                name: one.split("\n") if (one := next(spelt)) else [] for name in INDEXED_FIELDS
            }
            codes = said.codes[before : ends[-1]]
            lengths = [end - start for start, end in pairwise((before, *ends))]
            before = ends[-1]
            yield document, AnalyzedDocument(values, lengths, codes, alike)

    def _loaded(self) -> "ChunkCache":
        # Late: a search, or a small crawl, should not wait for a compiler to load.
        from byway.index.analysis.chunk_cache import ChunkCache, FieldLayout
        from byway.index.analysis.document_frequency import DocumentFrequencyCounter

        if self._counted is not None and len(self._counted) > MAX_CACHED_WORDS:
            self.commit()
        if self._counted is None or self._lexicon is None:
            shape = FieldLayout(
                np.array([name in INDEXED_FIELDS for name in FIELDS]),
                TITLE_FIELD,
                BODY_FIELD,
                LINE_STARTS_FIELD,
            )
            self._counted = DocumentFrequencyCounter(is_dictionary_key)
            kept = None if self._all_numbers else is_indexable_term
            self._lexicon = ChunkCache(shape, self._counted, kept)
        return self._lexicon


def analyze_uncompiled(
    document: Document, anchors: Anchors = (), all_numbers: bool = True
) -> AnalyzedDocument:
    """The same, by the rules as they are written."""
    values: dict[str, list[str]] = {}
    codes: list[int] = []
    lengths = []
    flat: dict[str, list[str]] = {}
    for name, pieces in field_terms(document, anchors).items():
        if not all_numbers:
            found = ([term for term in piece if is_indexable_term(term)] for piece in pieces)
            pieces = [piece for piece in found if piece]
        before = len(codes)
        for piece in pieces:
            codes += [PIECE_BREAK_CODE] if len(codes) > before else []
            codes += [crc32(term.encode()) for term in piece]
        lengths.append(len(codes) - before)
        if name in INDEXED_FIELDS:
            values[name] = [" ".join(piece) for piece in pieces]
        flat[name] = [term for piece in pieces for term in piece]
    return AnalyzedDocument(
        values, lengths, np.array(codes, np.uint32), duplicate_hash(flat["body"], flat["title"])
    )


def _written(document: Document, anchors: Anchors) -> "EncodedDocument":
    """A document as the lexicon takes it."""
    from byway.index.analysis.chunk_cache import EncodedDocument

    fields = list(field_texts_without_starts(document, anchors).values())
    whole = FIELD_END.join(map(PIECE_END.join, fields)) + FIELD_END
    pieces = sum(map(len, fields)) - sum(map(bool, fields))
    unmarked = whole.count(FIELD_END) == len(fields) and whole.count(PIECE_END) == pieces
    if not unmarked:
        whole = _unmarked(field_texts(document, anchors).values())
    text = whole.encode("utf-8", "replace")
    body = text.rindex(FIELD_END.encode(), 0, -1) + 1
    end = text.find(PIECE_END.encode(), body)
    if len(document.text) > STARTS_IN:
        end = body + _size(document.text[:STARTS_IN])
    return EncodedDocument(
        text,
        document.language,
        body + _size(document.text[:COUNTED_TEXT_CHARS]),
        (end if end > 0 else len(text) - 1) - body if unmarked else 0,
    )


def _unmarked(fields: Iterable[Sequence[str]]) -> str:
    """All texts with marks behind their pieces, and without such marks within."""
    marks = str.maketrans(PIECE_END + FIELD_END, "  ")
    whole = [PIECE_END.join(text.translate(marks) for text in texts) for texts in fields]
    return FIELD_END.join(whole) + FIELD_END


def _size(text: str) -> int:
    return len(text.encode("utf-8", "replace"))
