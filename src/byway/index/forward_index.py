"""Forward index: each document's terms in order, and the document frequencies counted from them.

tantivy-py exposes no positions, and its document frequencies count deleted documents.

    forward.terms     for each document: the length of each field, the number of dictionary words
                      and of further terms, then the uint32 codes of all three; further terms are
                      those of long documents whose positions are not kept
    forward.offsets   for each URL id: the start and the length of its document in forward.terms
    frequencies-N.npy sorted term codes, and the number of live documents that have each

Readers map both files into memory. The row of a document is written once its terms are on disk.
Until then, searches see the previous version, and a crash only leaves some terms behind that no
row points to. A commit adds its changes of frequencies to a small file; when that has grown, both
become a new large one. The commit marker names the two files of a commit.
"""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from struct import pack, unpack
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from byway.core.errors import DataError
from byway.core.fields import SEARCHED_FIELDS
from byway.core.files import atomic_write
from byway.core.messages import Damage
from byway.core.model import UrlId
from byway.core.model.candidates import FIELDS, PIECE_BREAK_CODE, Codes, Ids, Lengths

TERMS_FILE, OFFSETS_FILE = "forward.terms", "forward.offsets"
ROW_DTYPE = np.dtype([("start", "<i8"), ("length", "<i8")])
MAX_BODY_TERMS = 32_768
"""Maximum number of body terms kept: later ones rarely matter for ranking."""
MAX_FIELD_TERMS = 4096
"""Maximum number of terms kept per field, except for the body."""
WRITE_BUFFER_BYTES = 1 << 18
BYTES_PER_TERM = 4

MAX_TERMS_BY_FIELD = np.array(
    [MAX_BODY_TERMS if name == "body" else MAX_FIELD_TERMS for name in FIELDS]
)
HEADER_TERMS = len(FIELDS) + 2
"""Numbers before the codes of a document: the lengths of its fields, words and further terms."""
HEADER_FORMAT = f"<{HEADER_TERMS}I"
FILE_PATTERN = "frequencies-*.npy"
MAX_CHANGES_SHARE = 0.2
"""The changes are merged into the large file when they have more than this share of its codes."""
MIN_MERGE_CODES = 50_000
"""Fewer changed codes are never a reason to write the large file."""
CODE_ROW, COUNT_ROW = 0, 1
NO_CODES: Codes = np.zeros(0, np.uint32)
NO_ROW = 0, 0
"""The row of a document that is not live."""
SEARCHED_FIELD_MASK = np.array([name in SEARCHED_FIELDS for name in FIELDS])


@dataclass(frozen=True, slots=True)
class AnalyzedDocument:
    """The terms of one document."""

    terms_by_field: Mapping[str, list[str]]
    """For each indexed field: its pieces as space-separated terms."""
    impacts: str
    """The distinct terms of the searched fields, each with the letter of its impact level."""
    field_lengths: list[int]
    """The number of codes in each field."""
    codes: Codes
    """The codes of all fields, concatenated."""
    distinct_codes: Codes
    """The distinct codes of the searched fields."""
    word_codes: Codes
    """The codes of the distinct words that the dictionary counts."""
    duplicate_hash: int
    """The SimHash of the body; 0 if it is too short."""

    @property
    def word_count(self) -> int:
        """The number of terms in the body."""
        return self.field_lengths[FIELDS.index("body")] - max(
            0, len(self.terms_by_field["body"]) - 1
        )


def distinct_searched_codes(codes: Codes, lengths: Sequence[int]) -> Codes:
    """The distinct codes of the searched fields of a document."""
    searched = codes[np.repeat(SEARCHED_FIELD_MASK, lengths)]
    return np.unique(searched[searched != PIECE_BREAK_CODE])


