"""The village: a small local web for `byway demo` and the tests.

Seven sites in `sites/`, each on its own loopback host, with the features of the real web:
redirects, broken links, forbidden pages, duplicates, crawler traps. `facts.toml` holds the expected
results.
"""

from byway.village.facts import (
    BrokenLinkFact,
    ExpectedRanking,
    FailingPathFact,
    RedirectFact,
    SiteFacts,
    VillageFacts,
    load_facts,
)
from byway.village.server import Village, VillageRequest

__all__ = [
    "BrokenLinkFact",
    "ExpectedRanking",
    "FailingPathFact",
    "RedirectFact",
    "SiteFacts",
    "Village",
    "VillageFacts",
    "VillageRequest",
    "load_facts",
]
