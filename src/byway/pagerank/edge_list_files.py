"""Edge list files: pairs of node ids from a .tsv, .npy or .parquet file.

Ids are integers or strings; strings are kept as bytes and written exactly as read.
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
EDGES_PER_READ = 1_000_000
"""Edges read at a time from an .npy or .parquet file."""
TAB, NEWLINE = 9, 10
COMMENT_OR_BLANK_PATTERN = re.compile(rb"^(#[^\n]*)?\n", re.MULTILINE)
INT64_LIMITS = np.iinfo(np.int64)


class NonIntegerIdError(Exception):
    """The ids are strings, not integers."""


def read_integer_edges(path: Path) -> Iterator[IntegerPairs]:
    """Edges in chunks of sources and targets; raises `NonIntegerIdError` for a string id."""
    return _reader_for(path, INTEGER_READERS)(path)


def read_text_edges(path: Path) -> Iterator[TextPairs]:
    """Edges in chunks of sources and targets, with ids as strings."""
    return _reader_for(path, TEXT_READERS)(path)


def require_supported_format(path: Path) -> None:
    """Raise an error if the file format is not supported."""
    _reader_for(path, INTEGER_READERS)
    if path.suffix.lower() == ".parquet":
        import_pyarrow("pyarrow", path)


def open_array(path: Path) -> NDArray[np.integer]:
    """The memory-mapped array of an .npy file: two rows or two columns of integers."""
    try:
        array = np.load(path, mmap_mode="r")
    except (ValueError, EOFError) as error:
        raise DataError("pagerank.not_npy", path=path) from error
    if not isinstance(array, np.ndarray) or array.ndim != 2 or 2 not in array.shape:
        raise DataError("pagerank.bad_array_shape", path=path)
    if array.dtype.kind not in "iu" or array.dtype == np.uint64:
        raise DataError("pagerank.bad_id_type", path=path, type=str(array.dtype))
    return array if array.shape[0] == 2 else array.T


def import_pyarrow(name: str, path: Path) -> Any:
    """A module of pyarrow, an optional dependency."""
    try:
        return import_module(name)
    except ImportError:
        raise UsageError("pagerank.pyarrow_missing", path=path) from None


def _reader_for(path: Path, readers: dict[str, Callable[[Path], T]]) -> Callable[[Path], T]:
    try:
        return readers[path.suffix.lower()]
    except KeyError:
        raise UsageError("pagerank.unknown_format", path=path, suffixes=tuple(readers)) from None


def _read_tsv_integers(path: Path) -> Iterator[IntegerPairs]:
    for block in _line_blocks(path):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error", DeprecationWarning)
                numbers = np.fromstring(block, np.int64, sep=" ")
        except (DeprecationWarning, ValueError) as error:
            raise NonIntegerIdError from error
        # numpy clips numbers that are too large.
        if ((numbers == INT64_LIMITS.max) | (numbers == INT64_LIMITS.min)).any():
            raise NonIntegerIdError
        if len(numbers) != 2 * block.count(b"\n"):
            raise NonIntegerIdError
        yield numbers[0::2], numbers[1::2]


def _read_tsv_texts(path: Path) -> Iterator[TextPairs]:
    for block in _line_blocks(path):
        ids = block[:-1].replace(b"\t", b"\n").split(b"\n")
        yield ids[0::2], ids[1::2]


def _line_blocks(path: Path) -> Iterator[bytes]:
    """The file in blocks of complete lines; each line has exactly one tab."""
    rest, lines_before = b"", 0
    with path.open("rb") as file:
        while more := file.read(READ_BLOCK_BYTES):
            lines, newline, rest = (rest + more).rpartition(b"\n")
            if block := _check_lines(lines + newline, path, lines_before):
                yield block
            lines_before += (lines + newline).count(b"\n")
    if block := _check_lines(rest + b"\n", path, lines_before):
        yield block


def _check_lines(raw: bytes, path: Path, lines_before: int) -> bytes:
    """The lines without comments and empty lines; each must have two ids."""
    block = COMMENT_OR_BLANK_PATTERN.sub(b"", raw.replace(b"\r\n", b"\n"))
    if b"\t" not in block:
        block = block.replace(b" ", b"\t")
    characters = np.frombuffer(block, np.uint8)
    separators = np.flatnonzero((characters == TAB) | (characters == NEWLINE))
    kinds = characters[separators]
    pairs = len(kinds) // 2 * 2
    wrong = (kinds[:pairs:2] != TAB) | (kinds[1:pairs:2] != NEWLINE)
    empty = np.diff(separators[:pairs], prepend=-1) == 1  # an empty id
    wrong |= empty[0::2] | empty[1::2]
    if wrong.any() or pairs != len(kinds):
        first = int(np.argmax(wrong)) * 2 if wrong.any() else pairs
        start = int(separators[first - 1]) + 1 if first else 0
        line = block[start:].split(b"\n", 1)[0][:80].decode(errors="replace")
        number = lines_before + _line_number(raw, first // 2)
        raise DataError("pagerank.bad_edge_line", path=path, line=number, text=line)
    return block


def _line_number(raw: bytes, good: int) -> int:
    """The number of the line after `good` valid lines; comments and empty lines count too."""
    lines = raw.replace(b"\r\n", b"\n").split(b"\n")
    kept = [number for number, line in enumerate(lines, 1) if line and not line.startswith(b"#")]
    return kept[good]


def _read_npy_integers(path: Path) -> Iterator[IntegerPairs]:
    array = open_array(path)
    count, dtype = array.shape[1], array.dtype
    # Read, not mapped: mapped pages count towards the memory of the process.
    read = partial(np.fromfile, path, dtype)
    start = array.offset if isinstance(array, np.memmap) else 0
    for first in range(0, count, EDGES_PER_READ):
        size, offset = min(EDGES_PER_READ, count - first), start + first * dtype.itemsize
        if array.flags.c_contiguous:
            ends = [read(size, offset=offset + row * count * dtype.itemsize) for row in range(2)]
        else:
            pairs = read(2 * size, offset=offset + first * dtype.itemsize)
            ends = [pairs[0::2], pairs[1::2]]
        yield ends[0].astype(np.int64), ends[1].astype(np.int64)


def _read_parquet_integers(path: Path) -> Iterator[IntegerPairs]:
    types = import_pyarrow("pyarrow.types", path)
    for columns in _id_columns(path):
        for kind in (column.type for column in columns):
            if types.is_floating(kind) or types.is_decimal(kind):
                raise DataError("pagerank.bad_id_type", path=path, type=str(kind))
        if not all(types.is_integer(column.type) for column in columns):
            raise NonIntegerIdError
        sources, targets = (np.asarray(column).astype(np.int64) for column in columns)
        yield sources, targets


def _read_parquet_texts(path: Path) -> Iterator[TextPairs]:
    for columns in _id_columns(path):
        sources, targets = ([str(id).encode() for id in column.to_pylist()] for column in columns)
        if b"" in sources or b"" in targets:
            raise DataError("pagerank.missing_id", path=path)
        yield sources, targets


def _id_columns(path: Path) -> Iterator[Sequence[Any]]:
    """The first two columns of a table, in batches."""
    parquet, path_text = import_pyarrow("pyarrow.parquet", path), str(path)
    path.open("rb").close()  # system errors are clearer than pyarrow's
    try:
        with parquet.ParquetFile(path_text) as file:
            names = file.schema_arrow.names[:2]
            if len(names) < 2:
                raise DataError("pagerank.missing_column", path=path)
            for batch in file.iter_batches(EDGES_PER_READ, columns=names):
                columns = [batch.column(name) for name in names]
                if any(column.null_count for column in columns):
                    raise DataError("pagerank.missing_id", path=path)
                yield columns
    except (ValueError, OSError) as error:  # pyarrow's errors are subclasses
        raise DataError("pagerank.not_parquet", path=path, problem=str(error)) from error


def _reject_text_ids(path: Path) -> Iterator[TextPairs]:
    raise DataError("pagerank.not_integers", path=path)


INTEGER_READERS: dict[str, Callable[[Path], Iterator[IntegerPairs]]] = {
    ".tsv": _read_tsv_integers,
    ".npy": _read_npy_integers,
    ".parquet": _read_parquet_integers,
}
TEXT_READERS: dict[str, Callable[[Path], Iterator[TextPairs]]] = {
    ".tsv": _read_tsv_texts,
    ".npy": _reject_text_ids,
    ".parquet": _read_parquet_texts,
}
