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

from byway.core.fields import FIELDS, fields_of, texts_but_starts, texts_of
from byway.core.fields import LOOKED_AT as STARTS_IN
from byway.core.model import Document
from byway.core.text import worth_finding
from byway.core.text.simhash import likeness
from byway.index.dictionary.term_dictionary import LOOKED_AT, Vocabulary, counts

if TYPE_CHECKING:
    from byway.index.analysis.chunk_cache import Lexicon, Written
    from byway.index.analysis.document_frequency import Counted

FEW_DOCUMENTS = 300
"""Documents for which loading compiled code would take longer than it saves."""
FEW_CHARACTERS = 1_500_000
"""The same in characters of their texts."""
MOST_WORDS = 1_000_000
"""Words that have numbers in the lexicons; then all are forgotten."""
AT_ONCE = 200_000
"""Characters of texts that are analysed at once."""
PIECE, FIELD = "\0", "\1"
SPELT_MARK = "\4"
SPELT = [name for name, copies in FIELDS.items() if copies]
"""The fields that candidates are picked by."""
TITLE, BODY, STARTS = (list(FIELDS).index(name) for name in ("title", "body", "starts"))
BETWEEN = 0
"""The code that stands between two pieces of a field; it is that of no term."""

Codes = NDArray[np.uint32]
Anchors = Iterable[tuple[str, int]]


@dataclass(frozen=True, slots=True)
class Analysed:
    """The terms of one document."""

    values: Mapping[str, list[str]]
    """Those of each field that candidates are picked by: each piece with spaces between."""
    lengths: list[int]
    """How many codes each field has."""
    codes: Codes
    """Those of all fields in a row."""
    alike: int
    """What it is like; 0 if it says too little."""

    @property
    def words(self) -> int:
        """How many terms its text has."""
        return self.lengths[BODY] - max(0, len(self.values["body"]) - 1)


class Analysis:
    """Analyses documents, some at once, and counts their words in the vocabulary."""

    def __init__(self, vocabulary: Vocabulary, all_numbers: bool, plain: int = FEW_DOCUMENTS):
        self._vocabulary = vocabulary
        self._all_numbers = all_numbers
        self._plain = plain
        self._counted: Counted | None = None
        self._lexicon: Lexicon | None = None

    def of(self, named: Iterable[tuple[Document, Anchors]]) -> Iterator[tuple[Document, Analysed]]:
        """What each document says, and what others call it; good until the next is asked for."""
        arriving = iter(named)
        few = self._few(arriving)
        if self._plain > 0:
            self._plain -= len(few)
            for document, anchors in few:
                self._vocabulary.add(document)
                yield document, plainly(document, anchors, self._all_numbers)
            return
        waiting: list[tuple[Document, Anchors]] = []
        size = 0
        for document, anchors in chain(few, arriving):
            waiting.append((document, anchors))
            size += len(document.text)
            if size > AT_ONCE:
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
            if len(few) >= self._plain or size > FEW_CHARACTERS:
                self._plain = 0
        return few

    def commit(self) -> None:
        """Tell the vocabulary what was counted."""
        if self._counted is not None:
            self._vocabulary.count(self._counted.drained())
            if len(self._counted) > MOST_WORDS:
                self._lexicon = self._counted = None

    def _quickly(
        self, named: Sequence[tuple[Document, Anchors]]
    ) -> Iterator[tuple[Document, Analysed]]:
        lexicon = self._loaded()
        said = lexicon.look_up([_written(*one) for one in named])
        self._vocabulary.documents += len(named)
        spelt = iter(said.spelt.decode().split(SPELT_MARK))
        before = 0
        for (document, _), ends, alike in zip(named, said.ends, said.alike, strict=True):
            values = {name: one.split("\n") if (one := next(spelt)) else [] for name in SPELT}
            codes = said.codes[before : ends[-1]]
            lengths = [end - start for start, end in pairwise((before, *ends))]
            before = ends[-1]
            yield document, Analysed(values, lengths, codes, alike)

    def _loaded(self) -> "Lexicon":
        # Late: a search, or a small crawl, should not wait for a compiler to load.
        from byway.index.analysis.chunk_cache import Lexicon, Shape
        from byway.index.analysis.document_frequency import Counted

        if self._counted is not None and len(self._counted) > MOST_WORDS:
            self.commit()
        if self._counted is None or self._lexicon is None:
            shape = Shape(np.array([name in SPELT for name in FIELDS]), TITLE, BODY, STARTS)
            self._counted = Counted(counts)
            kept = None if self._all_numbers else worth_finding
            self._lexicon = Lexicon(shape, self._counted, kept)
        return self._lexicon


def plainly(document: Document, anchors: Anchors = (), all_numbers: bool = True) -> Analysed:
    """The same, by the rules as they are written."""
    values: dict[str, list[str]] = {}
    codes: list[int] = []
    lengths = []
    flat: dict[str, list[str]] = {}
    for name, pieces in fields_of(document, anchors).items():
        if not all_numbers:
            found = ([term for term in piece if worth_finding(term)] for piece in pieces)
            pieces = [piece for piece in found if piece]
        before = len(codes)
        for piece in pieces:
            codes += [BETWEEN] if len(codes) > before else []
            codes += [crc32(term.encode()) for term in piece]
        lengths.append(len(codes) - before)
        if name in SPELT:
            values[name] = [" ".join(piece) for piece in pieces]
        flat[name] = [term for piece in pieces for term in piece]
    return Analysed(
        values, lengths, np.array(codes, np.uint32), likeness(flat["body"], flat["title"])
    )


def _written(document: Document, anchors: Anchors) -> "Written":
    """A document as the lexicon takes it."""
    from byway.index.analysis.chunk_cache import Written

    fields = list(texts_but_starts(document, anchors).values())
    whole = FIELD.join(map(PIECE.join, fields)) + FIELD
    pieces = sum(map(len, fields)) - sum(map(bool, fields))
    unmarked = whole.count(FIELD) == len(fields) and whole.count(PIECE) == pieces
    if not unmarked:
        whole = _unmarked(texts_of(document, anchors).values())
    text = whole.encode("utf-8", "replace")
    body = text.rindex(FIELD.encode(), 0, -1) + 1
    end = text.find(PIECE.encode(), body)
    if len(document.text) > STARTS_IN:
        end = body + _size(document.text[:STARTS_IN])
    return Written(
        text,
        document.language,
        body + _size(document.text[:LOOKED_AT]),
        (end if end > 0 else len(text) - 1) - body if unmarked else 0,
    )


def _unmarked(fields: Iterable[Sequence[str]]) -> str:
    """All texts with marks behind their pieces, and without such marks within."""
    marks = str.maketrans(PIECE + FIELD, "  ")
    whole = [PIECE.join(text.translate(marks) for text in texts) for texts in fields]
    return FIELD.join(whole) + FIELD


def _size(text: str) -> int:
    return len(text.encode("utf-8", "replace"))
