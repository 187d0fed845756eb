"""`byway demo`: crawl and search the bundled sample web."""

import shutil
import sys
from pathlib import Path
from shlex import quote
from typing import Annotated

import typer

from byway.app.engine import Engine
from byway.app.processes.listener import listen, listener_url
from byway.app.processes.local_runner import supervise
from byway.app.processes.tasks import web_processes
from byway.cli.support import options
from byway.cli.support.account_setup import open_accounts_or_warn, print_search_url
from byway.cli.support.crawl_session import crawl_summary, open_engine, run_crawl
from byway.cli.support.output import counted, out, print_notice, print_results
from byway.cli.support.stop_signals import receive_signals, wait_for_stop
from byway.cli.up import open_browser
from byway.core.errors import DataError
from byway.core.messages import t
from byway.core.model import Query
from byway.core.settings.load import to_toml
from byway.core.url import normalize
from byway.village import Village

PANEL = "Crawl"
ORDER = 2

DEMO_MARKER_FILE = "this-is-a-demo"
"""A data folder with this file is a demo and may be replaced."""
VILLAGE_PORT = 8601
SAMPLE_QUERIES = ("inverted index", "туфли на танкетке", "village pond news")

DEMO_SETTINGS = (
    "crawl.delay=0.02",
    "crawl.allow_private=127.0.0.0/8",
    "crawl.max_depth=8",
    "crawl.max_retries=0",
)
"""Settings for a sample web on this machine."""

DemoDataOption = Annotated[
    Path, typer.Option("--data", help="Data folder; an earlier demo there is replaced.")
]
OnceOption = Annotated[bool, typer.Option("--once", help="Exit after the sample searches.")]


def command(
    port: options.PortOption = None,
    once: OnceOption = False,
    data: DemoDataOption = Path("byway-demo"),
    set: options.SetOption = None,
    verbose: options.VerboseOption = False,
) -> None:
    """Try byway on a bundled sample web.

    Crawls a few small sites on this machine, runs sample searches and serves the search page.
    """
    engine = open_engine(data, [*DEMO_SETTINGS, *(set or [])], {"serve.port": port})
    serve = engine.settings.serve
    with listen(serve.host, serve.port) as listener, Village(VILLAGE_PORT) as village:
        _make_folder(engine)
        seeds = " ".join(village.seeds)
        print_notice(t("cli.demo.crawling", count=len(village.seeds), seeds=seeds))
        result, signal_number = run_crawl(engine, [normalize(url) for url in village.seeds])
        if signal_number:
            raise KeyboardInterrupt
        print_notice(crawl_summary(result))
        documents = counted("documents", engine.index().documents)
        urls = counted("urls", engine.rank())
        print_notice(t("cli.demo.indexed", documents=documents, urls=urls))
        _run_sample_queries(engine)
        if once:
            return
        with (
            web_processes(engine.storage.path, engine.settings, listener) as web,
            supervise(engine.storage) as runner,
        ):
            for worker in web:
                runner.start(worker)
            url = listener_url(listener)
            with open_accounts_or_warn(data, engine.settings) as accounts:
                print_notice("")
                print_search_url(accounts, url)
            example = f"{invocation_name(sys.argv[0])} search --data {quote(str(data))} pagerank"
            print_notice(t("cli.demo.try_it", command=example))
            open_browser(url)
            wait_for_stop(receive_signals())


def invocation_name(program: str) -> str:
    """The command that runs byway: its name, or its path if it is not on PATH."""
    if Path(program).name == "__main__.py":
        return f"{quote(sys.executable)} -m byway"
    found = shutil.which("byway")
    if Path(program).name != program and not (found and Path(found).samefile(program)):
        return quote(program)
    return "byway"


def _make_folder(engine: Engine) -> None:
    """Create an empty data folder with the demo's settings, replacing an earlier demo."""
    path = engine.storage.path
    if path.exists() and any(path.iterdir()):
        if not (path / DEMO_MARKER_FILE).exists():
            raise DataError("cli.not_a_demo", path=path)
        with engine.storage.write_lock("crawl"):
            pass  # raises while another demo runs there
        shutil.rmtree(path)
    engine.storage.create()
    (path / DEMO_MARKER_FILE).touch()
    engine.storage.settings_file.write_text(to_toml(engine.settings), encoding="utf-8")
    engine.create()


def _run_sample_queries(engine: Engine) -> None:
    with engine.search_session() as session:
        for query in SAMPLE_QUERIES:
            out.print(f"\n[bold cyan]byway search {query}[/bold cyan]")
            print_results(session.search(Query(query, max_hits=2)))
