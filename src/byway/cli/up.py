"""Up: crawl, index and serve at once; the shortest way from a URL to a search page."""

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
from byway.web.socket import listen, listener_url

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
    """Crawl these sites and serve a search page over them; results appear as pages come in.

    Ctrl-C stops it; with the same options, with or without URLs, it goes on where it was.
    """
    flags = crawl_overrides(delay, pages, depth, concurrency, scope, allow_private)
    engine = open_engine(data, set, {**flags, "serve.port": port})
    named = resolve_seeds(urls, engine)
    engine.create()
    engine.folder.require_unlocked("crawl", "index")
    serve = engine.settings.serve
    with (
        open_accounts_or_warn(engine.folder, engine.settings) as accounts,
        listen(serve.host, serve.port, has_admin(accounts)) as listener,
    ):
        url = listener_url(listener)
        with search_page_process(engine, listener), indexer_process(engine):
            print_search_url(accounts, url)
            open_browser(url)
            ended, stopped = run_crawl(engine, named)
            if not ended.kept:  # there is nothing to serve
                raise_if_unreachable(ended)
            print_notice(crawl_summary(ended))
            print_unreachable_hosts(ended)
            # The admin page and `byway stop` end the crawl alone, by SIGUSR1.
            if stopped in (0, signal.SIGUSR1):
                print_notice(f"still serving {url}")
                wait_for_stop()
    given = set or any(value is not None for value in flags.values())
    print_notice(
        f"stopped; running it again{' with the same options' if given else ''} goes on where it was"
    )


def wait_for_stop() -> None:
    """Return on Ctrl-C or SIGTERM: that is how serving ends, and no error."""
    stopped = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stopped.set())
    stopped.wait()


def open_browser(url: str) -> None:
    """Show the page, where there is a desktop and a person in front of it."""
    desktop = sys.platform == "darwin" or "DISPLAY" in os.environ or "WAYLAND_DISPLAY" in os.environ
    if desktop and sys.stdout.isatty():
        webbrowser.open(url)
