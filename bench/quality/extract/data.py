"""Where are the pages that are judged? Beside the repository; nothing of them is part of it."""

import sys
from pathlib import Path

DATA = Path(__file__).parents[4] / "shared" / "data"


def data(path: str) -> Path:
    """A folder of pages, or a line that says what is missing."""
    found = DATA / path
    if not found.exists():
        sys.exit(f"no {path} in {DATA}; the benchmark needs the test data beside the repository")
    return found
