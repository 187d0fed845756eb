"""The listening socket of the server, opened before the application is loaded."""

import errno
import socket
from ipaddress import ip_address

from byway.core.errors import UsageError

MAX_PENDING_CONNECTIONS = 1024
"""Backlog of the socket; large, so that under load the application rejects, not the kernel."""


def listen(host: str, port: int, allow_remote: bool = False) -> socket.socket:
    """A listening socket; its port is known and reserved.

    `allow_remote`: whether other machines may connect, because there is an admin.
    """
    address = _address(host, allow_remote)
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((address, port))
        listener.listen(MAX_PENDING_CONNECTIONS)
    except (OSError, OverflowError) as error:
        listener.close()
        raise _listen_error(error, host, port) from error
    return listener


def listener_url(listener: socket.socket) -> str:
    """The URL of the server."""
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


def _address(host: str, allow_remote: bool) -> str:
    """The IP address of `host`; raises an error if other machines could reach it but must not."""
    name = "127.0.0.1" if host == "localhost" else host.strip("[]")
    try:
        address = ip_address(name)
    except ValueError:
        raise UsageError("web.bad_address", host=host[:60]) from None
    if address.is_loopback or allow_remote:
        return name
    raise UsageError("web.no_admin", host=host)


def _listen_error(error: OSError | OverflowError, host: str, port: int) -> UsageError:
    if isinstance(error, OverflowError):
        return UsageError("web.bad_port", port=port)
    if error.errno == errno.EADDRINUSE:
        return UsageError("web.port_in_use", port=port, host=host)
    if error.errno == errno.EACCES:
        return UsageError("web.port_forbidden", port=port, host=host)
    return UsageError("web.cannot_listen", host=host, problem=error.strerror)
