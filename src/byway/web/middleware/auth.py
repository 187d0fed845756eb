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

from byway.accounts.service import AccountService, new_secret
from byway.core.model.account import ApiKeyScope, Role
from byway.web.context import WebContext
from byway.web.current_user import CURRENT_USER, CurrentUser
from byway.web.errors import problem_response
from byway.web.middleware.security import is_allowed_host

PUBLIC_PATHS = ("/healthz", "/static", "/login", "/register", "/opensearch.xml", "/embed.js")
"""What is open to everybody: the doors, and what browsers fetch without saying who is asking."""
REQUIRED_ROLES = {
    "/admin": Role.ADMIN,
    "/metrics": Role.ADMIN,
    "/api/v1/crawl": Role.ADMIN,
    "/api/v1/removed": Role.ADMIN,
    "/account": Role.USER,
    "/logout": Role.USER,
    "/open": Role.USER,
}
LOGIN_PATHS = ("/login", "/register")
API_PREFIX = "/api/"
API_KEY_PATHS = (API_PREFIX, "/metrics")
"""Where a program with a key may come in."""
SAFE_METHODS = {"GET", "HEAD", "OPTIONS"}
MAX_BODY_BYTES = 64 * 1024
"""Bytes of a form, or of what a program sends."""
BODY_TIMEOUT_SECONDS = 10.0
"""Seconds in which they must have come."""


def required_role(path: str, require_login: bool) -> Role:
    """Who may see what is at this path."""
    for start, role in REQUIRED_ROLES.items():
        if _under(path, start):
            return role
    everybody = not require_login or any(_under(path, start) for start in PUBLIC_PATHS)
    return Role.VISITOR if everybody else Role.USER


