"""One site for all tests that only read it."""

from collections.abc import Iterator

import pytest
from web.fake_site import HttpBrowser, served_fake_site


@pytest.fixture(scope="session")
def browser() -> Iterator[HttpBrowser]:
    with served_fake_site() as browser:
        yield browser