class ForwardReader:
    """Looks up the terms of documents by URL id."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._terms: Codes = np.zeros(0, np.uint32)
        self._offsets: NDArray[np.void] = np.zeros(0, ROW_DTYPE)

    def refresh(self) -> None:
        """Map the files again if they have grown."""
        terms, offsets = self._folder / TERMS_FILE, self._folder / OFFSETS_FILE
        with suppress(FileNotFoundError):  # not written yet, or its generation was deleted
            rows, codes = offsets.stat().st_size // ROW_DTYPE.itemsize, terms.stat().st_size // 4
            if not codes or not rows:  # an empty file cannot be mapped
                return
            # Plain arrays over the map: slicing a memmap is ten times slower.
            if rows != len(self._offsets):
                self._offsets = np.asarray(np.memmap(offsets, ROW_DTYPE, "r", shape=(rows,)))
            if codes != len(self._terms):
                self._terms = np.asarray(np.memmap(terms, np.uint32, "r", shape=(codes,)))

    def live_ids(self) -> Ids:
        """The ids of the live documents."""
        return np.flatnonzero(self._offsets["length"])

    def distinct_codes(self, id: int) -> Codes:
        """The distinct codes of the searched fields of a live document."""
        start, length = self._offsets[id].tolist()
        return _stored_terms(self._terms[start : start + length])

    def word_codes(self, id: int) -> Codes:
        """The codes of the dictionary words of a live document."""
        start, length = self._offsets[id].tolist()
        return _stored_words(self._terms[start : start + length])

    def read(self, ids: Ids) -> tuple[Codes, Lengths]:
        """The concatenated codes of these documents, and the length of each of their fields."""
        in_range = ids < len(self._offsets)
        rows = np.zeros(len(ids), ROW_DTYPE)
        rows[in_range] = self._offsets[ids[in_range]]
        starts, ends = rows["start"], rows["start"] + rows["length"]
        # A row that points beyond a truncated file counts as missing.
        valid = (rows["length"] >= HEADER_TERMS) & (ends <= len(self._terms)) & (starts >= 0)
        starts, ends = starts[valid] + HEADER_TERMS, ends[valid]
        ends -= self._terms[starts - 1].astype(np.int64) + self._terms[starts - 2]
        lengths = np.zeros((len(ids), len(FIELDS)), np.int32)
        lengths[valid] = self._terms[starts[:, None] - np.arange(HEADER_TERMS, 2, -1)]
        spans = zip(starts.tolist(), ends.tolist(), strict=True)
        pieces = [self._terms[start:end] for start, end in spans]
        if lengths.sum(dtype=np.int64) != sum(map(len, pieces)) or lengths.min(initial=0) < 0:
            damage = Damage("bad_lengths")
            raise DataError("index.damaged_file", path=self._folder / TERMS_FILE, damage=damage)
        return np.concatenate(pieces) if pieces else np.zeros(0, np.uint32), lengths


class ForwardWriter:
    """Appends documents; `sync_terms` makes them durable, `apply` visible."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._terms = (folder / TERMS_FILE).open("ab", buffering=WRITE_BUFFER_BYTES)
        self._end = self._terms.tell()
        padding = bytes(-self._end % BYTES_PER_TERM)  # a crash may have truncated a term
        self._end += self._terms.write(padding)
        self._offsets = os.open(folder / OFFSETS_FILE, os.O_RDWR | os.O_CREAT, 0o644)
        self._rows: dict[UrlId, tuple[int, int]] = {}

    def add(self, id: UrlId, analyzed: AnalyzedDocument) -> None:
        """Append the terms of one document."""
        lengths, codes, further = analyzed.field_lengths, analyzed.codes, NO_CODES
        if max(lengths) > MAX_FIELD_TERMS:
            starts = np.cumsum([0, *lengths])
            lengths = np.minimum(lengths, MAX_TERMS_BY_FIELD).tolist()
            codes = np.concatenate(
                [codes[start : start + n] for start, n in zip(starts, lengths, strict=False)]
            )
            kept = distinct_searched_codes(codes, lengths)
            further = np.setdiff1d(analyzed.distinct_codes, kept)
        start = self._end
        words = analyzed.word_codes
        self._end += self._terms.write(pack(HEADER_FORMAT, *lengths, len(words), len(further)))
        for part in (codes, words, further):
            self._end += self._terms.write(part.data)
        self._rows[id] = start // BYTES_PER_TERM, (self._end - start) // BYTES_PER_TERM

    def stored_codes(self, id: UrlId) -> tuple[Codes, Codes]:
        """The distinct codes of a live document's searched fields, and the codes of its words.

        Both are empty for a document that is not live.
        """
        start, length = self._row(id)
        if not length:
            return NO_CODES, NO_CODES
        if id in self._rows:
            self._terms.flush()
        with (self._folder / TERMS_FILE).open("rb") as terms:
            content = os.pread(terms.fileno(), length * BYTES_PER_TERM, start * BYTES_PER_TERM)
        stored = np.frombuffer(content, np.uint32)
        return _stored_terms(stored), _stored_words(stored)

    def remove(self, id: UrlId) -> None:
        """Remove a document; `apply` overwrites its terms."""
        self._rows[id] = NO_ROW

    def has(self, id: UrlId) -> bool:
        """Whether a document with this id is live."""
        return bool(self._row(id)[1])

    def _row(self, id: UrlId) -> tuple[int, int]:
        """The start and the length of a document; 0 if it is not live."""
        if id in self._rows:
            return self._rows[id]
        row = os.pread(self._offsets, ROW_DTYPE.itemsize, id * ROW_DTYPE.itemsize)
        return unpack("<qq", row) if len(row) == ROW_DTYPE.itemsize else NO_ROW

    def sync_terms(self) -> dict[UrlId, tuple[int, int]]:
        """Make the terms durable; return the rows that `apply` makes visible."""
        self._terms.flush()
        os.fsync(self._terms.fileno())
        return self._rows

    def apply(self, rows: Mapping[UrlId, tuple[int, int]]) -> None:
        """Make documents visible and remove others, durably; may be repeated after a crash."""
        self._erase(id for id, row in rows.items() if row == NO_ROW)
        packed = {id: pack("<qq", *row) for id, row in rows.items()}
        for id, adjacent in _adjacent_rows(packed):
            os.pwrite(self._offsets, adjacent, id * ROW_DTYPE.itemsize)
        self._rows = {}
        os.fsync(self._offsets)

    def _erase(self, ids: Iterable[UrlId]) -> None:
        """Overwrite the terms of removed documents with zeros; return once that is durable.

        A search that still has a removed document as a candidate finds no words in it.
        """
        rows = (os.pread(self._offsets, ROW_DTYPE.itemsize, id * ROW_DTYPE.itemsize) for id in ids)
        spans = [unpack("<qq", row) for row in rows if len(row) == ROW_DTYPE.itemsize]
        if not spans:
            return
        with (self._folder / TERMS_FILE).open("r+b") as terms:  # since self._terms is append-only
            for start, length in spans:
                if HEADER_TERMS < length <= self._end // BYTES_PER_TERM - start:
                    terms.seek((start + HEADER_TERMS) * BYTES_PER_TERM)
                    terms.write(bytes((length - HEADER_TERMS) * BYTES_PER_TERM))
            terms.flush()
            os.fsync(terms.fileno())

    def close(self) -> None:
        """Close the files; unsynced additions are dropped."""
        self._terms.close()
        os.close(self._offsets)


