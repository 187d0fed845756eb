"""Term dictionary: the words of the documents with their document frequencies.

    terms.npy   a row per word, most frequent first: word, letter bits, document frequency, and the
                row of the nth word in alphabetical order

Searchers map the file. A fuzzy lookup scans all of it: the letter bits rule out most words at once,
and the edit distances of the rest are computed together. The writer replaces the file when
the index has grown by a tenth, and on close; until then, new counts go to `terms_delta.db`.
"""

import sqlite3
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from byway.core.files import atomic_write
from byway.core.ports import FuzzyMatch
from byway.core.text import fold_text
from byway.index.dictionary.document_words import MIN_WORD_CHARS, word_code
from byway.index.dictionary.edit_distance import (
    MAX_WORD_CHARS,
    ROW_DTYPE,
    Rows,
    TermArrays,
    fuzzy_matches,
    letter_bits,
    single_edit_prefixes,
    single_edits,
)
from byway.index.dictionary.surface_forms import (
    MAX_SURFACE_FORMS_PER_WORD,
    SURFACE_FORM_SEPARATOR,
    SurfaceForms,
)
from byway.index.forward_index import CodeCounts
from byway.index.index_files import DeltaReader, ReloadedFile, damaged_file_error, map_array
from byway.index.suggest.prefix_index import prefix_ranges

SCHEMA = """
pragma journal_mode = wal;
pragma synchronous = normal;
create table if not exists term_count (
    term text primary key, document_frequency integer not null
) without rowid;
-- The modification time of the dictionary file that these counts come on top of.
create table if not exists base_file (mtime_ns integer not null);
"""
UPSERT_TERM_COUNT = (
    "insert into term_count values (?, ?) on conflict do update "
    "set document_frequency = document_frequency + excluded.document_frequency"
)
SELECT_TERM_COUNTS = "select term, document_frequency from term_count"
SELECT_TERMS_BY_PREFIX = (
    f"{SELECT_TERM_COUNTS} where term >= ? and term < ? "
    "order by document_frequency desc, term limit ?"
)
COUNT_TERMS = "select count(*) from term_count"
MAX_CODE_POINT = chr(0x10FFFF)
"""A character that sorts after every letter."""


class FrequencyDelta:
    """Document frequencies counted since a base file was last written."""

    def __init__(self, path: Path, base_path: Path) -> None:
        self._path = path
        self._base_path = base_path
        self._db: sqlite3.Connection | None = None
        self._reader = DeltaReader(self._path)
        self._max_terms = 0
        """An upper bound on the number of terms."""

    @property
    def is_open_for_writing(self) -> bool:
        """Whether this process has written to the delta."""
        return self._db is not None

    # Writing.

    def add(self, counts: Mapping[str, int]) -> None:
        """Add counts; drop counts older than the base file."""
        db = self._open_for_writing()
        try:
            db.execute("begin")
            db.executemany(UPSERT_TERM_COUNT, counts.items())
            db.execute("commit")
        except sqlite3.DatabaseError as error:
            raise damaged_file_error(self._path, error) from error
        self._max_terms += len(counts)

    def has_more_than(self, limit: int) -> bool:
        """Whether it holds more words than `limit`."""
        if self._max_terms > limit:  # an upper bound: exact only if no word was added twice
            (self._max_terms,) = self._open_for_writing().execute(COUNT_TERMS).fetchone()
        return self._max_terms > limit

    def read(self) -> Counter[str]:
        """All counts; none if the base file has been written since."""
        if self._db is None and not self._path.exists():
            return Counter()
        return Counter(dict(self._open_for_writing().execute(SELECT_TERM_COUNTS)))

    def clear(self) -> None:
        """Drop all counts: they are in the base file now."""
        if self._db is not None or self._path.exists():
            self._clear(self._open_for_writing())

    def close(self) -> None:
        """Close the database."""
        self._reader.close()
        if self._db is not None:
            self._db.close()
            self._db = None

    def _open_for_writing(self) -> sqlite3.Connection:
        if self._db is None:
            try:
                self._db = sqlite3.connect(self._path, isolation_level=None)
                self._db.executescript(SCHEMA)
                base = self._db.execute("select mtime_ns from base_file").fetchone()
                if base != (self._base_mtime(),):
                    self._clear(self._db)
                (self._max_terms,) = self._db.execute(COUNT_TERMS).fetchone()
            except sqlite3.DatabaseError as error:
                raise damaged_file_error(self._path, error) from error
        return self._db

    def _clear(self, db: sqlite3.Connection) -> None:
        db.execute("begin")
        db.execute("delete from term_count")
        db.execute("delete from base_file")
        db.execute("insert into base_file values (?)", (self._base_mtime(),))
        db.execute("commit")
        self._max_terms = 0

    def _base_mtime(self) -> int:
        """The modification time of the base file in ns; 0 if there is none."""
        return self._base_path.stat().st_mtime_ns if self._base_path.exists() else 0

    # Reading.

    def counts_with_prefix(self, prefix: str, limit: int) -> list[tuple[str, int]]:
        """Words with this prefix and their counts, the most frequent first."""
        return self._reader.rows(SELECT_TERMS_BY_PREFIX, (prefix, prefix + chr(0x10FFFF), limit))

    def counts_for(self, words: Sequence[str]) -> list[tuple[str, int]]:
        """The counts of these words; words without a count are left out."""
        marks = ", ".join("?" * len(words))
        return self._reader.rows(f"{SELECT_TERM_COUNTS} where term in ({marks})", words)


