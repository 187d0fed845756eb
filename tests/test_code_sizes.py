"""How long files and functions of the package may be."""

import ast
import math
from pathlib import Path

PACKAGE = Path(__file__).parent.parent / "src" / "byway"

MAX_FILE_LINES = 400
MAX_FUNCTION_LINES = 60
MAX_P95_FUNCTION_LINES = 22
"""95 of 100 functions, nested ones included, have at most so many lines."""


def function_lines() -> dict[str, int]:
    """The lines of each function, without its decorators, by its place."""
    return {
        f"{path.relative_to(PACKAGE)}:{node.lineno} {node.name}": node.end_lineno - node.lineno + 1
        for path in PACKAGE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.end_lineno
    }


def longer_than(limit: int, lines: dict[str, int]) -> list[str]:
    """The offenders with their lines, the shortest first: it takes least to mend them."""
    offenders = sorted((count, place) for place, count in lines.items() if count > limit)
    return [f"{count} lines: {place}" for count, place in offenders]


def test_no_file_is_too_long() -> None:
    lines = {
        str(path.relative_to(PACKAGE)): len(path.read_text(encoding="utf-8").splitlines())
        for path in PACKAGE.rglob("*.py")
    }
    too_long = longer_than(MAX_FILE_LINES, lines)
    assert not too_long, "\n".join(too_long)


def test_no_function_is_too_long() -> None:
    too_long = longer_than(MAX_FUNCTION_LINES, function_lines())
    assert not too_long, "\n".join(too_long)


def test_nearly_all_functions_are_short() -> None:
    lines = function_lines()
    p95 = sorted(lines.values())[math.ceil(0.95 * len(lines)) - 1]
    long = longer_than(MAX_P95_FUNCTION_LINES, lines)
    assert p95 <= MAX_P95_FUNCTION_LINES, "\n".join(
        [f"{len(long)} of {len(lines)} functions are long; {len(lines) // 20} may be", *long]
    )
