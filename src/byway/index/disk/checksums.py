"""Checksums of tantivy's files, and the error for a damaged index file.

Each of tantivy's files ends with a footer that holds a CRC-32 of the bytes before it.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from struct import unpack
from zlib import crc32

from byway.core.errors import DataError
from byway.core.model.message import Damage

TANTIVY_FOOTER_MAGIC = 1337
"""The last four bytes of each of tantivy's files, as an integer."""
TANTIVY_FOLDER = "tantivy"
"""The subfolder of the index with tantivy's files."""
READ_BLOCK_BYTES = 1 << 20


TRUNCATION = Damage("truncated")


def damaged_file_error(path: Path, damage: Damage | BaseException) -> DataError:
    """The error for an index file that cannot be trusted."""
    detail = damage if isinstance(damage, Damage) else str(damage)
    return DataError("index.damaged_file", path=path, damage=detail)


class PanicGuard:
    """Context manager that turns a panic in tantivy into the error for a damaged file.

    tantivy trusts the files it has written, so a panic means that one of them is damaged.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if error is not None and type(error).__name__ == "PanicException":
            raise damaged_file_error(self._path, error) from error


def verify_checksums(folder: Path, full: bool = False) -> None:
    """Raise if a file of a tantivy index is truncated or, with `full`, altered."""
    try:
        files = list(_segment_files(folder))
    except (ValueError, KeyError, TypeError) as error:
        raise damaged_file_error(folder / "meta.json", error) from error
    for path in files:
        try:
            damage = _find_damage(path, full)
        except FileNotFoundError:
            continue  # a merge has replaced it since
        if damage:
            raise damaged_file_error(path, damage)


def _segment_files(folder: Path) -> Iterator[Path]:
    """The files of the live segments, without leftovers from a crash."""
    meta = folder / "meta.json"
    if not meta.exists():
        return
    for segment in json.loads(meta.read_text())["segments"]:
        name = segment["segment_id"].replace("-", "")
        deletes = segment["deletes"]
        for path in sorted(folder.glob(f"{name}.*")):
            if path.suffix != ".del" or (deletes and path.stem == f"{name}.{deletes['opstamp']}"):
                yield path


def _find_damage(path: Path, full: bool) -> Damage:
    """A description of the damage to a file; empty if it is intact."""
    size = path.stat().st_size
    with path.open("rb") as file:
        if size < 8:
            return TRUNCATION
        file.seek(size - 8)
        footer_size, magic = unpack("<II", file.read())
        if magic != TANTIVY_FOOTER_MAGIC or footer_size > size - 8:
            return TRUNCATION
        file.seek(size - 8 - footer_size)
        try:
            expected = json.loads(file.read(footer_size))["crc"]
        except (ValueError, KeyError, TypeError):
            return Damage("bad_footer")
        if not full:
            return Damage()
        file.seek(0)
        bytes_left, checksum = size - 8 - footer_size, 0
        while bytes_left and (block := file.read(min(bytes_left, READ_BLOCK_BYTES))):
            checksum, bytes_left = crc32(block, checksum), bytes_left - len(block)
    return Damage() if checksum == expected else Damage("bad_checksum")
