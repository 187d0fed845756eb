"""What is in a list of edges? Pairs of ids, out of a .tsv, .npy or .parquet file.

Ids are whole numbers, or else texts, which are kept as bytes so that any of them comes out again
as it went in.
"""

import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from byway.core.errors import DataError, UsageError

T = TypeVar("T")
Integers = NDArray[np.int64]
Texts = list[bytes]
IntegerPairs = tuple[Integers, Integers]
TextPairs = tuple[Texts, Texts]

READ_BLOCK_BYTES = 1 << 24
"""Bytes of a text file that are read at a time."""
EDGES_PER_READ = 1_000_000
"""Edges of other files that are read at a time."""
TAB, NEWLINE = 9, 10
COMMENT_OR_BLANK_PATTERN = re.compile(rb"^(#[^\n]*)?\n", re.MULTILINE)
"""Comments and empty lines."""
INT64_LIMITS = np.iinfo(np.int64)


class NonIntegerIdError(Exception):
    """The ids are texts."""


def read_integer_edges(path: Path) -> Iterator[IntegerPairs]:
    """The edges in chunks, sources and targets; `NonIntegerIdError` if ids turn out to be texts."""
    return _reader(path, INTEGER_READERS)(path)


def read_text_edges(path: Path) -> Iterator[TextPairs]:
    """The same, whatever the ids are."""
    return _reader(path, TEXT_READERS)(path)


def require_supported_format(path: Path) -> None:
    """Say at once when a file of that name cannot be read or written."""
    _reader(path, INTEGER_READERS)
    if path.suffix.lower() == ".parquet":
        import_pyarrow("pyarrow", path)


def open_array(path: Path) -> NDArray[np.integer]:
    """The array in an .npy file, on disk: two rows or two columns of whole numbers."""
    try:
        array = np.load(path, mmap_mode="r")
    except (ValueError, EOFError) as error:
        raise DataError(f"{path} is no .npy file with numbers in it; write it anew") from error
    if not isinstance(array, np.ndarray) or array.ndim != 2 or 2 not in array.shape:
        raise DataError(f"{path} must hold one array of two rows or two columns")
    if array.dtype.kind not in "iu" or array.dtype == np.uint64:
        raise DataError(f"{path} holds {array.dtype}; ids are whole numbers of up to 63 bits")
    return array if array.shape[0] == 2 else array.T


def import_pyarrow(name: str, path: Path) -> Any:
    """A module of pyarrow, which is not installed everywhere."""
    try:
        return import_module(name)
    except ImportError:
        raise UsageError(
            f"{path} needs pyarrow; install it with `pip install byway[parquet]`, or use .tsv"
        ) from None


def _reader(path: Path, readers: dict[str, Callable[[Path], T]]) -> Callable[[Path], T]:
    try:
        return readers[path.suffix.lower()]
    except KeyError:
        known = ", ".join(readers)
        raise UsageError(f"cannot tell what {path} is; let its name end in {known}") from None


# Lines of two ids with a tab between.


def _integers_of_tsv(path: Path) -> Iterator[IntegerPairs]:
    for block in _blocks(path):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error", DeprecationWarning)
                numbers = np.fromstring(block, np.int64, sep=" ")
        except (DeprecationWarning, ValueError) as error:
            raise NonIntegerIdError from error
        # Numbers that are too large come out as the largest there is.
        if ((numbers == INT64_LIMITS.max) | (numbers == INT64_LIMITS.min)).any():
            raise NonIntegerIdError
        if len(numbers) != 2 * block.count(b"\n"):
            raise NonIntegerIdError
        yield numbers[0::2], numbers[1::2]


def _texts_of_tsv(path: Path) -> Iterator[TextPairs]:
    for block in _blocks(path):
        ids = block[:-1].replace(b"\t", b"\n").split(b"\n")
        yield ids[0::2], ids[1::2]


def _blocks(path: Path) -> Iterator[bytes]:
    """The file in pieces of whole lines, each of which has exactly one tab."""
    rest, before = b"", 0
    with path.open("rb") as file:
        while more := file.read(READ_BLOCK_BYTES):
            whole, newline, rest = (rest + more).rpartition(b"\n")
            if block := _lines(whole + newline, path, before):
                yield block
            before += (whole + newline).count(b"\n")
    if block := _lines(rest + b"\n", path, before):
        yield block


