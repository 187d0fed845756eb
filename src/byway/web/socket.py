"""Where is the site to be found? On a socket that listens before anything is loaded to serve it."""

import errno
import socket
from ipaddress import ip_address

from byway.core.errors import UsageError

MAX_PENDING_CONNECTIONS = 1024
"""Connections that wait to be taken: in a rush, who is turned away should hear so from us."""


def listen(host: str, port: int, allow_remote: bool = False) -> socket.socket:
    """A socket that already listens, so that its port is known and is ours.

    `allow_remote`: there is an admin, so it may be one that others can reach.
    """
    name = _address(host, allow_remote)
    family = socket.AF_INET6 if ":" in name else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((name, port))
        listener.listen(MAX_PENDING_CONNECTIONS)
    except (OSError, OverflowError) as error:
        listener.close()
        raise UsageError(_why(error, host, port)) from error
    return listener


def listener_url(listener: socket.socket) -> str:
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
