"""Who may import whom: the table, and every file held to it."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "byway"

GROUPS = {
    "words": (
        *("model", "errors", "url", "text", "fields", "likeness", "compiled", "body", "packed"),
        "distinct",
        "markdown",
        "products",
        *("limits", "settings", "question", "candidates"),
        "people",
    ),
    "stages": (
        *("crawl", "extract", "index", "rank", "search", "report", "links"),
        *("evaluate", "accounts"),
    ),
}

#: Each module or folder of the package, and all of it that it may import besides itself.
LAW = {
    "model": "",
    "question": "",
    "text": "",
    "errors": "model",
    "packed": "model",
    "markdown": "model",
    "likeness": "",
    "compiled": "",
    "distinct": "",
    "people": "",
    "url": "model errors",
    "fields": "model products text url",
    "candidates": "fields",
    "body": "errors",
    "limits": "",
    "settings": "limits",
    "settings_file": "errors limits settings",
    "products": "model errors text url",
    "ports": "words",
    "crawl": "words ports",
    "extract": "words ports",
    "index": "words ports",
    "rank": "words ports",
    "search": "words ports",
    "report": "words ports",
    "links": "words ports",
    "evaluate": "words ports",
    "accounts": "words ports",
    "village": "words",
    "backends": "words ports",
    "reading": "words ports backends search",
    "extracting": "words ports backends extract index",
    "indexing": "words ports backends index extracting",
    "engine": "words ports backends reading stages extracting indexing",
    "again": "words ports backends crawl extract",
    "reporting": "backends report",
    "exploring": "backends links",
    "evaluating": "words backends extract index search evaluate",
    "trace": "words crawl extract",
    "look": "words crawl extract",
    "preview": "words crawl",
    "lab": "words settings_file backends search reading evaluate evaluating",
    "admitting": "words accounts backends",
    "removing": "words backends reading",
    "control": "words backends crawl engine lab look preview reading removing report trace",
    "kept": "words backends reading exploring look links",
    "mcp": "words",
    "web": "kept words accounts control removing report links",
    # The command line names the folder and shows how far a crawl is; it opens no store itself.
    "cli": "words settings_file engine reading again trace look reporting exploring evaluating web "
    "village report links rank evaluate crawl accounts admitting control kept mcp "
    "backends.embedded.folder",
    "__main__": "cli",
}

#: Libraries that have one place, so that they can be replaced there.
PLACES = {
    "tantivy": "backends.embedded",
    "fastwarc": "backends.embedded",
    "sqlite3": "backends reading cli.__init__",  # the command line only names its errors
    "turbohtml": "extract",
    "pypdf": "extract",
    "numba": "compiled",
    "markdown_it": "extract",
    "tomlkit": "lab",
    "aiohttp": "crawl village",
    "argon2": "accounts",
    "fastapi": "web",
    "starlette": "web",
    "jinja2": "web report",
    "uvicorn": "web",
    "typer": "cli",
    "rich": "cli",
}

#: What words never import, as they do no input or output.
INPUT_OUTPUT = {
    *("asyncio", "http", "io", "multiprocessing", "os", "pathlib", "shutil", "socket", "sqlite3"),
    *("ssl", "subprocess", "sys", "tempfile", "threading", "urllib"),
}


def breaches(module: str, source: str) -> list[str]:
    """What a module (`crawl.fetch`) imports though it may not, each as a sentence."""
    found = []
    for line, imported in _imports(module, ast.parse(source)):
        refusal = _refusal(module, imported)
        if refusal:
            found.append(f"{module}, line {line}: {refusal}")
    return found


def _refusal(module: str, imported: str) -> str:
    top = module.partition(".")[0]
    root, _, inner = imported.partition(".")
    if root == "byway":
        allowed = [top, *_spelt_out(LAW.get(top, ""))]
        return "" if _in_any(inner, allowed) else f"{top} may not import byway.{inner}"
    if root in PLACES and not _in_any(module, PLACES[root].split()):
        return f"{root} is only for {PLACES[root]}"
    if top in GROUPS["words"] and root in INPUT_OUTPUT:
        return f"words do no input or output, so not {root}"
    return ""


def _in_any(inner: str, places: list[str]) -> bool:
    """Is it one of these modules, or inside one? The package itself is everybody's."""
    return not inner or any(f"{inner}.".startswith(f"{place}.") for place in places)


def _spelt_out(law: str) -> list[str]:
    return [name for word in law.split() for name in GROUPS.get(word, (word,))]