def _lines(raw: bytes, path: Path, before: int) -> bytes:
    """Lines without those that are left out; there are so many before them in the file."""
    block = COMMENT_OR_BLANK_PATTERN.sub(b"", raw.replace(b"\r\n", b"\n"))
    if b"\t" not in block:
        block = block.replace(b" ", b"\t")
    characters = np.frombuffer(block, np.uint8)
    marks = np.flatnonzero((characters == TAB) | (characters == NEWLINE))
    kinds = characters[marks]
    pairs = len(kinds) // 2 * 2
    wrong = (kinds[:pairs:2] != TAB) | (kinds[1:pairs:2] != NEWLINE)
    empty = np.diff(marks[:pairs], prepend=-1) == 1  # an id without a character
    wrong |= empty[0::2] | empty[1::2]
    if wrong.any() or pairs != len(kinds):
        first = int(np.argmax(wrong)) * 2 if wrong.any() else pairs
        start = int(marks[first - 1]) + 1 if first else 0
        line = block[start:].split(b"\n", 1)[0][:80].decode(errors="replace")
        number = before + _number(raw, first // 2)
        raise DataError(f"{path}, line {number}: {line!r} is not two ids with a tab between")
    return block


def _number(raw: bytes, good: int) -> int:
    """The number of the line after so many good ones, with those counted that are left out."""
    lines = raw.replace(b"\r\n", b"\n").split(b"\n")
    kept = [number for number, line in enumerate(lines, 1) if line and not line.startswith(b"#")]
    return kept[good]


# Arrays and tables.


def _integers_of_npy(path: Path) -> Iterator[IntegerPairs]:
    array = open_array(path)
    count, kind = array.shape[1], array.dtype
    # Read, and not mapped: what is mapped counts as memory that we use.
    read = partial(np.fromfile, path, kind)
    start = array.offset if isinstance(array, np.memmap) else 0
    for first in range(0, count, EDGES_PER_READ):
        size, at = min(EDGES_PER_READ, count - first), start + first * kind.itemsize
        if array.flags.c_contiguous:
            ends = [read(size, offset=at + row * count * kind.itemsize) for row in range(2)]
        else:
            pairs = read(2 * size, offset=at + first * kind.itemsize)
            ends = [pairs[0::2], pairs[1::2]]
        yield ends[0].astype(np.int64), ends[1].astype(np.int64)


def _integers_of_parquet(path: Path) -> Iterator[IntegerPairs]:
    types = import_pyarrow("pyarrow.types", path)
    for columns in _columns(path):
        for kind in (column.type for column in columns):
            if types.is_floating(kind) or types.is_decimal(kind):
                raise DataError(f"{path} holds {kind}; ids are whole numbers or texts")
        if not all(types.is_integer(column.type) for column in columns):
            raise NonIntegerIdError
        sources, targets = (np.asarray(column).astype(np.int64) for column in columns)
        yield sources, targets


def _texts_of_parquet(path: Path) -> Iterator[TextPairs]:
    for columns in _columns(path):
        sources, targets = ([str(id).encode() for id in column.to_pylist()] for column in columns)
        if b"" in sources or b"" in targets:
            raise DataError(f"{path} has edges with an end missing")
        yield sources, targets


def _columns(path: Path) -> Iterator[Sequence[Any]]:
    """The first two columns of a table, in batches."""
    parquet, path_text = import_pyarrow("pyarrow.parquet", path), str(path)
    path.open("rb").close()  # what the system says of a file is clearer than what pyarrow says
    try:
        with parquet.ParquetFile(path_text) as file:
            names = file.schema_arrow.names[:2]
            if len(names) < 2:
                raise DataError(f"{path} needs two columns: sources and targets")
            for batch in file.iter_batches(EDGES_PER_READ, columns=names):
                columns = [batch.column(name) for name in names]
                if any(column.null_count for column in columns):
                    raise DataError(f"{path} has edges with an end missing")
                yield columns
    except (ValueError, OSError) as error:  # pyarrow's own errors are among these
        raise DataError(f"{path} cannot be read as Parquet: {error}") from error


def _no_texts(path: Path) -> Iterator[TextPairs]:
    raise DataError(f"{path} holds no whole numbers")


INTEGER_READERS: dict[str, Callable[[Path], Iterator[IntegerPairs]]] = {
    ".tsv": _integers_of_tsv,
    ".npy": _integers_of_npy,
    ".parquet": _integers_of_parquet,
}
TEXT_READERS: dict[str, Callable[[Path], Iterator[TextPairs]]] = {
    ".tsv": _texts_of_tsv,
    ".npy": _no_texts,
    ".parquet": _texts_of_parquet,
}
