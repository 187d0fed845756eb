"""One site for all tests that only read it."""

from collections.abc import Iterator

import pytest
from web.answers import Browser, site


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with site() as browser:
        yield browser
