"""The village: a small web of our own, for `byway demo` and for the tests.

Seven sites in `sites/`, each on a loopback host of its own, with everything in them that the real
web has: redirects, broken links, closed doors, duplicates, traps. `facts.toml` says what is true
of them.
"""

from byway.village.facts import Broken, Facts, Failing, Redirect, SiteFacts, Wanted, load_facts
from byway.village.server import Request, Village

__all__ = [
    "Broken",
    "Facts",
    "Failing",
    "Redirect",
    "Request",
    "SiteFacts",
    "Village",
    "Wanted",
    "load_facts",
]
