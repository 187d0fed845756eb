"""Is this page like those around it? A sketch of how it begins, to tell a trap by."""

from byway.likeness import simhash

SKETCHED = 2000
"""Characters that a sketch looks at."""


def sketch(text: str) -> int:
    """A simhash of how a text begins, numbers apart: cheap, and enough to tell a trap by."""
    return simhash(text[:SKETCHED].lower().split(), numbers=False)
