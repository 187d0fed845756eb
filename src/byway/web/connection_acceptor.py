"""Accepts connections from a socket that several web workers share, so that each gets its part.

An event loop accepts all waiting connections when it wakes up, so that with keep-alive one worker
may serve every client while the others are idle. Here a worker accepts one connection at a time,
and lets a worker with fewer connections go first.
"""

import asyncio
import errno
import logging
import socket
from collections.abc import Callable
from typing import Any

from byway.app.processes.worker_memory import WorkerMemory

log = logging.getLogger(__name__)

YIELD_SECONDS = 0.005
"""Time in which a worker with one connection less can accept one before this worker does."""
MAX_YIELD_SECONDS = 0.02
"""The same for a worker with many connections less, which may be busy at the moment."""
NO_DESCRIPTORS_PAUSE_SECONDS = 0.5
"""Pause after the process has run out of file descriptors; connections wait in the socket."""
OUT_OF_RESOURCES = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)


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
