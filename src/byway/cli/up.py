"""`byway up`: crawl, index and serve in one command."""

import os
import signal
import sys
import threading
import webbrowser

from byway.app.processes import indexer_process, search_page_process
from byway.cli.support.account_setup import has_admin, open_accounts_or_warn, print_search_url
from byway.cli.support.crawl_session import (
    AllowPrivateOption,
    ConcurrencyOption,
    DelayOption,
    MaxDepthOption,
    MaxPagesOption,
    ScopeOption,
    SeedUrlsArgument,
    crawl_overrides,
    crawl_summary,
    open_engine,
    print_unreachable_hosts,
    raise_if_unreachable,
    resolve_seeds,
    run_crawl,
)
from byway.cli.support.options import (
    DEFAULT_DATA_DIR,
    DataOption,
    PortOption,
    SetOption,
    VerboseOption,
)
from byway.cli.support.output import print_notice
from byway.core.messages import t
from byway.web.socket import listen, listener_url

PANEL = "Crawl"
ORDER = 1


def command(
    urls: SeedUrlsArgument = None,
    delay: DelayOption = None,
    pages: MaxPagesOption = None,
    depth: MaxDepthOption = None,
    concurrency: ConcurrencyOption = None,
    scope: ScopeOption = None,
    allow_private: AllowPrivateOption = None,
    port: PortOption = None,
    data: DataOption = DEFAULT_DATA_DIR,
    set: SetOption = None,
    verbose: VerboseOption = False,
) -> None:
    """Crawl sites, index them and serve a search page.

    Results appear while the crawl runs. Ctrl-C stops everything; run the command again with the
    same options, with or without URLs, to continue.
    """
    flags = crawl_overrides(
        delay=delay,
        max_pages=pages,
        max_depth=depth,
        concurrency=concurrency,
        scope=scope,
        allow_private=allow_private,
    )
    engine = open_engine(data, set, {**flags, "serve.port": port})
    seeds = resolve_seeds(urls, engine)
    engine.create()
    engine.storage.require_unlocked("crawl", "index")
    serve = engine.settings.serve
    with (
        open_accounts_or_warn(engine.storage, engine.settings) as accounts,
        listen(serve.host, serve.port, has_admin(accounts)) as listener,
    ):
        url = listener_url(listener)
        with search_page_process(engine, listener), indexer_process(engine):
            print_search_url(accounts, url)
            open_browser(url)
            result, signal_number = run_crawl(engine, seeds)
            if not result.kept:  # there is nothing to serve
                raise_if_unreachable(result)
            print_notice(crawl_summary(result))
            print_unreachable_hosts(result)
            # The admin page and `byway stop` end only the crawl, by SIGUSR1.
            if signal_number in (0, signal.SIGUSR1):
                print_notice(t("cli.up.still_serving", url=url))
                wait_for_stop()
    has_options = set or any(value is not None for value in flags.values())
    print_notice(t("cli.up.stopped_with_options" if has_options else "cli.up.stopped"))


def wait_for_stop() -> None:
    """Return on Ctrl-C or SIGTERM, the normal end of serving."""
    stopped = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stopped.set())
    stopped.wait()


def open_browser(url: str) -> None:
    """Open the page in a browser if this is an interactive desktop session."""
    desktop = sys.platform == "darwin" or "DISPLAY" in os.environ or "WAYLAND_DISPLAY" in os.environ
    if desktop and sys.stdout.isatty():
        webbrowser.open(url)
