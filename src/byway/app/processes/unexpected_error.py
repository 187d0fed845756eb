"""Converts system and SQLite exceptions to errors with codes."""

from pathlib import Path

from byway.core.errors import BywayError, DataError
from byway.core.messages import t
from byway.core.sqlite_file import DatabaseBusyError, DatabaseError


def to_byway_error(error: Exception, data: Path | str | None) -> BywayError:
    """The error to show for any exception raised while working in the data folder `data`."""
    if isinstance(error, BywayError):
        return error
    if isinstance(error, OSError):
        path, problem = error.filename or t("error.app.system"), error.strerror or str(error)
        return BywayError("app.system_error", path=path, problem=problem)
    if isinstance(error, DatabaseBusyError):
        return DataError("app.database_busy", data=data, problem=error)
    if isinstance(error, DatabaseError):
        return DataError("app.database_damaged", data=data, problem=error)
    return BywayError("app.unexpected", kind=type(error).__name__, problem=error)
