"""Where are the pages that are judged? Beside the repository; nothing of them is part of it."""

import sys
from pathlib import Path

DATA_FOLDER = Path(__file__).parents[4] / "shared" / "data"


def require_data(path: str) -> Path:
    """A folder of pages, or a line that says what is missing."""
    found = DATA_FOLDER / path
    if not found.exists():
        sys.exit(
            f"no {path} in {DATA_FOLDER}; the benchmark needs the test data beside the repository"
        )
    return found