def _stored_terms(stored: Codes) -> Codes:
    """The distinct codes of a stored document's searched fields."""
    *lengths, words, further = stored[:HEADER_TERMS].tolist()
    end = len(stored) - further
    codes = distinct_searched_codes(stored[HEADER_TERMS : end - words], lengths)
    return np.concatenate([codes, stored[end:]])


def _stored_words(stored: Codes) -> Codes:
    """The codes of a stored document's dictionary words."""
    words, further = stored[HEADER_TERMS - 2 : HEADER_TERMS].tolist()
    end = len(stored) - further
    return stored[end - words : end]


def _adjacent_rows(rows: Mapping[UrlId, bytes]) -> Iterator[tuple[UrlId, bytes]]:
    """Rows of consecutive ids, joined to save system calls."""
    ids = sorted(rows)
    starts = [n for n, id in enumerate(ids) if not n or id != ids[n - 1] + 1]
    for start, end in pairwise((*starts, len(ids))):
        yield ids[start], b"".join(rows[id] for id in ids[start:end])


class CodeCounts(NamedTuple):
    """Sorted term codes with counts, which may be negative for changes."""

    codes: Codes
    counts: NDArray[np.int32]

    def of(self, codes: Codes) -> NDArray[np.int64]:
        """The count of each of these codes; 0 if it has none."""
        if not len(self.codes):
            return np.zeros(len(codes), np.int64)
        places = np.minimum(np.searchsorted(self.codes, codes), len(self.codes) - 1)
        return np.where(self.codes[places] == codes, self.counts[places], 0).astype(np.int64)

    def plus(self, other: "CodeCounts") -> "CodeCounts":
        """The sum; codes with count 0 are dropped."""
        return sum_counts(
            np.concatenate([self.codes, other.codes]), np.concatenate([self.counts, other.counts])
        )


