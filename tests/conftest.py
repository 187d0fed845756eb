"""What many tests stand on: the village, served anew for each of them."""

import os
import sys
from collections.abc import Iterator
from datetime import timedelta

import pytest
from hypothesis import HealthCheck, settings

from byway.village import Village

# Tests start hundreds of processes: each would compile all modules anew if none were kept.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# No example takes long; but on a slow machine that others use too, one may wait for its turn.
settings.register_profile(
    "anywhere", deadline=timedelta(seconds=10), suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("anywhere")


@pytest.fixture
def village() -> Iterator[Village]:
    with Village() as served:
        yield served
