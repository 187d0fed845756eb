"""The HTTP server (uvicorn), on a socket that only this machine can reach until there is an admin.

run_on_socket(app, listener)            until SIGINT or SIGTERM
with serve_in_thread(app, host, port):  in a thread
"""

import asyncio
import signal
import socket
import threading
from collections.abc import Generator, Iterator
from contextlib import contextmanager

import uvicorn
from fastapi import FastAPI

from byway.app.processes.listener import listen, listener_url
from byway.web.connection_acceptor import ConnectionAcceptor, ConnectionSet

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
