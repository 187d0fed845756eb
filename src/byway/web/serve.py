"""How is the site served? On a socket we open ourselves, which only this machine can reach
unless there are accounts.

run(app, host, port)            until SIGINT or SIGTERM
with running(app, host, port):  beside something else, in a thread
"""

import errno
import signal
import socket
import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from ipaddress import ip_address

import uvicorn
from fastapi import FastAPI

from byway.errors import UsageError

BACKLOG = 1024
"""Connections that wait to be taken: in a rush, who is turned away should hear so from us."""
PATIENCE = 3
"""Seconds an answer under way may still take when we are told to stop."""


def run(
    app: FastAPI,
    host: str,
    port: int,
    ready: Callable[[str], None] = lambda url: None,
    guarded: bool = False,
) -> None:
    """Serve until SIGINT or SIGTERM; `ready` is told the URL before the first request."""
    with listen(host, port, guarded) as listener:
        ready(address(listener))
        run_on(app, listener)


def run_on(app: FastAPI, listener: socket.socket) -> None:
    """Serve on a socket that listens already, until SIGINT or SIGTERM."""
    _server(app).run(sockets=[listener])


@contextmanager
def running(app: FastAPI, host: str, port: int) -> Iterator[str]:
    """Serve in a thread as long as the block lasts; gives the URL."""
    with listen(host, port) as listener:
        url = address(listener)
        server = _server(app)
        thread = threading.Thread(target=server.run, args=([listener],), name="web", daemon=True)
        thread.start()
        try:
            yield url
        finally:
            server.should_exit = True
            thread.join()


def listen(host: str, port: int, guarded: bool = False) -> socket.socket:
    """A socket that already listens, so that its port is known and is ours.

    `guarded`: there is an admin, so it may be one that others can reach.
    """
    name = _address(host, guarded)
    family = socket.AF_INET6 if ":" in name else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((name, port))
        listener.listen(BACKLOG)
    except (OSError, OverflowError) as error:
        listener.close()
        raise UsageError(_why(error, host, port)) from error
    return listener


def address(listener: socket.socket) -> str:
    """The URL a browser is given."""
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


def _address(host: str, guarded: bool) -> str:
    """The address of `host`, if only this machine can reach it or nobody gets in unasked."""
    name = "127.0.0.1" if host == "localhost" else host.strip("[]")
    try:
        address = ip_address(name)
    except ValueError:
        raise UsageError(
            f"cannot listen on {host!r:.60}: it is no address; write one, as 127.0.0.1 or 0.0.0.0"
        ) from None
    if address.is_loopback or guarded:
        return name
    raise UsageError(
        f"cannot listen on {host}: others could reach it, and there is no admin yet; "
        "make one with `byway user add NAME --admin`, or listen on 127.0.0.1"
    )


def _why(error: OSError | OverflowError, host: str, port: int) -> str:
    if isinstance(error, OverflowError):
        return f"port {port} does not exist; choose one from 0 to 65535 with --port"
    if error.errno == errno.EADDRINUSE:
        return f"port {port} on {host} is in use; choose another with --port"
    if error.errno == errno.EACCES:
        return f"port {port} on {host} is not for us; choose one above 1023 with --port"
    return f"cannot listen on {host}: {error.strerror}; try 127.0.0.1"


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
            timeout_graceful_shutdown=PATIENCE,
        )
    )
