"""`byway up`: crawl, index and serve in one command."""

import os
import sys
import webbrowser

from byway.app.processes.listener import listen, listener_url
from byway.app.processes.local_runner import supervise
from byway.app.processes.tasks import crawl_process, indexer_process, web_processes
from byway.cli.support import options
from byway.cli.support.account_setup import has_admin, open_accounts_or_warn, print_search_url
from byway.cli.support.crawl_session import (
    crawl_summary,
    open_engine,
    print_if_paused,
    print_unreachable_hosts,
    raise_if_unreachable,
    resolve_seeds,
    watch_crawl_process,
)
from byway.cli.support.output import print_notice
from byway.cli.support.stop_signals import receive_signals, wait_for_stop
from byway.core.messages import t

PANEL = "Crawl"
ORDER = 1


def command(
    urls: options.SeedUrlsArgument = None,
    delay: options.DelayOption = None,
    pages: options.MaxPagesOption = None,
    depth: options.MaxDepthOption = None,
    concurrency: options.ConcurrencyOption = None,
    scope: options.ScopeOption = None,
    allow_private: options.AllowPrivateOption = None,
    port: options.PortOption = None,
    workers: options.WorkersOption = None,
    data: options.DataOption = options.DEFAULT_DATA_DIR,
    set: options.SetOption = None,
    verbose: options.VerboseOption = False,
) -> None:
    """Crawl sites, index them and serve a search page.

    Results appear while the crawl runs. Ctrl-C stops everything; run the command again with the
    same options, with or without URLs, to continue.
    """
    flags = {
        "crawl.delay": delay,
        "crawl.max_pages": pages,
        "crawl.max_depth": depth,
        "crawl.concurrency": concurrency,
        "crawl.scope": scope,
        "crawl.allow_private": allow_private,
    }
    engine = open_engine(data, set, {**flags, "serve.port": port, "serve.workers": workers})
    seeds = resolve_seeds(urls, engine)
    engine.create()
    engine.storage.require_unlocked("crawl", "index")
    serve = engine.settings.serve
    with (
        open_accounts_or_warn(data, engine.settings) as accounts,
        listen(serve.host, serve.port, has_admin(accounts)) as listener,
        web_processes(engine.storage.path, engine.settings, listener) as web,
    ):
        url = listener_url(listener)
        with supervise(engine.storage) as runner:
            for worker in web:
                runner.start(worker)
            runner.start(indexer_process(engine.storage.path, engine.settings))
            print_search_url(accounts, url)
            open_browser(url)
            print_if_paused(engine)
            events = receive_signals()
            result, interrupted = watch_crawl_process(
                runner, crawl_process(engine.storage.path, engine.settings, seeds), events
            )
            if result:
                if not result.kept:  # there is nothing to serve
                    raise_if_unreachable(result)
                print_notice(crawl_summary(result))
                print_unreachable_hosts(result)
            # The admin page and `byway stop` end only the crawl.
            if not interrupted:
                print_notice(t("cli.up.still_serving", url=url))
                wait_for_stop(events)
    has_options = set or any(value is not None for value in flags.values())
    print_notice(t("cli.up.stopped_with_options" if has_options else "cli.up.stopped"))


def open_browser(url: str) -> None:
    """Open the page in a browser if this is an interactive desktop session."""
    desktop = sys.platform == "darwin" or "DISPLAY" in os.environ or "WAYLAND_DISPLAY" in os.environ
    if desktop and sys.stdout.isatty():
        webbrowser.open(url)
