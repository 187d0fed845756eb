"""Document analyzer: the terms of a document by field, and their codes.

Small batches are analyzed by `byway.core.text` alone. Larger ones go through a chunk cache with
compiled code and give the same results: it is much faster, but takes half a second to load.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, pairwise
from typing import TYPE_CHECKING

import numpy as np

from byway.core.fields import (
    LINE_START_SCAN_CHARS,
    SEARCHED_FIELDS,
    field_codes,
    field_terms,
    field_texts,
    field_texts_without_starts,
)
from byway.core.impacts import LEVEL_LETTERS, impact_levels
from byway.core.model import Document
from byway.core.model.candidates import FIELDS, term_code
from byway.core.operators import field_operators
from byway.core.text import is_indexable_term
from byway.core.text.simhash import duplicate_hash
from byway.index.dictionary.document_words import (
    counted_text,
    document_words,
    is_dictionary_key,
    word_code,
)
from byway.index.forward_index import AnalyzedDocument

if TYPE_CHECKING:
    from byway.index.analysis.chunk_cache import ChunkCache, EncodedDocument
    from byway.index.analysis.document_frequency import DocumentFrequencyCounter

MAX_UNCOMPILED_DOCUMENTS = 300
"""Up to this many documents, loading compiled code takes longer than it saves."""
MAX_UNCOMPILED_CHARS = 1_500_000
"""Up to this many characters, loading compiled code takes longer than it saves."""
MAX_CACHED_WORDS = 1_000_000
"""Maximum number of words with ids in the chunk cache; beyond this, the cache is dropped."""
BATCH_CHARS = 200_000
"""Characters of text analyzed at once."""
PIECE_END, FIELD_END = "\0", "\1"
INDEXED_FIELD_END = "\4"
TITLE_FIELD, BODY_FIELD, LINE_STARTS_FIELD = (
    FIELDS.index(name) for name in ("title", "body", "starts")
)

Anchors = Iterable[tuple[str, int]]


class DocumentAnalyzer:
    """Analyzes documents in batches and counts their dictionary words."""

    def __init__(self, all_numbers: bool, max_uncompiled: int = MAX_UNCOMPILED_DOCUMENTS):
        self._words: Counter[str] = Counter()
        self._all_numbers = all_numbers
        self._uncompiled_left = max_uncompiled
        self._frequencies: DocumentFrequencyCounter | None = None
        self._chunk_cache: ChunkCache | None = None

    def analyze(
        self, documents: Iterable[tuple[Document, Anchors]]
    ) -> Iterator[tuple[Document, AnalyzedDocument]]:
        """Each document with its analysis, which is valid until the next iteration."""
        incoming = iter(documents)
        first = self._take_uncompiled(incoming)
        if self._uncompiled_left > 0:
            self._uncompiled_left -= len(first)
            for document, anchors in first:
                self._words.update(document_words(document))
                yield document, analyze_uncompiled(document, anchors, self._all_numbers)
            return
        batch: list[tuple[Document, Anchors]] = []
        size = 0
        for document, anchors in chain(first, incoming):
            batch.append((document, anchors))
            size += len(document.text)
            if size > BATCH_CHARS:
                yield from self._analyze_compiled(batch)
                batch, size = [], 0
        if batch:
            yield from self._analyze_compiled(batch)

    def _take_uncompiled(
        self, incoming: Iterator[tuple[Document, Anchors]]
    ) -> list[tuple[Document, Anchors]]:
        """Take documents to analyze without compiled code; if there are many, switch to it."""
        documents: list[tuple[Document, Anchors]] = []
        size = 0
        while self._uncompiled_left > 0 and (item := next(incoming, None)) is not None:
            documents.append(item)
            size += len(item[0].text)
            if len(documents) >= self._uncompiled_left or size > MAX_UNCOMPILED_CHARS:
                self._uncompiled_left = 0
        return documents

    def drain_words(self) -> dict[str, int]:
        """The number of documents with each dictionary word, since the last call."""
        words, self._words = self._words, Counter()
        if self._frequencies is not None:
            words.update(self._frequencies.drain())
            if len(self._frequencies) > MAX_CACHED_WORDS:
                self._chunk_cache = self._frequencies = None
        return words

    def _analyze_compiled(
        self, batch: Sequence[tuple[Document, Anchors]]
    ) -> Iterator[tuple[Document, AnalyzedDocument]]:
        tokenized = self._load_chunk_cache().tokenize([_encode(*item) for item in batch])
        fields, names = iter(tokenized.terms.decode().split(INDEXED_FIELD_END)), _indexed_fields()
        start = 0
        for (document, _), ends, distinct, words, hash in zip(
            batch,
            tokenized.field_ends,
            tokenized.distinct_codes,
            tokenized.word_codes,
            tokenized.duplicate_hashes,
            strict=True,
        ):
            terms_by_field = {
                name: terms.split("\n") if (terms := next(fields)) else [] for name in names
            }
            codes = tokenized.codes[start : ends[-1]]
            lengths = [end - begin for begin, end in pairwise((start, *ends))]
            start = ends[-1]
            yield (
                document,
                AnalyzedDocument(
                    terms_by_field=terms_by_field,
                    impacts=next(fields),
                    field_lengths=lengths,
                    codes=codes,
                    distinct_codes=distinct,
                    word_codes=words,
                    duplicate_hash=hash,
                ),
            )

    def _load_chunk_cache(self) -> "ChunkCache":
        # Imported late: searches and small crawls should not wait for the compiler to load.
        from byway.index.analysis.chunk_cache import ChunkCache, FieldLayout
        from byway.index.analysis.document_frequency import DocumentFrequencyCounter

        if self._frequencies is not None and len(self._frequencies) > MAX_CACHED_WORDS:
            self._words = Counter(self.drain_words())
        if self._frequencies is None or self._chunk_cache is None:
            layout = FieldLayout(
                indexed_fields=np.array([name in _indexed_fields() for name in FIELDS]),
                searched_fields=np.array([name in SEARCHED_FIELDS for name in FIELDS]),
                title_field=TITLE_FIELD,
                body_field=BODY_FIELD,
                line_starts_field=LINE_STARTS_FIELD,
            )
            self._frequencies = DocumentFrequencyCounter(is_dictionary_key)
            keep_term = None if self._all_numbers else is_indexable_term
            self._chunk_cache = ChunkCache(layout, self._frequencies, keep_term)
        return self._chunk_cache


def analyze_uncompiled(
    document: Document, anchors: Anchors = (), all_numbers: bool = True
) -> AnalyzedDocument:
    """The analysis of one document without compiled code."""
    fields = field_terms(document, anchors)
    if not all_numbers:
        for name, pieces in fields.items():
            filtered = ([term for term in piece if is_indexable_term(term)] for piece in pieces)
            fields[name] = [piece for piece in filtered if piece]
    codes, lengths = field_codes(fields)
    terms_by_field = {
        name: [" ".join(piece) for piece in fields[name]] for name in _indexed_fields()
    }
    body, title = ([term for piece in fields[name] for term in piece] for name in ("body", "title"))
    levels = impact_levels(codes, lengths)
    searched = dict.fromkeys(
        term for name in SEARCHED_FIELDS for piece in fields[name] for term in piece
    )
    code_by_term = {term: term_code(term) for term in searched}
    return AnalyzedDocument(
        terms_by_field=terms_by_field,
        impacts=" ".join(term + LEVEL_LETTERS[levels[code]] for term, code in code_by_term.items()),
        field_lengths=lengths,
        codes=codes,
        distinct_codes=np.array([*dict.fromkeys(code_by_term.values())], np.uint32),
        word_codes=np.array([word_code(word) for word in document_words(document)], np.uint32),
        duplicate_hash=duplicate_hash(body, title),
    )


def _indexed_fields() -> list[str]:
    """The fields whose terms are indexed: those of all queries and those of operators."""
    in_operators = {name for operator in field_operators() for name in operator.field_parts}
    return [name for name in FIELDS if name in SEARCHED_FIELDS or name in in_operators]


def _encode(document: Document, anchors: Anchors) -> "EncodedDocument":
    """A document in the form the chunk cache expects."""
    from byway.index.analysis.chunk_cache import EncodedDocument

    fields = list(field_texts_without_starts(document, anchors).values())
    joined = FIELD_END.join(map(PIECE_END.join, fields)) + FIELD_END
    breaks = sum(map(len, fields)) - sum(map(bool, fields))
    is_clean = joined.count(FIELD_END) == len(fields) and joined.count(PIECE_END) == breaks
    if not is_clean:
        joined = _join_without_markers(field_texts(document, anchors).values())
    text = joined.encode("utf-8", "replace")
    body = text.rindex(FIELD_END.encode(), 0, -1) + 1
    end = text.find(PIECE_END.encode(), body)
    if len(document.text) > LINE_START_SCAN_CHARS:
        end = body + _byte_count(document.text[:LINE_START_SCAN_CHARS])
    return EncodedDocument(
        text=text,
        language=document.language,
        counted_bytes=body + _byte_count(counted_text(document.text)),
        line_start_bytes=(end if end > 0 else len(text) - 1) - body if is_clean else 0,
    )


def _join_without_markers(fields: Iterable[Sequence[str]]) -> str:
    """The joined texts, with any PIECE_END and FIELD_END in them replaced by spaces."""
    markers = str.maketrans(PIECE_END + FIELD_END, "  ")
    joined = [PIECE_END.join(text.translate(markers) for text in texts) for texts in fields]
    return FIELD_END.join(joined) + FIELD_END


def _byte_count(text: str) -> int:
    return len(text.encode("utf-8", "replace"))
