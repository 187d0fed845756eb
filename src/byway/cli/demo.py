"""Demo: the bundled sample web, crawled and searchable, to see what byway is like."""

import shutil
import sys
from pathlib import Path
from shlex import quote
from typing import Annotated

import typer

from byway.app.engine import Engine
from byway.app.processes import search_page_process
from byway.cli.support.account_setup import open_accounts_or_warn, print_search_url
from byway.cli.support.crawl_session import crawl_summary, open_engine, run_crawl
from byway.cli.support.options import PortOption, SetOption, VerboseOption
from byway.cli.support.output import err, out, pluralize, print_notice, print_results
from byway.cli.up import open_browser, wait_for_stop
from byway.core.errors import DataError
from byway.core.model import Query
from byway.core.settings.load import to_toml
from byway.core.url import normalize
from byway.village import Village
from byway.web.socket import listen, listener_url

ORDER = 2

DEMO_MARKER_FILE = "this-is-a-demo"
"""A file in the folder says that it may be thrown away."""
VILLAGE_PORT = 8601
SAMPLE_QUERIES = ("inverted index", "туфли на танкетке", "village pond news")

DEMO_SETTINGS = (
    "crawl.delay=0.02",
    "crawl.allow_private=127.0.0.0/8",
    "crawl.max_depth=8",
    "crawl.max_retries=0",
)
"""Settings that suit a web on this machine."""

DemoDataOption = Annotated[
    Path, typer.Option("--data", help="The data folder; a demo made there before is replaced.")
]
OnceOption = Annotated[bool, typer.Option("--once", help="Do not serve: end after the answers.")]


def command(
    port: PortOption = None,
    once: OnceOption = False,
    data: DemoDataOption = Path("byway-demo"),
    set: SetOption = None,
    verbose: VerboseOption = False,
) -> None:
    """Crawl a small sample web on this machine, show a few answers, and serve the search page."""
    engine = open_engine(data, [*DEMO_SETTINGS, *(set or [])], {"serve.port": port})
    serve = engine.settings.serve
    with listen(serve.host, serve.port) as listener, Village(VILLAGE_PORT) as village:
        _make_folder(engine)
        print_notice(f"crawling {len(village.seeds)} sample sites: {' '.join(village.seeds)}")
        ended, stopped = run_crawl(engine, [normalize(url) for url in village.seeds])
        if stopped:
            raise KeyboardInterrupt
        print_notice(crawl_summary(ended))
        done = engine.index().documents
        print_notice(
            f"{pluralize(done, 'document')} indexed, {pluralize(engine.rank(), 'URL')} ranked"
        )
        _answer(engine)
        if once:
            return
        with search_page_process(engine, listener):
            url = listener_url(listener)
            with open_accounts_or_warn(engine.folder, engine.settings) as accounts:
                print_notice("")
                print_search_url(accounts, url)
            again = f"{invocation_name(sys.argv[0])} search --data {quote(str(data))} pagerank"
            err.print(f"try it from here too: {again}", markup=False, soft_wrap=True)
            open_browser(url)
            wait_for_stop()


def invocation_name(program: str) -> str:
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
        if not (path / DEMO_MARKER_FILE).exists():
            raise DataError(f"{path} is not a demo's; name another folder with --data")
        with engine.folder.write_lock("crawl"):
            pass  # another demo that still runs there is not pulled from under its feet
        shutil.rmtree(path)
    engine.folder.create()
    (path / DEMO_MARKER_FILE).touch()
    engine.folder.settings_file.write_text(to_toml(engine.settings), encoding="utf-8")
    engine.create()


def _answer(engine: Engine) -> None:
    with engine.search_session() as reading:
        for question in SAMPLE_QUERIES:
            out.print(f"\n[bold cyan]byway search {question}[/bold cyan]")
            print_results(reading.search(Query(question, max_hits=2)))
