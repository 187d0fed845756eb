"""What many tests stand on: the village, served anew for each of them."""

from collections.abc import Iterator

import pytest

from byway.village import Village


@pytest.fixture
def village() -> Iterator[Village]:
    with Village() as served:
        yield served
