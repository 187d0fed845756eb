"""One village for all tests of it, walked once."""

import re
from collections.abc import Iterator

import pytest
from village.walker import SiteWalk, walk

from byway.village import Village, VillageFacts, load_facts


@pytest.fixture(scope="session")
def village() -> Iterator[Village]:
    with Village() as served:
        yield served


@pytest.fixture(scope="session")
def facts() -> VillageFacts:
    return load_facts()


@pytest.fixture(scope="session")
def site_walk(village: Village, facts: VillageFacts) -> SiteWalk:
    """A walk through all that has an end."""
    endless = [
        village.url(name, path) for name, site in facts.sites.items() for path in site.endless
    ]
    return walk(village.seeds, re.compile("|".join(re.escape(url) + "." for url in endless)))