def _imports(module: str, tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Every import in a file, whole: line and dotted name."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, name.name) for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            start = _start(module, node)
            if start == "byway":  # `from byway import body` is a module, `__version__` is not
                modules = [name.name for name in node.names if name.name in LAW]
                yield from ((node.lineno, f"byway.{name}") for name in modules)
            else:
                yield node.lineno, start


def _start(module: str, node: ast.ImportFrom) -> str:
    if not node.level:
        return node.module or ""
    parents = f"byway.{module}".split(".")[: -node.level]
    return ".".join([*parents, *filter(None, [node.module])])


def _modules() -> dict[str, Path]:
    """Every file of the package, by its dotted name."""
    names = {}
    for path in PACKAGE.rglob("*.py"):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        names[".".join(parts)] = path
    names.pop("__init__")  # the package itself, which imports nothing
    return names


MODULES = _modules()


@pytest.mark.parametrize("module", sorted(MODULES))
def test_a_module_imports_only_what_it_may(module: str) -> None:
    assert not breaches(module, MODULES[module].read_text(encoding="utf-8"))


def test_every_module_has_its_line_in_the_table_and_every_line_its_module() -> None:
    assert {module.partition(".")[0] for module in MODULES} == set(LAW)


def test_no_two_lines_of_the_table_allow_each_other() -> None:
    allowed = {
        module: {name.partition(".")[0] for name in _spelt_out(law)} - {module}
        for module, law in LAW.items()
    }
    both = [
        (one, other) for one in LAW for other in allowed[one] if one in allowed.get(other, set())
    ]
    assert not both


@pytest.mark.parametrize(
    ("module", "source", "why"),
    [
        ("crawl.made_up", "from byway.search.query import parse", "crawl may not import"),
        ("crawl.made_up", "import byway.extract.page", "crawl may not import"),
        ("search.made_up", "from byway import engine", "search may not import byway.engine"),
        ("search.made_up", "from ..crawl import fetch", "search may not import byway.crawl"),
        ("extract.made_up", "def f():\n    from byway.backends import memory", "line 2"),
        ("backends.made_up", "from byway.crawl.scope import Scope", "backends may not import"),
        ("cli.made_up", "from byway.backends.embedded.index import X", "cli may not import"),
        ("made_up", "from byway.model import Url", "made_up may not import"),
        ("backends.memory", "import tantivy", "only for backends.embedded"),
        ("web.made_up", "from sqlite3 import connect", "only for backends"),
        ("cli.made_up", "import sqlite3", "only for backends"),
        ("engine", "from turbohtml import parse", "only for extract"),
        ("engine", "from rich.console import Console", "only for cli"),
        ("text", "import socket", "no input or output"),
        ("url", "from pathlib import Path", "no input or output"),
    ],
)
def test_breaking_the_law_is_noticed(module: str, source: str, why: str) -> None:
    (breach,) = breaches(module, source)
    assert why in breach


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("crawl.made_up", "from byway.crawl.scope import Scope\nfrom byway import body"),
        ("crawl.made_up", "from .scope import Scope\nfrom . import robots"),
        ("web.made_up", "from byway import __version__"),
        ("cli.made_up", "from byway.backends.embedded.folder import Folder"),
        ("backends.embedded.made_up", "import tantivy, sqlite3"),
    ],
)
def test_what_the_law_allows_is_let_pass(module: str, source: str) -> None:
    assert not breaches(module, source)


def test_the_architecture_page_has_the_same_table() -> None:
    page = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    section = page.partition("## Who may import whom")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| `(\w+)` \| (.*) \|$", section, re.MULTILINE)
    told = {module: law.replace("`", "").replace("nothing", "") for module, law in rows}
    assert {module: set(law.split()) for module, law in told.items()} == {
        module: set(law.split()) for module, law in LAW.items()
    }


@pytest.mark.parametrize(
    ("command", "heavy"),
    [
        ("crawl", "numpy tantivy numba pypdf fastapi byway.search.searcher byway.extract.page"),
        ("up", "numpy aiohttp numba pypdf fastapi starlette jinja2 byway.web.app byway.control"),
        ("index", "numpy aiohttp tantivy numba pypdf fastapi byway.extract.page"),
        ("serve", "aiohttp numba pypdf byway.extract.page"),
    ],
)
def test_a_command_loads_nothing_of_what_it_does_not_use_at_first(command: str, heavy: str) -> None:
    loaded = f"import sys, byway.cli.{command}; print(*(set({heavy.split()}) & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("\n", "")
