"""Do the docs tell the truth? What they name exists, what they link to is there, what they say
to type can be typed.
"""

import importlib.util
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.parse import urlsplit
from urllib.request import urlopen

import pytest
import typer
from typer.core import TyperGroup

from byway.app.pages import PageArchive
from byway.app.search import search_session
from byway.cli import command_modules, make_app
from byway.core.model import UrlState
from byway.core.settings.load import (
    ENV_PREFIX,
    RESERVED_ENV_NAMES,
    describe_settings,
    load_settings,
)
from byway.crawl.outcome import MAX_REDIRECTS
from byway.search.rank.signals import SIGNALS
from byway.storage.sqlite.storage import SqliteStorage
from byway.web.app import make_app as make_web
from byway.web.server import serve_in_thread

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
REFERENCE = ROOT / "docs" / "reference"
SETTINGS = {setting.name for _, _, settings in describe_settings() for setting in settings}
SECTIONS = {section for section, _, _ in describe_settings()}

FENCE = re.compile(r"^( *)```(\w*)\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
SPAN = re.compile(r"(?<!`)`([^`]+)`(?!`)")
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ +(.+)$", re.MULTILINE)
FILES = {"py", "db", "lock", "toml", "md", "html", "txt", "json"}
"""What a name may end in that looks like a setting and is a file: `crawl.db`."""


def _pages() -> list[Path]:
    """Every Markdown file that is ours."""
    folders = [each for each in ROOT.iterdir() if each.is_dir() and each.name[0] != "."]
    inside = [page for each in folders for page in each.rglob("*.md")]
    return sorted([*ROOT.glob("*.md"), *inside])


PAGES = [str(page.relative_to(ROOT)) for page in _pages()]
every_page = pytest.mark.parametrize("page", PAGES)


@cache
def _text(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def _prose(page: str) -> str:
    return FENCE.sub("", _text(page))


def _spans(page: str) -> list[str]:
    """The `code` in the sentences of a page, line ends as spaces."""
    return [" ".join(span.split()) for span in SPAN.findall(_prose(page))]


def _typed(page: str) -> list[str]:
    """The lines that a page tells people to type: those with a $ in `console` blocks."""
    blocks = [block for _, kind, block in FENCE.findall(_text(page)) if kind == "console"]
    lines = [line.strip() for block in blocks for line in block.splitlines()]
    return [line.removeprefix("$ ") for line in lines if line.startswith("$ ")]


def _byway_lines() -> list[tuple[str, str]]:
    return [(page, line) for page in PAGES for line in _typed(page) if line.startswith("byway")]


@cache
def _commands() -> dict[str, Any]:
    group = typer.main.get_command(make_app())
    assert isinstance(group, TyperGroup)
    return dict(group.commands)


def _generator() -> ModuleType:
    place = importlib.util.spec_from_file_location("generate", ROOT / "docs" / "generate.py")
    assert place and place.loader
    module = importlib.util.module_from_spec(place)
    place.loader.exec_module(module)
    return module


# What is generated and what must be there.


def test_the_generated_pages_are_up_to_date(monkeypatch: pytest.MonkeyPatch) -> None:
    command_modules()  # loaded first: output is as wide as the terminal was when it is imported
    monkeypatch.setenv("COLUMNS", "40")  # whatever the terminal is
    for path, text in _generator().generated_pages().items():
        assert path.read_text(encoding="utf-8") == text, f"{path.name} is old; run `make docs`"


def test_every_command_is_in_the_reference_and_in_the_readme() -> None:
    names = [module.__name__.rpartition(".")[2] for module in command_modules()]
    told = HEADING.findall((REFERENCE / "commands.md").read_text(encoding="utf-8"))
    table = re.findall(r"^\| `byway (\w+)` \|", README.read_text(encoding="utf-8"), re.MULTILINE)
    assert told[2:] == [f"byway {name}" for name in names]
    assert sorted(table) == sorted(names)


def test_every_setting_is_in_the_reference() -> None:
    told = HEADING.findall((REFERENCE / "settings.md").read_text(encoding="utf-8"))
    assert {name.strip("`") for name in told} >= SETTINGS | SECTIONS


def test_every_state_is_explained() -> None:
    rows = re.findall(r"^\| `(\w+)` \|", _text("docs/reference/states.md"), re.MULTILINE)
    assert rows == [str(state) for state in UrlState]


def test_every_signal_is_explained_with_its_weight() -> None:
    page = _text("docs/explanation/ranking.md")
    rows = re.findall(r"^\| `(\w+)` \| ([\d.]+) \|", page, re.MULTILINE)
    assert {name: float(weight) for name, weight in rows} == {
        name: signal.weight for name, signal in SIGNALS.items()
    }


def test_the_limit_of_redirects_is_explained() -> None:
    assert f"at most {MAX_REDIRECTS} in a row" in _text("docs/explanation/crawling.md")


# What is named.


@every_page
def test_links_and_pictures_lead_somewhere(page: str) -> None:
    for link in LINK.findall(_prose(page)):
        if re.match(r"[a-z]+:", link):
            continue
        place, _, anchor = link.partition("#")
        target = ((ROOT / page).parent / place).resolve() if place else ROOT / page
        assert target.exists(), f"{page}: {link}"
        if anchor:
            assert anchor in _anchors(target), f"{page}: {link}"


def _anchors(path: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    text = FENCE.sub("", path.read_text(encoding="utf-8"))
    plain = (re.sub(r"[^\w\- ]", "", heading.lower()) for heading in HEADING.findall(text))
    return {heading.strip().replace(" ", "-") for heading in plain}


@every_page
def test_settings_that_are_named_exist(page: str) -> None:
    names = re.compile(rf"\b((?:{'|'.join(SECTIONS)})\.[a-z_]+)(?:\.([a-z_]+))?\b")
    for code in [*_spans(page), *_typed(page)]:
        for name, signal in names.findall(code):
            if name.rpartition(".")[2] not in FILES and "/" not in code:
                assert name in SETTINGS, f"{page}: {code}"
                assert not signal or signal in SIGNALS, f"{page}: {code}"


@every_page
def test_variables_that_are_named_exist(page: str) -> None:
    weights = [f"search.weights.{name}" for name in (*SIGNALS, "NAME")]
    known = {
        ENV_PREFIX + name.replace(".", "__").upper() for name in (*SETTINGS, *weights)
    } | RESERVED_ENV_NAMES
    for code in [*_spans(page), *_typed(page)]:
        assert set(re.findall(rf"\b{ENV_PREFIX}\w+", code)) <= known, f"{page}: {code}"


@every_page
def test_files_that_are_named_exist(page: str) -> None:
    for code in _spans(page):
        if re.fullmatch(r"[\w./-]+/[\w-]+\.(py|md|toml)", code) and "my-search" not in code:
            assert (ROOT / code).exists() or (ROOT / "src/byway" / code).exists(), f"{page}: {code}"


@every_page
def test_make_targets_that_are_named_exist(page: str) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
    for code in [*_spans(page), *_typed(page)]:
        if named := re.fullmatch(r"make ([a-z-]+)", code):
            assert named.group(1) in targets, f"{page}: {code}"


# What is to be typed.


@every_page
def test_commands_that_are_named_exist(page: str) -> None:
    for code in _spans(page):
        if not (named := re.fullmatch(r"byway ([a-z]+)( .*)?", code)):
            continue
        command = _commands().get(named.group(1))
        assert command, f"{page}: {code}"
        options = {option for each in command.params for option in each.opts} | {"--help"}
        assert set(re.findall(r"(?<!\S)-[\w-]+", named.group(2) or "")) <= options, page


@pytest.mark.parametrize(("page", "line"), _byway_lines())
def test_command_lines_can_be_typed(page: str, line: str) -> None:
    _, name, *words = shlex.split(line.partition(" > ")[0], comments=True)
    assert name in _commands(), f"{page}: {line}"
    given = _commands()[name].make_context(name, words).params
    load_settings(None, {}, given.get("set") or [])


def test_a_command_line_with_a_mistake_in_it_would_be_noticed() -> None:
    for line in ("byway upp", "byway up --dealy 1", "byway search", "byway up --set crawl.dealy=1"):
        with pytest.raises(Exception, match=r"upp|dealy|words"):
            test_command_lines_can_be_typed("made-up.md", line)


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which somebody has run the demo, though not to its end, which takes longer."""
    here = tmp_path_factory.mktemp("demo")
    done = _run("byway demo --once --port 0 --set crawl.max_pages=60", here)
    assert "Inverted index" in done
    return here


def _run(line: str, here: Path) -> str:
    words = [sys.executable, "-m", *shlex.split(line)]
    done = subprocess.run(words, cwd=here, capture_output=True, text=True, timeout=60)
    assert not done.returncode, f"{line}: {done.stderr}"
    return done.stdout


def test_what_the_readme_says_about_the_demo_can_be_done(demo: Path) -> None:
    lines = [line for line in _typed("README.md") if "--data byway-demo" in line]
    assert lines
    for line in lines:
        assert _run(line, demo), line


def test_what_the_docs_ask_the_api_is_answered(demo: Path) -> None:
    asked = [line for page in PAGES for line in _typed(page) if line.startswith("curl '")]
    assert len(asked) > 10
    settings, folder = load_settings(None, {}), SqliteStorage(demo / "byway-demo")
    with search_session(folder, settings) as opened:
        kept = PageArchive(folder, settings, opened)
        app = make_web(
            opened.search, opened.status, settings.serve, suggest=opened.suggest, archive=kept
        )
        port = urlsplit(opened.catalog.seeds()[0]).port  # another where 8601 was taken
        with serve_in_thread(app, "127.0.0.1", 0) as url:
            for line in asked:
                path = shlex.split(line)[1].removeprefix("http://127.0.0.1:8600/")
                with urlopen(url + path.replace(":8601", f":{port}")) as answer:
                    assert answer.status == 200, line
                    assert answer.read(), line


def test_the_data_folder_is_as_the_architecture_says(demo: Path) -> None:
    section = _text("ARCHITECTURE.md").partition("## On disk")[2].partition("\n## ")[0]
    named = set(re.findall(r"^  ([\w.]+)(?:/\S*)? +", section, re.MULTILINE))
    made = {path.name for path in (demo / "byway-demo").iterdir()}
    assert {"crawl.db", "pages", "documents.db", "index", "rank"} <= named & made
    assert made - named <= set(_beside(made)), "ARCHITECTURE.md does not name these"


def _beside(made: set[str]) -> Iterator[str]:
    """What SQLite, the locks and the demo put there, which nobody needs to know of."""
    yield "this-is-a-demo"
    yield from (name for name in made if name.endswith((".lock", "-wal", "-shm")))
