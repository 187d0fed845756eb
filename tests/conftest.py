"""What many tests stand on: the village, served anew for each of them."""

import os
import sys
from collections.abc import Iterator

import pytest

from byway.village import Village

# Tests start hundreds of processes: each would compile all modules anew if none were kept.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


@pytest.fixture
def village() -> Iterator[Village]:
    with Village() as served:
        yield served
