"""Fixture: every storage backend."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from contract.backends import BACKENDS, Backend


@pytest.fixture(params=BACKENDS.values(), ids=list(BACKENDS))
def backend(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Backend]:
    make: Any = request.param
    with make(tmp_path) as made:
        yield made
