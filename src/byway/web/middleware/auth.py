"""May they come in here? Who is asking, what the place needs, and whether a foreign page sent them.

What a place needs is decided by its path, so that a new page under /admin is an admin's page
without anybody thinking of it.
"""

import asyncio
from http.cookies import CookieError, SimpleCookie
from urllib.parse import quote, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from byway.accounts.service import Accounts, new_secret
from byway.core.model.account import Role, Use
from byway.web.context import Site
from byway.web.current_user import WHO, Who
from byway.web.errors import problem
from byway.web.middleware.security import is_ours

OPEN = ("/healthz", "/static", "/login", "/register", "/opensearch.xml", "/embed.js")
"""What is open to everybody: the doors, and what browsers fetch without saying who is asking."""
NEEDS = {
    "/admin": Role.ADMIN,
    "/metrics": Role.ADMIN,
    "/api/v1/crawl": Role.ADMIN,
    "/api/v1/removed": Role.ADMIN,
    "/account": Role.USER,
    "/logout": Role.USER,
    "/open": Role.USER,
}
DOORS = ("/login", "/register")
API = "/api/"
BY_KEY = (API, "/metrics")
"""Where a program with a key may come in."""
SAFE = {"GET", "HEAD", "OPTIONS"}
MOST_BYTES = 64 * 1024
"""Bytes of a form, or of what a program sends."""
PATIENCE = 10.0
"""Seconds in which they must have come."""


def needed(path: str, private: bool) -> Role:
    """Who may see what is at this path."""
    for start, role in NEEDS.items():
        if _under(path, start):
            return role
    everybody = not private or any(_under(path, start) for start in OPEN)
    return Role.VISITOR if everybody else Role.USER


