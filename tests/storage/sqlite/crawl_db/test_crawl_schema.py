"""Databases of another schema version are refused with what to do."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from byway.core.errors import DataError
from byway.storage.sqlite.crawl_db.schema import SCHEMA_VERSION, open_to_read, open_to_write
from byway.storage.sqlite.documents import open_documents_to_read, open_documents_to_write


def make_database(path: Path, version: int) -> None:
    with closing(sqlite3.connect(path)) as db:
        db.execute("create table url (id integer primary key)")
        db.execute(f"pragma user_version = {version}")


@pytest.mark.parametrize("open_database", [open_to_read, open_to_write])
@pytest.mark.parametrize("version", [SCHEMA_VERSION - 1, SCHEMA_VERSION + 1])
def test_a_crawl_of_another_version_is_refused(
    tmp_path: Path, open_database: Callable[[Path], object], version: int
) -> None:
    make_database(tmp_path / "crawl.db", version)
    with pytest.raises(DataError) as error:
        open_database(tmp_path / "crawl.db")
    assert error.value.code == "storage.other_version"
    assert "Crawl again" in str(error.value) and "\n" not in str(error.value)


@pytest.mark.parametrize("open_database", [open_documents_to_read, open_documents_to_write])
def test_documents_of_another_version_are_to_be_rebuilt(
    tmp_path: Path, open_database: Callable[[Path], object]
) -> None:
    make_database(tmp_path / "documents.db", 1)
    with pytest.raises(DataError) as error:
        open_database(tmp_path / "documents.db")
    assert error.value.code == "storage.other_version_documents"
    assert "`byway index --rebuild`" in str(error.value)


def test_a_refused_database_is_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "crawl.db"
    make_database(path, 3)
    before = path.read_bytes()
    with pytest.raises(DataError):
        open_to_write(path)
    assert path.read_bytes() == before