class AuthMiddleware:
    """Finds out who is asking, and turns away who may not."""

    def __init__(self, app: ASGIApp, site: WebContext) -> None:
        self.app = app
        self._site = site

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        who = self._who(scope)
        refusal = self._refusal(scope, who)
        token = CURRENT_USER.set(who)
        try:
            if refusal:
                await refusal(scope, receive, send)
            else:
                given = self._with_cookie(scope, who, send)
                await self.app(scope, _bounded(scope, receive), given)
        finally:
            CURRENT_USER.reset(token)

    def _who(self, scope: Scope) -> CurrentUser:
        """Whose request it is, by key or by cookie."""
        accounts, path, headers = self._site.accounts, scope["path"], Headers(scope=scope)
        if accounts is None:
            return CurrentUser()
        if path.startswith(API_KEY_PATHS) and headers.get("authorization"):
            return _by_key(accounts, headers["authorization"])
        secret = read_session_cookie(headers, scope["scheme"])
        found = accounts.session(secret) if secret else None
        private = b"private=1" in scope["query_string"].split(b"&")
        if found is None:
            # A form needs a secret to be signed with, before anybody is logged in.
            return CurrentUser(secret=secret or (new_secret() if path in LOGIN_PATHS else ""))
        return CurrentUser(found[1], found[0], None, secret, private)

    def _refusal(self, scope: Scope, who: CurrentUser) -> Response | None:
        path, method = scope["path"], scope["method"]
        if method not in SAFE_METHODS:
            if path.startswith(API_PREFIX):
                # A browser sends its cookie along whoever wrote the page, but never a key.
                who = CurrentUser() if who.key_scope is None else who
            elif not is_same_origin(Headers(scope=scope), self._site.settings.allowed_hosts):
                return self._answer(403, "this form was sent from another site")
        if who.has_unknown_key:
            return _unknown_key()
        need = required_role(path, self._site.settings.require_login)
        if who.role.allows(need) and not _is_for_metrics(who, path):
            return None
        if who.key_scope is ApiKeyScope.METRICS and path == "/metrics":
            return None
        if path.startswith(API_KEY_PATHS):
            if who.role is Role.VISITOR:
                return _unknown_key()
            return problem_response(403, _too_little(who, path))
        if who.role is not Role.VISITOR:
            return self._answer(403, "only admins may see this page")
        if method not in SAFE_METHODS:
            return self._answer(403, "log in first")
        return RedirectResponse(f"/login?next={quote(_target(scope))}", 303)

    def _answer(self, status: int, detail: str) -> Response:
        return self._site.render("failure.html", status, status=status, detail=detail)

    def _with_cookie(self, scope: Scope, who: CurrentUser, send: Send) -> Send:
        """Give who comes to a door the secret that its form was signed with."""
        if not who.secret or read_session_cookie(Headers(scope=scope), scope["scheme"]):
            return send

        async def send_with_cookie(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                if "set-cookie" not in headers:
                    headers.append("set-cookie", session_cookie(who.secret, scope["scheme"]))
            await send(message)

        return send_with_cookie


def session_cookie(secret: str, scheme: str, seconds: float | None = None) -> str:
    """The header that gives a browser its secret; over https it never leaves that."""
    age = "" if seconds is None else f"; Max-Age={int(seconds)}"
    secure = "; Secure" if scheme == "https" else ""
    return f"{_cookie_name(scheme)}={secret}; Path=/; HttpOnly; SameSite=Lax{secure}{age}"


def read_session_cookie(headers: Headers, scheme: str) -> str:
    """The secret a browser has brought; nothing if it is none of ours."""
    try:
        found = SimpleCookie(headers.get("cookie", "")[:8192]).get(_cookie_name(scheme))
    except CookieError:
        return ""
    value = found.value if found else ""
    return value if 20 <= len(value) <= 100 and value.isascii() else ""


def is_same_origin(headers: Headers, allowed_hosts: tuple[str, ...]) -> bool:
    """Was this sent by one of our own pages? Browsers say so in headers no page can forge."""
    site, origin = headers.get("sec-fetch-site"), headers.get("origin")
    if site is not None and site not in ("same-origin", "none"):
        return False
    if origin is None or (origin == "null" and site == "same-origin"):
        return True
    host = urlsplit(origin).netloc
    # A proxy may have put its own name into Host; then Origin has one of ours all the same.
    return bool(host) and (
        host == headers.get("host") or is_allowed_host(host, allowed_hosts, allow_loopback=False)
    )


def _cookie_name(scheme: str) -> str:
    return "__Host-byway" if scheme == "https" else "byway"


def _by_key(accounts: AccountService, authorization: str) -> CurrentUser:
    kind, _, secret = authorization.partition(" ")
    found = accounts.key(secret.strip()[:200]) if kind.lower() == "bearer" else None
    if found:
        return CurrentUser(found[1], None, found[0].scope)
    # What is no bearer's may be a proxy's, and says nothing about who asks us.
    return CurrentUser(has_unknown_key=kind.lower() == "bearer")


def _unknown_key() -> Response:
    answer = problem_response(401, "an API key is needed, or is wrong; one is made at /account")
    answer.headers["WWW-Authenticate"] = "Bearer"
    return answer


def _too_little(who: CurrentUser, path: str) -> str:
    """What a key or a session lacks, and where there is a better one."""
    have = (
        f"this key is for {who.key_scope}" if who.key_scope else "you are not logged in as an admin"
    )
    want = ApiKeyScope.METRICS if path == "/metrics" else ApiKeyScope.SEARCH
    if path.startswith(API_PREFIX) and required_role(path, require_login=True) is Role.ADMIN:
        want = ApiKeyScope.ADMIN
    return f"{have}; {path} takes a key for {want}, which is made at /account"


def _is_for_metrics(who: CurrentUser, path: str) -> bool:
    """Is this a key for the metrics, which opens nothing else?"""
    return who.key_scope is ApiKeyScope.METRICS and path.startswith(API_PREFIX)


def _under(path: str, start: str) -> bool:
    return path == start or path.startswith(start + "/")


def _target(scope: Scope) -> str:
    query: bytes = scope["query_string"]
    return str(scope["path"]) + (f"?{query.decode('latin-1')}" if query else "")


def safe_redirect_target(target: str) -> str:
    """Where to go next, if that is one of our own pages; else the first page."""
    plain = target.isprintable() and target.isascii() and not {" ", "\\"} & set(target)
    parts = urlsplit(target) if plain and len(target) < 2048 else None
    inside = parts and not parts.scheme and not parts.netloc and target.startswith("/")
    return target if inside and not target.startswith("//") else "/"


def _bounded(scope: Scope, receive: Receive) -> Receive:
    """What is sent to us, up to a size and a time."""
    if scope["method"] in SAFE_METHODS:
        return receive
    taken, end = 0, asyncio.get_running_loop().time() + BODY_TIMEOUT_SECONDS

    async def receive_some() -> Message:
        nonlocal taken
        try:
            async with asyncio.timeout_at(end if taken <= MAX_BODY_BYTES else None):
                message = await receive()
        except TimeoutError:
            raise HTTPException(408) from None
        taken += len(message.get("body", b""))
        if taken > MAX_BODY_BYTES:
            raise HTTPException(413)
        return message

    return receive_some
