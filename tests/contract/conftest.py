"""Each test of the contract runs once on every backend."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from contract.backends import BACKENDS, Backend

from byway.core.ports import Storage
from byway.storage.memory.storage import MemoryStorage
from byway.storage.sqlite.storage import SqliteStorage


@pytest.fixture(params=BACKENDS.values(), ids=list(BACKENDS))
def backend(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Backend]:
    make: Any = request.param
    with make(tmp_path) as made:
        yield made


@pytest.fixture(params=[SqliteStorage, MemoryStorage], ids=["embedded", "memory"])
def storage(request: pytest.FixtureRequest, tmp_path: Path) -> Storage:
    """A new storage, for the ports that need no open crawl."""
    made: Storage = request.param(tmp_path)
    made.create()
    return made
