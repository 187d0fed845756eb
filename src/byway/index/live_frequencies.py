"""Document frequencies of the live pages, by term code; tantivy's also count deleted pages.

    frequencies-N.npy   sorted term codes, and the number of pages that have each

A commit adds its changes to a small file; when that has grown, both become a new large one. The
commit marker names the two files of a commit, so a reader never combines files of two commits.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from byway.core.files import atomic_write
from byway.core.model.candidates import Codes
from byway.index.index_files import map_array

FILE_PATTERN = "frequencies-*.npy"
MAX_CHANGES_SHARE = 0.2
"""The changes are merged into the large file when they have more than this share of its codes."""
MIN_MERGE_CODES = 50_000
"""Fewer changed codes are never a reason to write the large file."""
CODE_ROW, COUNT_ROW = 0, 1


class CodeCounts(NamedTuple):
    """Sorted term codes with counts, which may be negative for changes."""

    codes: Codes
    counts: NDArray[np.int32]

    def of(self, codes: Codes) -> NDArray[np.int64]:
        """The counts of these codes; 0 for others."""
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
            base, changes = (_read(self._folder / name) for name in names)
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


def _read(path: Path) -> CodeCounts:
    rows = map_array(path)
    return CodeCounts(rows[CODE_ROW], rows[COUNT_ROW].view(np.int32))
