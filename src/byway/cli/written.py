"""Can this file be written? Said before the work, and not when all is worked out."""

from pathlib import Path

from byway.errors import UsageError


def require_writable(*paths: Path | None) -> None:
    """Say at once which of the files that somebody named cannot be written."""
    for path in paths:
        if path and not path.parent.is_dir():
            raise UsageError(f"{path} cannot be written: there is no folder {path.parent}")
        if path and path.is_dir():
            raise UsageError(f"{path} cannot be written: it is a folder; name a file")
