"""Test vectors of others, which are kept beside the repository: without them, tests are skipped."""

import json
from pathlib import Path
from typing import Any

import pytest

VECTORS_FOLDER = Path(__file__).parents[2] / "shared" / "data"


def vector_path(path: str) -> Path:
    """A file or folder of vectors."""
    found = VECTORS_FOLDER / path
    if not found.exists():
        pytest.skip(f"no {path} beside the repository")
    return found


def json_vectors(path: str) -> Any:
    """The vectors in a JSON file; comments, which are plain strings in lists, left out."""
    found = json.loads(vector_path(path).read_text(encoding="utf-8"))
    return [one for one in found if not isinstance(one, str)] if isinstance(found, list) else found
