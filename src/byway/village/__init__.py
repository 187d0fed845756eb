"""The village: a small web of our own, for `byway demo` and for the tests.

Seven sites in `sites/`, each on a loopback host of its own, with everything in them that the real
web has: redirects, broken links, closed doors, duplicates, traps. `facts.toml` says what is true
of them.
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
