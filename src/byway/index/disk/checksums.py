"""Is the index as it was written? tantivy's files end with a checksum; here it is compared."""

import json
from collections.abc import Iterator
from pathlib import Path
from struct import unpack
from zlib import crc32

from byway.core.errors import DataError

TANTIVY_FOOTER_MAGIC = 1337
"""What the last four bytes of a file of tantivy's are."""
READ_BLOCK_BYTES = 1 << 20


def damaged_file_error(path: Path, reason: str) -> DataError:
    """The error for a file of the index that cannot be believed."""
    return DataError(f"{path} is damaged ({reason}); `byway index --rebuild` makes the index anew")


class PanicGuard:
    """Whatever tantivy panics at in here was damaged: it trusts what it has written."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if error is not None and type(error).__name__ == "PanicException":
            raise damaged_file_error(self._path, str(error)) from error


def verify_checksums(folder: Path, full: bool = False) -> None:
    """Refuse an index of tantivy's with files that were cut off or, if looked at whole, changed."""
    try:
        files = list(_files(folder))
    except (ValueError, KeyError, TypeError) as error:
        raise damaged_file_error(folder / "meta.json", str(error)) from error
    for path in files:
        try:
            why = _wrong(path, full)
        except FileNotFoundError:
            continue  # a merge has made one file of several meanwhile
        if why:
            raise damaged_file_error(path, why)


def _files(folder: Path) -> Iterator[Path]:
    """The files that the index is made of, and none that a crash left behind."""
    said = folder / "meta.json"
    if not said.exists():
        return
    for segment in json.loads(said.read_text())["segments"]:
        name = segment["segment_id"].replace("-", "")
        gone = segment["deletes"]
        for path in sorted(folder.glob(f"{name}.*")):
            if path.suffix != ".del" or (gone and path.stem == f"{name}.{gone['opstamp']}"):
                yield path


def _wrong(path: Path, whole: bool) -> str:
    """What is wrong with a file; nothing if it is as it was written."""
    size = path.stat().st_size
    with path.open("rb") as file:
        if size < 8:
            return "cut off"
        file.seek(size - 8)
        long, magic = unpack("<II", file.read())
        if magic != TANTIVY_FOOTER_MAGIC or long > size - 8:
            return "cut off"
        file.seek(size - 8 - long)
        try:
            wanted = json.loads(file.read(long))["crc"]
        except (ValueError, KeyError, TypeError):
            return "its end was changed"
        if not whole:
            return ""
        file.seek(0)
        left, found = size - 8 - long, 0
        while left and (block := file.read(min(left, READ_BLOCK_BYTES))):
            found, left = crc32(block, found), left - len(block)
    return "" if found == wanted else "its checksum is another"