class Gate:
    """Finds out who is asking, and turns away who may not."""

    def __init__(self, app: ASGIApp, site: Site) -> None:
        self.app = app
        self._site = site

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        who = self._who(scope)
        refusal = self._refusal(scope, who)
        token = WHO.set(who)
        try:
            if refusal:
                await refusal(scope, receive, send)
            else:
                given = self._with_cookie(scope, who, send)
                await self.app(scope, _bounded(scope, receive), given)
        finally:
            WHO.reset(token)

    def _who(self, scope: Scope) -> Who:
        """Whose request it is, by key or by cookie."""
        accounts, path, headers = self._site.accounts, scope["path"], Headers(scope=scope)
        if accounts is None:
            return Who()
        if path.startswith(BY_KEY) and headers.get("authorization"):
            return _by_key(accounts, headers["authorization"])
        secret = cookie_of(headers, scope["scheme"])
        found = accounts.session(secret) if secret else None
        private = b"private=1" in scope["query_string"].split(b"&")
        if found is None:
            # A form needs a secret to be signed with, before anybody is logged in.
            return Who(secret=secret or (new_secret() if path in DOORS else ""))
        return Who(found[1], found[0], None, secret, private)

    def _refusal(self, scope: Scope, who: Who) -> Response | None:
        path, method = scope["path"], scope["method"]
        if method not in SAFE:
            if path.startswith(API):
                # A browser sends its cookie along whoever wrote the page, but never a key.
                who = Who() if who.use is None else who
            elif not from_ourselves(Headers(scope=scope), self._site.settings.names):
                return self._answer(403, "this form was sent from another site")
        if who.stranger:
            return _unknown_key()
        need = needed(path, self._site.settings.private)
        if who.role.may(need) and not _is_for_metrics(who, path):
            return None
        if who.use is Use.METRICS and path == "/metrics":
            return None
        if path.startswith(BY_KEY):
            if who.role is Role.VISITOR:
                return _unknown_key()
            return problem(403, _too_little(who, path))
        if who.role is not Role.VISITOR:
            return self._answer(403, "only admins may see this page")
        if method not in SAFE:
            return self._answer(403, "log in first")
        return RedirectResponse(f"/login?next={quote(_target(scope))}", 303)

    def _answer(self, status: int, detail: str) -> Response:
        return self._site.page("failure.html", status, status=status, detail=detail)

    def _with_cookie(self, scope: Scope, who: Who, send: Send) -> Send:
        """Give who comes to a door the secret that its form was signed with."""
        if not who.secret or cookie_of(Headers(scope=scope), scope["scheme"]):
            return send

        async def send_with_cookie(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                if "set-cookie" not in headers:
                    headers.append("set-cookie", cookie(who.secret, scope["scheme"]))
            await send(message)

        return send_with_cookie


def cookie(secret: str, scheme: str, seconds: float | None = None) -> str:
    """The header that gives a browser its secret; over https it never leaves that."""
    age = "" if seconds is None else f"; Max-Age={int(seconds)}"
    secure = "; Secure" if scheme == "https" else ""
    return f"{_cookie_name(scheme)}={secret}; Path=/; HttpOnly; SameSite=Lax{secure}{age}"


def cookie_of(headers: Headers, scheme: str) -> str:
    """The secret a browser has brought; nothing if it is none of ours."""
    try:
        found = SimpleCookie(headers.get("cookie", "")[:8192]).get(_cookie_name(scheme))
    except CookieError:
        return ""
    value = found.value if found else ""
    return value if 20 <= len(value) <= 100 and value.isascii() else ""


def from_ourselves(headers: Headers, names: tuple[str, ...]) -> bool:
    """Was this sent by one of our own pages? Browsers say so in headers no page can forge."""
    site, origin = headers.get("sec-fetch-site"), headers.get("origin")
    if site is not None and site not in ("same-origin", "none"):
        return False
    if origin is None or (origin == "null" and site == "same-origin"):
        return True
    host = urlsplit(origin).netloc
    # A proxy may have put its own name into Host; then Origin has one of ours all the same.
    return bool(host) and (host == headers.get("host") or is_ours(host, names, local=False))


def _cookie_name(scheme: str) -> str:
    return "__Host-byway" if scheme == "https" else "byway"


def _by_key(accounts: Accounts, authorization: str) -> Who:
    kind, _, secret = authorization.partition(" ")
    found = accounts.key(secret.strip()[:200]) if kind.lower() == "bearer" else None
    if found:
        return Who(found[1], None, found[0].use)
    # What is no bearer's may be a proxy's, and says nothing about who asks us.
    return Who(stranger=kind.lower() == "bearer")


def _unknown_key() -> Response:
    answer = problem(401, "an API key is needed, or is wrong; one is made at /account")
    answer.headers["WWW-Authenticate"] = "Bearer"
    return answer


def _too_little(who: Who, path: str) -> str:
    """What a key or a session lacks, and where there is a better one."""
    have = f"this key is for {who.use}" if who.use else "you are not logged in as an admin"
    want = Use.METRICS if path == "/metrics" else Use.SEARCH
    if path.startswith(API) and needed(path, private=True) is Role.ADMIN:
        want = Use.ADMIN
    return f"{have}; {path} takes a key for {want}, which is made at /account"


def _is_for_metrics(who: Who, path: str) -> bool:
    """Is this a key for the metrics, which opens nothing else?"""
    return who.use is Use.METRICS and path.startswith(API)


def _under(path: str, start: str) -> bool:
    return path == start or path.startswith(start + "/")


def _target(scope: Scope) -> str:
    query: bytes = scope["query_string"]
    return str(scope["path"]) + (f"?{query.decode('latin-1')}" if query else "")


def local(target: str) -> str:
    """Where to go next, if that is one of our own pages; else the first page."""
    plain = target.isprintable() and target.isascii() and not {" ", "\\"} & set(target)
    parts = urlsplit(target) if plain and len(target) < 2048 else None
    inside = parts and not parts.scheme and not parts.netloc and target.startswith("/")
    return target if inside and not target.startswith("//") else "/"


def _bounded(scope: Scope, receive: Receive) -> Receive:
    """What is sent to us, up to a size and a time."""
    if scope["method"] in SAFE:
        return receive
    taken, end = 0, asyncio.get_running_loop().time() + PATIENCE

    async def receive_some() -> Message:
        nonlocal taken
        try:
            async with asyncio.timeout_at(end if taken <= MOST_BYTES else None):
                message = await receive()
        except TimeoutError:
            raise HTTPException(408) from None
        taken += len(message.get("body", b""))
        if taken > MOST_BYTES:
            raise HTTPException(413)
        return message

    return receive_some
