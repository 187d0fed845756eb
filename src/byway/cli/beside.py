"""What runs beside a crawl: the search page and the indexer, each a process of its own.

They leave when they are told to, and also when the process that started them is gone, however it
went. Ctrl-C reaches every process of a terminal; they leave it to the one that started them.
"""

import multiprocessing
import os
import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.synchronize import Event

from byway.engine import Engine
from byway.web.app import make_app
from byway.web.serve import run_on

PATIENCE = 10.0
"""Seconds they are given to finish before they are ended."""


@contextmanager
def search_page(engine: Engine, listener: socket.socket) -> Iterator[None]:
    """The search page, as long as the block lasts."""
    with _beside("search page", _serve, engine, listener):
        yield


@contextmanager
def indexer(engine: Engine) -> Iterator[None]:
    """An indexer that follows the crawl, as long as the block lasts, and then catches up."""
    with _beside("indexer", _index, engine, None):
        yield


@contextmanager
def _beside(
    name: str, work: object, engine: Engine, listener: socket.socket | None
) -> Iterator[None]:
    context = multiprocessing.get_context("spawn")
    stop = context.Event()
    process = context.Process(
        target=_run, args=(work, engine, listener, stop), name=name, daemon=True
    )
    process.start()
    try:
        yield
    finally:
        stop.set()
        process.join(PATIENCE)
        process.terminate()
        process.join()


def _run(work: object, engine: Engine, listener: socket.socket | None, stop: Event) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_leave_with_parent, daemon=True).start()
    assert callable(work)
    work(engine, listener, stop)


def _serve(engine: Engine, listener: socket.socket, stop: Event) -> None:
    def end() -> None:
        stop.wait()
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=end, daemon=True).start()
    with engine.reading() as reading:
        run_on(make_app(reading.search, reading.status, engine.settings.serve), listener)


def _index(engine: Engine, _: None, stop: Event) -> None:
    engine.index_until(stop.wait)


def _leave_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
    os._exit(1)
