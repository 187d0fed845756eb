"""Each test of the contract runs once on every backend."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from contract.backends import BACKENDS, STORAGES, Backend

from byway.core.ports import Storage


@pytest.fixture(params=BACKENDS.values(), ids=list(BACKENDS))
def backend(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Backend]:
    make: Any = request.param
    with make(tmp_path) as made:
        yield made


@pytest.fixture(params=STORAGES.values(), ids=list(STORAGES))
def storage(request: pytest.FixtureRequest, tmp_path: Path) -> Storage:
    """A new storage, for the ports that need no open crawl."""
    made: Storage = request.param(tmp_path)
    made.create()
    return made
