"""Child processes beside a crawl: the web server and the indexer.

Each holds one end of a pipe and exits when the other end closes: the block has ended, or the parent
has died. Ctrl-C reaches every process in a terminal; the children ignore it.
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
"""Seconds to finish before they are terminated."""


@contextmanager
def search_page_process(engine: Engine, listener: socket.socket) -> Iterator[None]:
    """The web server, for the duration of the block."""
    with _child_process("search page", _serve, engine, listener):
        yield


@contextmanager
def indexer_process(engine: Engine) -> Iterator[None]:
    """An indexer that follows the crawl for the duration of the block, and then catches up."""
    with _child_process("indexer", _index, engine):
        yield


@contextmanager
def _child_process(name: str, work: Callable[..., None], *arguments: Any) -> Iterator[None]:
    context = multiprocessing.get_context("spawn")
    child_end, parent_end = context.Pipe(duplex=False)
    process = context.Process(
        target=_run, args=(work, child_end, *arguments), name=name, daemon=True
    )
    # Inherited by the child, so that it ignores Ctrl-C from its first moment.
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    process.start()
    signal.signal(signal.SIGINT, before)
    child_end.close()
    try:
        yield
    finally:
        parent_end.close()
        process.join(SHUTDOWN_TIMEOUT_SECONDS)
        process.terminate()
        process.join()


def _run(work: Callable[..., None], pipe: Connection, *arguments: Any) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    work(pipe, *arguments)


def _serve(pipe: Connection, engine: Engine, listener: socket.socket) -> None:
    # Imported in the serving process only: the crawl and the indexer are 20 MB smaller without.
    from byway.app.admin import AdminService
    from byway.app.pages import PageArchive
    from byway.web.app import make_app
    from byway.web.server import run_on_socket

    def stop_with_parent() -> None:
        pipe.poll(None)
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=stop_with_parent, daemon=True).start()
    folder, settings = engine.folder, engine.settings
    with engine.search_session() as session, open_accounts_or_warn(folder, settings) as accounts:
        admin = AdminService(folder, settings, session)
        app = make_app(
            session.search,
            session.status,
            settings.serve,
            accounts,
            admin,
            session.suggest,
            PageArchive(folder, settings, session),
        )
        run_on_socket(app, listener)


def _index(pipe: Connection, engine: Engine) -> None:
    try:
        engine.follow_crawl(pipe.poll)
    except BywayError as error:
        sys.exit(f"byway: {error}")
