"""Import rules: every file follows the table in ARCHITECTURE.md."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "byway"

STAGES = (
    *("crawl", "extract", "index", "pagerank", "search", "products", "evaluate", "reports"),
    "accounts",
)

#: The import law: each top-level folder, or a module with its own line, and all of the package
#: that it may import besides its folder.
LAW = {
    "core": (),
    **dict.fromkeys((*STAGES, "storage", "village"), ("core",)),
    "app": ("core", *STAGES, "storage"),
    "web": ("core", "app"),
    "cli": ("core", "app"),
    "cli.demo": ("core", "app", "village"),
    "__main__": ("cli",),
}

#: Libraries that have one place, so that they can be replaced there.
PLACES = {
    "tantivy": "index",
    "fastwarc": "storage.warc",
    # The last only names its errors.
    "sqlite3": "storage index core.sqlite_file app.processes.unexpected_error",
    "turbohtml": "extract products.reader",
    "pypdf": "extract",
    "numba": "core.numba",
    "markdown_it": "extract",
    "tomlkit": "app.weight_lab",
    "aiohttp": "crawl village",
    "argon2": "accounts",
    "fastapi": "web",
    "starlette": "web",
    "jinja2": "web reports",
    "prometheus_client": "web.api.metrics",
    "uvicorn": "web",
    "mcp": "cli.mcp",
    "typer": "cli",
    "rich": "cli",
}

#: What `core` never imports: it does no input or output.
INPUT_OUTPUT = {
    *("asyncio", "http", "io", "multiprocessing", "os", "pathlib", "shutil", "socket", "sqlite3"),
    *("ssl", "subprocess", "sys", "tempfile", "threading", "urllib"),
}


#: The exceptions: they read data files and the settings file, and open files for storage and index.
DOES_INPUT_OUTPUT = {
    *("core.settings.load", "core.numba"),
    *("core.files", "core.sqlite_file", "core.ports.storage"),  # the last only names paths
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
        target = inner.partition(".")[0]
        allowed = target in ("", top, *LAW.get(module, LAW.get(top, ())))
        return "" if allowed else f"{top} may not import byway.{inner}"
    if root in PLACES and not _in_any(module, PLACES[root].split()):
        return f"{root} is only for {PLACES[root]}"
    if top == "core" and root in INPUT_OUTPUT and module not in DOES_INPUT_OUTPUT:
        return f"core does no input or output, so not {root}"
    return ""


def _in_any(module: str, places: list[str]) -> bool:
    """Is it one of these modules, or inside one?"""
    return any(f"{module}.".startswith(f"{place}.") for place in places)


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
    folders = {module.partition(".")[0] for module in MODULES}
    assert folders == {name for name in LAW if "." not in name}
    assert set(LAW) <= folders | set(MODULES)


@pytest.mark.parametrize(
    ("module", "source", "why"),
    [
        ("crawl.made_up", "from byway.search.query.parser import parse", "crawl may not import"),
        ("crawl.made_up", "import byway.extract.dispatch", "crawl may not import"),
        ("search.made_up", "from byway import app", "search may not import byway.app"),
        ("search.made_up", "from ..crawl import fetch", "search may not import byway.crawl"),
        ("extract.made_up", "def f():\n    from byway.storage import memory", "line 2"),
        ("storage.made_up", "from byway.crawl.scope import Scope", "storage may not import"),
        ("cli.made_up", "from byway.index.sharded_index import X", "cli may not import"),
        ("cli.made_up", "from byway.village import Village", "cli may not import byway.village"),
        ("made_up", "from byway.core.model import Url", "made_up may not import"),
        ("storage.memory.made_up", "import tantivy", "only for index"),
        ("web.made_up", "from sqlite3 import connect", "only for storage"),
        ("cli.made_up", "import sqlite3", "only for storage"),
        ("app.engine", "from turbohtml import parse", "only for extract"),
        ("app.engine", "from rich.console import Console", "only for cli"),
        ("core.text", "import socket", "no input or output"),
        ("core.url", "from pathlib import Path", "no input or output"),
    ],
)
def test_breaking_the_law_is_noticed(module: str, source: str, why: str) -> None:
    (breach,) = breaches(module, source)
    assert why in breach


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("crawl.made_up", "from byway.crawl.scope import Scope\nfrom byway.core import url"),
        ("crawl.made_up", "from .scope import Scope\nfrom . import robots"),
        ("web.made_up", "from byway import __version__"),
        ("cli.demo", "from byway.village import Village\nfrom byway.cli.up import wait_for_stop"),
        ("index.made_up", "import tantivy, sqlite3"),
    ],
)
def test_what_the_law_allows_is_let_pass(module: str, source: str) -> None:
    assert not breaches(module, source)


def test_the_architecture_page_has_the_same_table() -> None:
    page = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    section = page.partition("## Import rules")[2].partition("\n## ")[0]
    rows = dict(re.findall(r"^\| (`.*`) \| (.*) \|$", section, re.MULTILINE))
    told = {
        folder.replace("/", "."): set(
            re.findall(r"\w+", law.replace("nothing", "").replace("stages", " ".join(STAGES)))
        )
        for folders, law in rows.items()
        for folder in re.findall(r"[\w/]+", folders)
    }
    assert told == {folder: set(law) for folder, law in LAW.items()}


@pytest.mark.parametrize(
    ("module", "heavy"),
    [
        (
            "cli.crawl",
            "numpy tantivy numba pypdf fastapi byway.search.searcher byway.extract.dispatch",
        ),
        (
            "cli.up",
            "numpy aiohttp numba pypdf fastapi starlette jinja2 byway.web.app byway.app.admin",
        ),
        ("cli.index", "numpy aiohttp tantivy numba pypdf fastapi byway.extract.dispatch"),
        ("cli.serve", "numpy tantivy aiohttp numba pypdf fastapi byway.app.admin byway.app.search"),
        (
            "app.processes.crawl_process",
            "numpy tantivy numba pypdf fastapi typer rich byway.app.index byway.extract.dispatch",
        ),
        (
            "app.processes.indexer_process",
            "aiohttp numba pypdf fastapi typer rich byway.crawl.crawler byway.extract.dispatch",
        ),
        ("web.web_process", "aiohttp numba pypdf typer rich byway.extract.dispatch"),
    ],
)
def test_a_process_loads_nothing_of_what_it_does_not_use_at_first(module: str, heavy: str) -> None:
    loaded = f"import sys, byway.{module}; print(*(set({heavy.split()}) & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("\n", "")
