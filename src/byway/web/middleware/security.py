"""Who may ask, and what does every answer carry? Headers that keep browsers on our side."""

from ipaddress import ip_address

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

CONTENT_SECURITY_POLICY = (
    "default-src 'none'; style-src 'self'; img-src 'self' data:; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'; "
    "script-src 'self'; connect-src 'self'"
)
SECURITY_HEADERS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
UNKNOWN_HOST_MESSAGE = (
    "This byway does not answer to that name.\n"
    "Open it as http://localhost, or name the host in the setting serve.allowed_hosts.\n"
)


class SecurityMiddleware:
    """Puts the headers on every answer, and answers only those who call us by our name.

    A web page can give its own name the address 127.0.0.1 and then read what we answer (DNS
    rebinding); its requests carry that name in Host, and are turned away.
    """

    def __init__(self, app: ASGIApp, names: tuple[str, ...] = ()) -> None:
        self.app = app
        self._names = names

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in SECURITY_HEADERS.items():
                    headers.setdefault(name, value)
                headers.setdefault("Cache-Control", "private, no-cache")
            await send(message)

        if is_allowed_host(Headers(scope=scope).get("host", ""), self._names):
            await self.app(scope, receive, send_guarded)
        else:
            await PlainTextResponse(UNKNOWN_HOST_MESSAGE, 421)(scope, receive, send_guarded)


def is_allowed_host(
    host: str, allowed_hosts: tuple[str, ...] = (), allow_loopback: bool = True
) -> bool:
    """Is that what we are called: a name of ours, or (`allow_loopback`) localhost or a loopback
    address?
    """
    name = _name(host)
    return bool(name) and (
        name in [_name(each) for each in allowed_hosts]
        or (allow_loopback and is_loopback_host(host))
    )


def is_loopback_host(host: str) -> bool:
    """Is that this machine's own name for itself: localhost, or a loopback address?"""
    name = _name(host)
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return False


def _name(host: str) -> str:
    """The name or address, without port, brackets and the last dot."""
    name = host.lower()
    if not name.endswith("]") and (name.count(":") == 1 or "]" in name):
        name = name.rpartition(":")[0]
    return name.strip("[]").rstrip(".")
