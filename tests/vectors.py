"""Test vectors of others, from the shared test data; without them, tests are skipped."""

import json
from pathlib import Path
from typing import Any

import pytest

from bench import test_data


def vector_path(path: str) -> Path:
    """A file or folder of vectors."""
    data = test_data.find_folder()
    if data is None or not (data / path).exists():
        pytest.skip(f"no {path} in the test data; set {test_data.ENV_NAME} to its folder")
    return data / path


def json_vectors(path: str) -> Any:
    """The vectors in a JSON file; comments, which are plain strings in lists, left out."""
    found = json.loads(vector_path(path).read_text(encoding="utf-8"))
    return [one for one in found if not isinstance(one, str)] if isinstance(found, list) else found
