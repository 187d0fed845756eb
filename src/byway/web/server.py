"""The HTTP server (uvicorn), on a socket that only this machine can reach until there is an admin.

run_on_socket(app, listener)            until SIGINT or SIGTERM
with serve_in_thread(app, host, port):  in a thread

An event loop accepts all waiting connections when it wakes up, so that with keep-alive one of
several workers may serve every client while the others are idle. Here a worker accepts one
connection at a time, and lets a worker with fewer connections go first.
"""

import asyncio
import errno
import logging
import signal
import socket
import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn
from fastapi import FastAPI

from byway.app.processes.listener import listen, listener_url
from byway.app.processes.worker_memory import WorkerMemory

log = logging.getLogger(__name__)

YIELD_SECONDS = 0.005
"""Time in which a worker with one connection less can accept one before this worker does."""
MAX_YIELD_SECONDS = 0.02
"""The same for a worker with many connections less, which may be busy at the moment."""
NO_DESCRIPTORS_PAUSE_SECONDS = 0.5
"""Pause after the process has run out of file descriptors; connections wait in the socket."""
OUT_OF_RESOURCES = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)
SHUTDOWN_TIMEOUT_SECONDS = 3
"""Seconds that running requests have to finish after a stop signal."""


def run_on_socket(app: FastAPI, listener: socket.socket) -> None:
    """Serve on a listening socket until SIGINT or SIGTERM."""
    _server(app).run(sockets=[listener])


@contextmanager
def serve_in_thread(app: FastAPI, host: str, port: int) -> Iterator[str]:
    """Serve in a thread for the duration of the block; yields the URL."""
    with listen(host, port) as listener:
        url = listener_url(listener)
        server = _server(app)
        thread = threading.Thread(target=server.run, args=([listener],), name="web", daemon=True)
        thread.start()
        try:
            yield url
        finally:
            server.should_exit = True
            thread.join()


class _WorkerServer(uvicorn.Server):
    """A server that shares its listening socket with other workers.

    It returns from run() after a stop signal instead of raising it again.
    """

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        workers = self.config.app.state.workers  # type: ignore[union-attr]
        connections = self.server_state.connections = ConnectionSet(workers)
        await super().startup([])
        self._acceptors = [
            ConnectionAcceptor(listener, self._make_protocol, connections, workers)
            for listener in sockets or ()
        ]

    async def on_tick(self, counter: int) -> bool:
        workers = self.config.app.state.workers  # type: ignore[union-attr]
        workers.beat(len(self.server_state.connections))
        return await super().on_tick(counter)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        # Event streams end when they see this.
        self.config.app.state.stopping = True  # type: ignore[union-attr]
        for acceptor in self._acceptors:
            acceptor.close()
        await super().shutdown(sockets)

    def _make_protocol(self) -> asyncio.Protocol:
        protocol: asyncio.Protocol = self.config.http_protocol_class(  # type: ignore[call-arg]
            config=self.config, server_state=self.server_state, app_state=self.lifespan.state
        )
        return protocol

    @contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        signals = (signal.SIGINT, signal.SIGTERM)
        handlers = {number: signal.signal(number, self.handle_exit) for number in signals}
        try:
            yield
        finally:
            for number, handler in handlers.items():
                signal.signal(number, handler)


def _server(app: FastAPI) -> uvicorn.Server:
    return _WorkerServer(
        uvicorn.Config(
            app,
            access_log=False,
            server_header=False,
            # Forwarded addresses count only from the proxies in the settings.
            proxy_headers=bool(app.state.proxies),
            forwarded_allow_ips=list(app.state.proxies),
            log_config=None,
            log_level="error",
            ws="none",
            timeout_graceful_shutdown=SHUTDOWN_TIMEOUT_SECONDS,
        )
    )


class ConnectionSet(set[Any]):
    """The open connections of a worker, whose number the others know at once."""

    def __init__(self, workers: WorkerMemory) -> None:
        super().__init__()
        self._workers = workers

    def add(self, connection: Any) -> None:
        """Add a connection that was made."""
        super().add(connection)
        self._workers.beat(len(self))

    def discard(self, connection: Any) -> None:
        """Remove a connection that was lost."""
        super().discard(connection)
        self._workers.beat(len(self))


class ConnectionAcceptor:
    """Accepts connections in the running event loop until it is closed."""

    def __init__(
        self,
        listener: socket.socket,
        make_protocol: Callable[[], asyncio.Protocol],
        connections: "ConnectionSet",
        workers: WorkerMemory,
    ) -> None:
        self._listener = listener
        self._make_protocol = make_protocol
        self._connections = connections
        self._workers = workers
        self._loop = asyncio.get_running_loop()
        self._starting: set[asyncio.Task[object]] = set()
        self._pause: asyncio.TimerHandle | None = None
        listener.setblocking(False)
        self._loop.add_reader(listener, self._on_readable)

    def close(self) -> None:
        """Leave waiting connections to the other workers."""
        if self._pause:
            self._pause.cancel()
        self._loop.remove_reader(self._listener)

    def _on_readable(self) -> None:
        surplus = len(self._connections) + len(self._starting) - self._workers.least_connections()
        if surplus > 0:
            self._pause_for(min(surplus * YIELD_SECONDS, MAX_YIELD_SECONDS))
        else:
            self._accept()

    def _pause_for(self, seconds: float) -> None:
        # A readable socket would wake the loop again and again.
        self._loop.remove_reader(self._listener)
        self._pause = self._loop.call_later(seconds, self._resume)

    def _resume(self) -> None:
        self._pause = None
        self._loop.add_reader(self._listener, self._on_readable)
        self._accept()

    def _accept(self) -> None:
        try:
            connection, _ = self._listener.accept()
        except (BlockingIOError, InterruptedError, ConnectionAbortedError):
            return  # another worker has accepted it, or the client has gone
        except OSError as error:
            if error.errno not in OUT_OF_RESOURCES:
                raise
            log.warning("cannot accept connections problem=%s", error.strerror)
            self._pause_for(NO_DESCRIPTORS_PAUSE_SECONDS)
            return
        connection.setblocking(False)
        start = self._loop.connect_accepted_socket(self._make_protocol, connection)
        task: asyncio.Task[object] = self._loop.create_task(start)
        self._starting.add(task)
        task.add_done_callback(self._on_started)
        self._workers.beat(len(self._connections) + len(self._starting))

    def _on_started(self, task: asyncio.Task[object]) -> None:
        self._starting.discard(task)
        if not task.cancelled() and (error := task.exception()):
            log.debug("connection failed problem=%s", error)