REBUILD_GROWTH_SHARE = 0.1
"""The file is replaced when the index has grown by a tenth."""
MAX_FUZZY_MATCHES = 20
"""Maximum number of words returned by a fuzzy lookup."""


class StoredTermDictionary:
    """The words of an index, with the number of live documents that have each."""

    def __init__(self, folder: Path, max_words: int) -> None:
        self._path = folder / "terms.npy"
        self._max_words = max_words
        self._file = ReloadedFile(
            self._path, TermArrays(np.zeros(0, ROW_DTYPE)), lambda path: TermArrays(map_array(path))
        )
        self._surface_forms = SurfaceForms(folder)
        self._counts: Counter[str] | None = None
        self._delta = FrequencyDelta(folder / "terms_delta.db", self._path)
        self._pending: Counter[str] = Counter()
        self._words_by_code: dict[int, str] | None = None
        self.document_count = self._written_documents = 0

    # Writing.

    def add(self, words: Mapping[str, int], documents: int = 1) -> None:
        """Count words of so many new documents; `commit` makes the counts durable."""
        self._pending.update(words)
        self.document_count += documents
        if self._words_by_code is not None:
            self._words_by_code |= {word_code(word): word for word in words}

    def remove(self, codes: Mapping[int, int]) -> None:
        """Subtract the counts of words, given by code, of documents that were changed or removed.

        A code without a word belongs to a word too rare to be kept.
        """
        if not codes:
            return
        if self._words_by_code is None:
            words = [*self._known_words()]
            self._words_by_code = {word_code(word): word for word in sorted(words, reverse=True)}
        by_code = self._words_by_code
        self._pending.subtract(
            {by_code[code]: count for code, count in codes.items() if code in by_code}
        )

    def _known_words(self) -> Iterator[str]:
        """All words and surface forms that have counts."""
        yield from self._pending
        yield from self._delta.read()
        yield from (word for word, _ in self._stored_counts())
        yield from self._surface_forms.keys()

    def commit(self, indexed_documents: int = 0) -> None:
        """Make new counts durable; replace the file once there are enough new counts.

        `indexed_documents`: the number of documents indexed before this commit.
        """
        new_documents = self.document_count - self._written_documents
        has_grown = new_documents > REBUILD_GROWTH_SHARE * indexed_documents
        # A few pages may have a great many words that occur nowhere else.
        is_full = len(self._pending) > self._max_words or self._delta.has_more_than(self._max_words)
        if has_grown or is_full:
            self.write()
        else:
            self._delta.add(self._pending)
            self._pending.clear()

    def write(self) -> None:
        """Replace the file, unless nothing has changed."""
        new_counts = self._delta.read()
        new_counts.update(self._pending)
        if not any(new_counts.values()):
            return
        self._pending.clear()
        if self._counts is None:
            self._counts = Counter(dict(self._stored_counts()))
        form_counts = {
            key: new_counts.pop(key) for key in [*new_counts] if key[0] == SURFACE_FORM_SEPARATOR
        }
        self._counts.update(new_counts)
        for word in new_counts:
            if self._counts[word] <= 0:
                del self._counts[word]
        if len(self._counts) > 2 * self._max_words:
            self._counts = Counter(dict(_most_common(self._counts, self._max_words)))
        self._written_documents = self.document_count
        best = _most_common(self._counts, self._max_words)
        self._surface_forms.add(form_counts, self._counts)
        rows = _rows(best)
        with atomic_write(self._path) as file:
            np.save(file, rows)
        self._delta.clear()

    def recount(self, frequencies: CodeCounts) -> None:
        """Replace all counts by these, which are by code, and write the file."""
        words = sorted({*self._known_words()})
        codes = np.array([word_code(word) for word in words], np.uint32)
        counts = zip(words, frequencies.of(codes).tolist(), strict=True)
        live = {word: count for word, count in counts if count > 0}
        self._counts = Counter()
        self._surface_forms.clear()
        self._delta.clear()
        self._pending = Counter(live)
        self.write()

    def close(self) -> None:
        """Write this process's committed counts, if any, to the file; drop uncommitted ones."""
        self._pending.clear()
        if self._delta.is_open_for_writing:
            self.write()
        self._delta.close()

    # Reading.

    def fuzzy(self, word: str, max_distance: int) -> list[FuzzyMatch]:
        arrays, word = self._file.read(), fold_text(word)
        if not MIN_WORD_CHARS <= len(word) <= MAX_WORD_CHARS:
            return []
        matches = {match.word: match for match in fuzzy_matches(arrays, word, max_distance)}
        for other, count in self._delta.counts_for(single_edits(word)):
            stored = matches[other].page_count if other in matches else 0
            matches[other] = FuzzyMatch(other, 1, stored + count)
        live = [match for match in matches.values() if match.page_count > 0]
        best = sorted(live, key=lambda match: (match[1], -match[2], match[0]))
        return best[:MAX_FUZZY_MATCHES]

    def prefix(self, prefix: str, limit: int) -> dict[str, int]:
        counts = Counter(dict(most_frequent(self._file.read().rows, [prefix], limit)))
        counts.update(dict(self._delta.counts_with_prefix(prefix, limit)))
        best = sorted(counts, key=lambda word: (-counts[word], word))[:limit]
        return {word: counts[word] for word in best if counts[word] > 0}

    def fuzzy_prefix(self, prefix: str, limit: int) -> dict[str, int]:
        prefix = fold_text(prefix)
        if not MIN_WORD_CHARS <= len(prefix) < MAX_WORD_CHARS:
            return {}
        edited = (
            edit for edits in single_edit_prefixes(prefix) for edit in edits if edit[0] == prefix[0]
        )
        return dict(most_frequent(self._file.read().rows, [prefix, *edited], limit))

    def surface_forms(self, word: str) -> dict[str, int]:
        delta_counts = self._delta.counts_with_prefix(
            f"{SURFACE_FORM_SEPARATOR}{word}{SURFACE_FORM_SEPARATOR}", MAX_SURFACE_FORMS_PER_WORD
        )
        delta_frequency = sum(count for _, count in self._delta.counts_for([word]))
        return self._surface_forms.counts(word, delta_counts, delta_frequency)

    def _stored_counts(self) -> Iterable[tuple[str, int]]:
        rows = self._file.read().rows
        return zip(rows["word"].tolist(), rows["count"].tolist(), strict=True)


