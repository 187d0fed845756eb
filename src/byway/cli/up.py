"""Up: crawl, index and serve at once; the shortest way from a URL to a search page."""

import os
import signal
import sys
import threading
import webbrowser

from byway.app.processes import indexer, search_page
from byway.cli.support.account_setup import accounts_of, is_guarded, tell
from byway.cli.support.crawl_session import (
    AllowPrivate,
    Concurrency,
    Delay,
    Depth,
    Pages,
    ScopeOption,
    Urls,
    crawl_flags,
    opened,
    require_answers,
    run,
    say_who_is_silent,
    seeds,
    summary,
)
from byway.cli.support.options import HERE, Data, Port, Set, Verbose
from byway.cli.support.output import say
from byway.web.socket import address, listen

ORDER = 1


def command(
    urls: Urls = None,
    delay: Delay = None,
    pages: Pages = None,
    depth: Depth = None,
    concurrency: Concurrency = None,
    scope: ScopeOption = None,
    allow_private: AllowPrivate = None,
    port: Port = None,
    data: Data = HERE,
    set: Set = None,
    verbose: Verbose = False,
) -> None:
    """Crawl these sites and serve a search page over them; results appear as pages come in.

    Ctrl-C stops it; with the same options, with or without URLs, it goes on where it was.
    """
    flags = crawl_flags(delay, pages, depth, concurrency, scope, allow_private)
    engine = opened(data, set, {**flags, "serve.port": port})
    named = seeds(urls, engine)
    engine.create()
    engine.folder.require_free("crawl", "index")
    serve = engine.settings.serve
    with (
        accounts_of(engine.folder, engine.settings) as accounts,
        listen(serve.host, serve.port, is_guarded(accounts)) as listener,
    ):
        url = address(listener)
        with search_page(engine, listener), indexer(engine):
            tell(accounts, url)
            open_browser(url)
            ended, stopped = run(engine, named)
            if not ended.kept:  # there is nothing to serve
                require_answers(ended)
            say(summary(ended))
            say_who_is_silent(ended)
            # The admin page and `byway stop` end the crawl alone, by SIGUSR1.
            if stopped in (0, signal.SIGUSR1):
                say(f"still serving {url}")
                wait_for_stop()
    given = set or any(value is not None for value in flags.values())
    say(
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