NO_COUNTS = CodeCounts(np.zeros(0, np.uint32), np.zeros(0, np.int32))


def sum_counts(codes: Codes, counts: NDArray[np.int32]) -> CodeCounts:
    """The sum of the counts of each code."""
    order = np.argsort(codes, kind="stable")
    codes, counts = codes[order], counts[order]
    if not len(codes):
        return NO_COUNTS
    starts = np.flatnonzero(np.concatenate([[True], codes[1:] != codes[:-1]]))
    sums = np.add.reduceat(counts, starts, dtype=np.int32)
    return CodeCounts(codes[starts][sums != 0], sums[sums != 0])


def recount(documents: Iterable[Codes]) -> CodeCounts:
    """The document frequencies of documents, from the distinct codes of each."""
    found = np.concatenate([np.zeros(0, np.uint32), *documents])
    return sum_counts(found, np.ones(len(found), np.int32))


class LiveFrequencies:
    """The frequencies of the last commit, and the changes since, for the writer."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._names: tuple[str, ...] = ()
        self._base, self._changes = NO_COUNTS, NO_COUNTS
        self._added: list[Codes] = []
        self._removed: list[Codes] = []

    def load(self, names: Iterable[str]) -> None:
        """Load the files of a commit: the large one, and the changes to it."""
        names = tuple(names)
        if names != self._names:
            base, changes = (_read_counts(self._folder / name) for name in names)
            self._names, self._base, self._changes = names, base, changes

    def of(self, codes: Codes) -> NDArray[np.int64]:
        """The number of live pages with each of these codes."""
        return self._base.of(codes) + self._changes.of(codes)

    def all(self) -> CodeCounts:
        """The frequencies of all codes."""
        return self._base.plus(self._changes)

    def add(self, codes: Codes) -> None:
        """Count the distinct codes of a page."""
        self._added.append(codes.copy())

    def remove(self, codes: Codes) -> None:
        """Stop counting the distinct codes of a page."""
        self._removed.append(codes)

    def prepare(self) -> tuple[str, str]:
        """Write the changes since the last commit; return the file names of the next commit."""
        codes = np.concatenate([np.zeros(0, np.uint32), *self._added, *self._removed])
        signs = np.ones(len(codes), np.int32)
        signs[sum(map(len, self._added)) :] = -1
        changes = self._changes.plus(sum_counts(codes, signs))
        number = max((int(name.split("-")[1].split(".")[0]) for name in self._names), default=0)
        base_name = self._names[0] if self._names else ""
        limit = max(MIN_MERGE_CODES, MAX_CHANGES_SHARE * len(self._base.codes))
        if not base_name or len(changes.codes) > limit:
            base_name = self._write(number + 1, self._base.plus(changes))
            changes = NO_COUNTS
        return base_name, self._write(number + 2, changes)

    def commit(self, names: tuple[str, str]) -> None:
        """Use the files of a finished commit, and delete all others."""
        self._added.clear()
        self._removed.clear()
        self.load(names)
        for path in self._folder.glob(FILE_PATTERN):
            if path.name not in names:
                path.unlink(missing_ok=True)

    def _write(self, number: int, counts: CodeCounts) -> str:
        name = f"frequencies-{number}.npy"
        with atomic_write(self._folder / name) as file:
            np.save(file, np.stack([counts.codes, counts.counts.view(np.uint32)]))
        return name


def _read_counts(path: Path) -> CodeCounts:
    rows = np.asarray(np.load(path, mmap_mode="r"))
    return CodeCounts(rows[CODE_ROW], rows[COUNT_ROW].view(np.int32))
