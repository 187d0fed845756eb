"""Can the files that somebody named be used? Said before the work, not when all is worked out."""

from pathlib import Path

from byway.errors import UsageError


def require_file(path: Path, cure: str) -> None:
    """Say at once that there is nothing to read, with what could be named instead."""
    if path.is_dir():
        raise UsageError(f"{path} is a folder; {cure}")
    if not path.exists():
        raise UsageError(f"no such file: {path}; {cure}")


def require_writable(*paths: Path | None) -> None:
    """Say at once which of the files cannot be written."""
    for path in paths:
        if path and not path.parent.is_dir():
            raise UsageError(f"{path} cannot be written: there is no folder {path.parent}")
        if path and path.is_dir():
            raise UsageError(f"{path} cannot be written: it is a folder; name a file")


def read_lines(path: Path, cure: str) -> list[str]:
    """The lines of a text."""
    require_file(path, cure)
    try:
        return path.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise UsageError(f"{path}, line {line}: not UTF-8; save the file as UTF-8") from error
