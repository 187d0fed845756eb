"""Demo: the bundled sample web, crawled and searchable, to see what byway is like."""

import shutil
import sys
from pathlib import Path
from shlex import quote
from typing import Annotated

import typer

from byway.app.engine import Engine
from byway.app.processes import search_page
from byway.cli.support.account_setup import accounts_of, tell
from byway.cli.support.crawl_session import opened, run, summary
from byway.cli.support.options import Port, Set, Verbose
from byway.cli.support.output import counted, err, out, print_results, say
from byway.cli.up import open_browser, wait_for_stop
from byway.core.errors import DataError
from byway.core.model import Query
from byway.core.settings.load import to_toml
from byway.core.url import normalise
from byway.village import Village
from byway.web.socket import address, listen

ORDER = 2

MARK = "this-is-a-demo"
"""A file in the folder says that it may be thrown away."""
VILLAGE_PORT = 8601
QUESTIONS = ("inverted index", "туфли на танкетке", "village pond news")

DEMO = (
    "crawl.delay=0.02",
    "crawl.allow_private=127.0.0.0/8",
    "crawl.max_depth=8",
    "crawl.tries=1",
)
"""Settings that suit a web on this machine."""

DemoData = Annotated[
    Path, typer.Option("--data", help="The data folder; a demo made there before is replaced.")
]
Once = Annotated[bool, typer.Option("--once", help="Do not serve: end after the answers.")]


def command(
    port: Port = None,
    once: Once = False,
    data: DemoData = Path("byway-demo"),
    set: Set = None,
    verbose: Verbose = False,
) -> None:
    """Crawl a small sample web on this machine, show a few answers, and serve the search page."""
    engine = opened(data, [*DEMO, *(set or [])], {"serve.port": port})
    serve = engine.settings.serve
    with listen(serve.host, serve.port) as listener, Village(VILLAGE_PORT) as village:
        _make_folder(engine)
        say(f"crawling {len(village.seeds)} sample sites: {' '.join(village.seeds)}")
        ended, stopped = run(engine, [normalise(url) for url in village.seeds])
        if stopped:
            raise KeyboardInterrupt
        say(summary(ended))
        done = engine.index().documents
        say(f"{counted(done, 'document')} indexed, {counted(engine.rank(), 'URL')} ranked")
        _answer(engine)
        if once:
            return
        with search_page(engine, listener):
            url = address(listener)
            with accounts_of(engine.folder, engine.settings) as accounts:
                say("")
                tell(accounts, url)
            again = f"{as_called(sys.argv[0])} search --data {quote(str(data))} pagerank"
            err.print(f"try it from here too: {again}", markup=False, soft_wrap=True)
            open_browser(url)
            wait_for_stop()


def as_called(program: str) -> str:
    """What to type to call byway again, which a shell may not find by its name alone."""
    if Path(program).name == "__main__.py":
        return f"{quote(sys.executable)} -m byway"
    found = shutil.which("byway")
    if Path(program).name != program and not (found and Path(found).samefile(program)):
        return quote(program)
    return "byway"


def _make_folder(engine: Engine) -> None:
    """An empty data folder, which a later `byway --data byway-demo` finds the settings in."""
    path = engine.folder.path
    if path.exists() and any(path.iterdir()):
        if not (path / MARK).exists():
            raise DataError(f"{path} is not a demo's; name another folder with --data")
        with engine.folder.writing("crawl"):
            pass  # another demo that still runs there is not pulled from under its feet
        shutil.rmtree(path)
    engine.folder.create()
    (path / MARK).touch()
    engine.folder.settings.write_text(to_toml(engine.settings), encoding="utf-8")
    engine.create()


def _answer(engine: Engine) -> None:
    with engine.reading() as reading:
        for question in QUESTIONS:
            out.print(f"\n[bold cyan]byway search {question}[/bold cyan]")
            print_results(reading.search(Query(question, limit=2)))
