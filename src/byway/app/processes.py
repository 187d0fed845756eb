"""What runs beside a crawl: the search page and the indexer, each a process of its own.

Each holds one end of a pipe. When the other end closes it leaves: because the block is over, or
because the process that started it is gone, however it went. Ctrl-C reaches every process of a
terminal; these leave it to the one that started them.
"""

import multiprocessing
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from typing import Any

from byway.app.engine import Engine
from byway.cli.support.account_setup import open_accounts_or_warn
from byway.core.errors import BywayError

SHUTDOWN_TIMEOUT_SECONDS = 10.0
"""Seconds they are given to finish before they are ended."""


@contextmanager
def search_page_process(engine: Engine, listener: socket.socket) -> Iterator[None]:
    """The search page, as long as the block lasts."""
    with _beside("search page", _serve, engine, listener):
        yield


@contextmanager
def indexer_process(engine: Engine) -> Iterator[None]:
    """An indexer that follows the crawl, as long as the block lasts, and then catches up."""
    with _beside("indexer", _index, engine):
        yield


@contextmanager
def _beside(name: str, work: Callable[..., None], *arguments: Any) -> Iterator[None]:
    context = multiprocessing.get_context("spawn")
    theirs, ours = context.Pipe(duplex=False)
    process = context.Process(target=_run, args=(work, theirs, *arguments), name=name, daemon=True)
    # Inherited by the process from its first moment on, before it could say so itself.
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    process.start()
    signal.signal(signal.SIGINT, before)
    theirs.close()
    try:
        yield
    finally:
        ours.close()
        process.join(SHUTDOWN_TIMEOUT_SECONDS)
        process.terminate()
        process.join()


def _run(work: Callable[..., None], over: Connection, *arguments: Any) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    work(over, *arguments)


def _serve(over: Connection, engine: Engine, listener: socket.socket) -> None:
    # Loaded here, in the process that serves: the crawl and the indexer are 20 MB smaller without.
    from byway.app.admin import AdminService
    from byway.app.pages import PageArchive
    from byway.web.app import make_app
    from byway.web.server import run_on_socket

    def end() -> None:
        over.poll(None)
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=end, daemon=True).start()
    folder, settings = engine.folder, engine.settings
    with engine.search_session() as reading, open_accounts_or_warn(folder, settings) as accounts:
        control = AdminService(folder, settings, reading)
        app = make_app(
            reading.search,
            reading.status,
            settings.serve,
            accounts,
            control,
            reading.suggest,
            PageArchive(folder, settings, reading),
        )
        run_on_socket(app, listener)


def _index(over: Connection, engine: Engine) -> None:
    try:
        engine.follow_crawl(over.poll)
    except BywayError as error:
        sys.exit(f"byway: {error}")
