"""The host of each URL: the same from the file, from crawl.db, or from both."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from byway.storage.sqlite.crawl_db.schema import open_to_write
from byway.storage.sqlite.crawl_db.url_hosts import host_ids_by_url

ADD = """
insert into url (id, url_hash, host_id, priority, depth, redirect_hops, state, url)
values (?, ?, ?, 0, 0, 0, 'queued', ?)
"""


@pytest.fixture
def db(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    with closing(open_to_write(tmp_path / "crawl.db")) as db:
        yield db


def add(db: sqlite3.Connection, first: int, last: int, salt: int = 0) -> None:
    with db:
        rows = [(id, id * 7 + salt, id % 5 + 1, f"http://a/{id}") for id in range(first, last)]
        db.executemany(ADD, rows)


def test_what_is_newer_than_the_file_is_read_besides(
    db: sqlite3.Connection, tmp_path: Path
) -> None:
    file = tmp_path / "owners"
    add(db, 1, 100)
    first = host_ids_by_url(db, 100, file, min_new_urls=10)
    assert first.tolist() == [0, *(id % 5 + 1 for id in range(1, 100))]
    written = file.stat().st_mtime_ns
    add(db, 101, 105)
    for _ in range(2):
        assert host_ids_by_url(db, 105, file, min_new_urls=10).tolist() == [
            *first.tolist(),
            0,
            *(id % 5 + 1 for id in range(101, 105)),
        ]
    assert file.stat().st_mtime_ns == written, "a few more are not worth writing it anew"
    db.execute("update url set host_id = 9 where id = 1")
    assert host_ids_by_url(db, 105, file, min_new_urls=10)[1] == 2, "the file was not read at all"


def test_few_urls_are_not_worth_a_file(db: sqlite3.Connection, tmp_path: Path) -> None:
    add(db, 1, 10)
    assert (
        host_ids_by_url(db, 10, tmp_path / "owners").tolist()
        == host_ids_by_url(db, 10, None).tolist()
    )
    assert not (tmp_path / "owners").exists()


@pytest.mark.parametrize("damage", [b"", b"nonsense", bytes(24), bytes(1000)])
def test_a_damaged_file_is_not_believed(
    db: sqlite3.Connection, tmp_path: Path, damage: bytes
) -> None:
    add(db, 1, 100)
    (tmp_path / "owners").write_bytes(damage)
    assert (
        host_ids_by_url(db, 100, tmp_path / "owners", min_new_urls=10).tolist()
        == host_ids_by_url(db, 100, None).tolist()
    )


def test_the_file_of_another_crawl_is_not_believed(db: sqlite3.Connection, tmp_path: Path) -> None:
    add(db, 1, 100)
    host_ids_by_url(db, 100, tmp_path / "owners", min_new_urls=10)
    with db:
        db.execute("delete from url")
    add(db, 2, 100, salt=1)
    assert host_ids_by_url(db, 100, tmp_path / "owners", min_new_urls=10)[1] == 0


def test_where_nothing_can_be_written_all_is_read(db: sqlite3.Connection, tmp_path: Path) -> None:
    add(db, 1, 100)
    assert host_ids_by_url(db, 100, tmp_path / "nowhere" / "owners", min_new_urls=10)[99] == 5
