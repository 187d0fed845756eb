"""Fixtures and marks shared by all tests: the village, and the mark `slow`."""

import ast
import inspect
import os
import re
import sys
from collections.abc import Iterator
from datetime import timedelta
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from byway.village import Village

# Tests start hundreds of processes; without bytecode files each would compile every module.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# Examples are quick, but on a busy machine one may have to wait.
settings.register_profile(
    "anywhere", deadline=timedelta(seconds=10), suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("anywhere")


@pytest.fixture
def village() -> Iterator[Village]:
    with Village() as served:
        yield served


TESTS = Path(__file__).parent
STARTERS = re.compile(
    r"\b(subprocess|Village|playwright|serve_in_thread|run_server|run_up|run_serve|run_workers|WorkerPool|Engine|"
    r"start_server|search_milliseconds|multiprocessing)\b"
)
"""Names in the source of a test that show it starts a browser, a server or a process."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark tests that start a browser, a server or a process as `slow`; `make check` skips them."""
    for item in items:
        if isinstance(item, pytest.Function) and any(map(_starts_something, _sources(item))):
            item.add_marker(pytest.mark.slow)


def _sources(item: pytest.Function) -> set[Path]:
    """The file of a test and those of its fixtures."""
    fixtures = item._fixtureinfo.name2fixturedefs.values()
    files = {Path(inspect.getfile(definitions[-1].func)) for definitions in fixtures}
    return {item.path, *files} - {Path(__file__)}


@cache
def _starts_something(path: Path) -> bool:
    if TESTS not in path.parents:
        return False
    source = path.read_text(encoding="utf-8")
    return bool(STARTERS.search(source)) or any(map(_starts_something, _helpers(source, path)))


def _helpers(source: str, path: Path) -> Iterator[Path]:
    """The test helper modules that a test imports."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.module:
            helper = TESTS / f"{node.module.replace('.', '/')}.py"
            beside = path.parent / helper.name
            yield from (one for one in {helper, beside} if one.exists() and one != path)
