"""Security middleware: response headers (CSP and others) and the host check."""

from ipaddress import ip_address

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from byway.core.messages import t
from byway.web.router import PRIVATE_CACHE, RoutePolicies

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


class SecurityMiddleware:
    """Adds the headers to every response and rejects requests for unknown hosts.

    A web page can point its own name at 127.0.0.1 and then read our responses (DNS rebinding);
    such requests have that name in Host and are rejected.
    """

    def __init__(self, app: ASGIApp, names: tuple[str, ...], policies: RoutePolicies) -> None:
        self.app = app
        self._names = names
        self._policies = policies

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in SECURITY_HEADERS.items():
                    headers.setdefault(name, value)
                cache = self._policies.find(scope["path"]).cache_control
                headers.setdefault(
                    "Cache-Control", cache if message["status"] == 200 else PRIVATE_CACHE
                )
            await send(message)

        if is_allowed_host(Headers(scope=scope).get("host", ""), self._names):
            await self.app(scope, receive, send_with_headers)
        else:
            text = t("error.web.unknown_host")
            await PlainTextResponse(text, 421)(scope, receive, send_with_headers)


def is_allowed_host(
    host: str, allowed_hosts: tuple[str, ...] = (), allow_loopback: bool = True
) -> bool:
    """True for an allowed host and, with `allow_loopback`, for localhost and loopback addresses."""
    name = _name(host)
    return bool(name) and (
        name in [_name(allowed) for allowed in allowed_hosts]
        or (allow_loopback and is_loopback_host(host))
    )


def is_loopback_host(host: str) -> bool:
    """True for localhost and loopback addresses."""
    name = _name(host)
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return False


def _name(host: str) -> str:
    """The host name or address without port, brackets and trailing dot."""
    name = host.lower()
    if not name.endswith("]") and (name.count(":") == 1 or "]" in name):
        name = name.rpartition(":")[0]
    return name.strip("[]").rstrip(".")
