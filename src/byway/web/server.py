"""How is the site served? On a socket we open ourselves, which only this machine can reach
unless there are accounts.

run(app, host, port)            until SIGINT or SIGTERM
with running(app, host, port):  beside something else, in a thread
"""

import signal
import socket
import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager

import uvicorn
from fastapi import FastAPI

from byway.web.socket import listen, listener_url

SHUTDOWN_TIMEOUT_SECONDS = 3
"""Seconds an answer under way may still take when we are told to stop."""


def run(
    app: FastAPI,
    host: str,
    port: int,
    on_ready: Callable[[str], None] = lambda url: None,
    allow_remote: bool = False,
) -> None:
    """Serve until SIGINT or SIGTERM; `on_ready` is told the URL before the first request."""
    with listen(host, port, allow_remote) as listener:
        on_ready(listener_url(listener))
        run_on_socket(app, listener)


def run_on_socket(app: FastAPI, listener: socket.socket) -> None:
    """Serve on a socket that listens already, until SIGINT or SIGTERM."""
    _server(app).run(sockets=[listener])


@contextmanager
def serve_in_thread(app: FastAPI, host: str, port: int) -> Iterator[str]:
    """Serve in a thread as long as the block lasts; gives the URL."""
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


class _QuietServer(uvicorn.Server):
    """A server for which being told to stop is no error: it stops, and run() returns."""

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        # Pages that never end, the live ones, end when they see this.
        self.config.app.state.stopping = True  # type: ignore[union-attr]
        await super().shutdown(sockets)

    @contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        stops = (signal.SIGINT, signal.SIGTERM)
        before = {stop: signal.signal(stop, self.handle_exit) for stop in stops}
        try:
            yield
        finally:
            for stop, handler in before.items():
                signal.signal(stop, handler)


def _server(app: FastAPI) -> uvicorn.Server:
    return _QuietServer(
        uvicorn.Config(
            app,
            access_log=False,
            server_header=False,
            # Who is asking is what a proxy says only where the settings name that proxy.
            proxy_headers=bool(app.state.proxies),
            forwarded_allow_ips=list(app.state.proxies),
            log_config=None,
            log_level="error",
            ws="none",
            timeout_graceful_shutdown=SHUTDOWN_TIMEOUT_SECONDS,
        )
    )
