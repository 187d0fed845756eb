"""The folder of shared test data: BYWAY_TEST_DATA, or `../shared/data` beside the repository."""

import os
import sys
from pathlib import Path

ENV_NAME = "BYWAY_TEST_DATA"
FALLBACK_FOLDER = Path(__file__).resolve().parents[2] / "shared" / "data"


def find_folder() -> Path | None:
    """The folder of test data, or None if there is none."""
    named = os.environ.get(ENV_NAME)
    place = Path(named) if named else FALLBACK_FOLDER
    return place if place.is_dir() else None


def folder() -> Path:
    """The folder of test data; without one, exit with a line that says what to set."""
    if place := find_folder():
        return place
    if named := os.environ.get(ENV_NAME):
        sys.exit(f"{ENV_NAME} names {named}, which is not a folder")
    sys.exit(f"no test data: set {ENV_NAME} to its folder")


def require_data(path: str) -> Path:
    """A file or folder of the test data; if it is missing, exit with a line that names it."""
    place = folder() / path
    if not place.exists():
        sys.exit(f"no {path} in {place.parent}; set {ENV_NAME} to a folder that has it")
    return place
