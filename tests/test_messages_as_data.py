"""No code and no SQL decides by the text of a message: codes and fields are what it compares."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from byway.core import errors

PACKAGE = Path(__file__).parent.parent / "src" / "byway"
MODULES = sorted(PACKAGE.rglob("*.py"))
MESSAGE_NAMES = {"reason", "message", "text", "failure", "reason_text"}
TEXT_METHODS = {
    "startswith",
    "endswith",
    "index",
    "find",
    "partition",
    "rpartition",
    "removeprefix",
}
PATTERN_METHODS = {"match", "search", "fullmatch", "sub", "findall", "split"}
SQL_TEXT_MATCH = re.compile(r"\breason\w*\s+(not\s+)?(like|glob|regexp)\b", re.IGNORECASE)
SQL_TEXT_EQUAL = re.compile(r"\breason\w*\s*(=|<>|!=|in\s*\()\s*'[^']*\s[^']*'", re.IGNORECASE)


def breaches(source: str) -> list[str]:
    """The expressions of a module that compare a message with a text."""
    return [ast.unparse(node)[:100] for node in ast.walk(ast.parse(source)) if _decides(node)]


def _decides(node: ast.AST) -> bool:
    match node:
        case ast.Compare(left=left, comparators=others):
            sides = [left, *others]
            return any(map(_is_message, sides)) and any(map(_is_sentence, sides))
        case ast.Call(func=ast.Attribute(value=value, attr=name), args=args):
            if name in TEXT_METHODS:
                return _is_message(value) and any(map(_is_sentence, args))
            return name in PATTERN_METHODS and any(map(_is_reason, args))
        case ast.Constant(value=str(text)):
            return bool(SQL_TEXT_MATCH.search(text) or SQL_TEXT_EQUAL.search(text))
    return False


def _is_message(node: ast.AST) -> bool:
    """An attribute such as `record.reason`, or the text that is made of one."""
    match node:
        case ast.Attribute(attr=name):
            return name in MESSAGE_NAMES
        case ast.Call(func=ast.Name(id="text" | "str"), args=[argument]):
            return _is_reason(argument)
    return False


def _is_reason(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and node.attr in ("reason", "message", "failure")


def _is_sentence(node: ast.AST) -> bool:
    """A literal with a space in it, or a collection of those."""
    return any(" " in text for text in _literals(node))


def _literals(node: ast.AST) -> Iterator[str]:
    for inner in ast.walk(node):
        if isinstance(inner, ast.Constant) and isinstance(inner.value, str):
            yield inner.value


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_no_module_compares_a_message_as_text(path: Path) -> None:
    assert breaches(path.read_text("utf-8")) == []


@pytest.mark.parametrize(
    "source",
    [
        'record.reason == "removed by hand"',
        '"not kept: " in record.reason',
        'record.reason.startswith("redirects to ")',
        'text(record.reason).startswith("redirects to ")',
        "pattern.match(record.reason)",
        'error.message in ("not found", "gone for good")',
        "SQL = \"select id from url where reason like 'redirects to %'\"",
        "SQL = \"select id from url where reason = 'removed by hand'\"",
    ],
)
def test_a_decision_by_text_is_noticed(source: str) -> None:
    assert breaches(source)


@pytest.mark.parametrize(
    "source",
    [
        'record.reason.code == "redirect"',
        'record.reason == Reason("removed")',
        "SQL = \"select id from url where reason = 'redirect' and removed_site = ''\"",
        'document.text.split(" ")',
    ],
)
def test_a_decision_by_code_is_fine(source: str) -> None:
    assert not breaches(source)


ERROR_CLASSES = {
    name
    for name, value in vars(errors).items()
    if isinstance(value, type) and name.endswith("Error")
}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_an_error_has_a_code_and_no_sentence(path: Path) -> None:
    calls = [
        node for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.Call)
    ]
    sentences = [
        ast.unparse(call)[:100]
        for call in calls
        if isinstance(call.func, ast.Name) and call.func.id in ERROR_CLASSES and call.args
        if " " in ast.unparse(call.args[0])
        if isinstance(call.args[0], ast.Constant | ast.JoinedStr)
    ]
    assert not sentences