def _most_common(counts: Mapping[str, int], limit: int) -> list[tuple[str, int]]:
    """The most frequent words; ties in alphabetical order, so that the past does not matter."""
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:limit]


def _rows(best: list[tuple[str, int]]) -> Rows:
    """The rows of the file for these words and counts."""
    rows = np.zeros(len(best), ROW_DTYPE)
    rows["word"] = [word for word, _ in best]
    rows["count"] = [count for _, count in best]
    rows["letters"] = letter_bits(rows["word"])
    rows["nth"] = np.argsort(rows["word"])
    return rows


def most_frequent(rows: Rows, prefixes: Sequence[str], limit: int) -> list[tuple[str, int]]:
    """The most frequent words with one of these prefixes, by binary search."""
    words, counts, nth = rows["word"], rows["count"], rows["nth"]
    lower_bounds = np.array(prefixes, f"U{MAX_WORD_CHARS}")
    upper_bounds = np.array([prefix + MAX_CODE_POINT for prefix in prefixes], f"U{MAX_WORD_CHARS}")
    parts = [nth[span] for span in prefix_ranges(words, lower_bounds, upper_bounds, nth)]
    if not parts or limit < 1:
        return []
    numbers = np.concatenate(parts)
    # Rows are sorted by frequency: cut after the last row as frequent as the one at the limit.
    last_index = min(limit, len(numbers)) - 1
    last = int(np.partition(numbers, last_index)[last_index])
    end = bisect_right(range(len(rows)), -counts[last], key=lambda n: -counts[n])
    numbers = numbers[numbers < end]
    order = np.lexsort((words[numbers], -counts[numbers]))[:limit]
    best = rows[numbers[order]]
    return list(zip(best["word"].tolist(), best["count"].tolist(), strict=True))
