"""Authentication middleware: session cookies, API keys, CSRF checks and access rules.

The user of the current request is in a context variable. The access rule of a request is in the
policy of its route.
"""

import asyncio
from contextvars import ContextVar
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from byway.core.errors import BywayError
from byway.core.messages import t
from byway.core.model.account import INCLUDED_ROLES, Account, ApiKeyScope, Role, Session
from byway.core.secret_tokens import new_secret, signature
from byway.web.middleware.response_headers import is_allowed_host
from byway.web.problems import API_PREFIX, problem_response
from byway.web.router import Access, RoutePolicies, RoutePolicy

if TYPE_CHECKING:  # the context imports this module
    from byway.app.accounts import AccountService
    from byway.web.context import WebContext

SAFE_METHODS = {"GET", "HEAD", "OPTIONS"}
MAX_BODY_BYTES = 64 * 1024
"""Maximum size of the body of a form or an API request."""
BODY_TIMEOUT_SECONDS = 10.0
"""Seconds within which the body of a request must arrive."""


@dataclass(frozen=True, slots=True)
class CurrentUser:
    """A visitor, a user with a session, or a program with an API key."""

    account: Account | None = None
    session: Session | None = None
    key_scope: ApiKeyScope | None = None
    """The scope of the API key, for a program."""
    secret: str = ""
    """The content of the session cookie."""
    private: bool = False
    """Whether this request is left out of the history (`private=1`)."""
    has_unknown_key: bool = False
    """Whether the request has an unknown API key."""

    @property
    def role(self) -> Role:
        if self.key_scope is not None:
            return Role.ADMIN if self.key_scope is ApiKeyScope.ADMIN else Role.USER
        return self.account.role if self.account else Role.VISITOR

    @property
    def csrf_token(self) -> str:
        """The CSRF token for the user's forms; pages of other sites cannot know it."""
        return signature(self.secret, "form")

    @property
    def keeps_history(self) -> bool:
        """True if queries and clicks are recorded."""
        return bool(
            self.session and self.account and self.account.records_history and not self.private
        )


ANONYMOUS_USER = CurrentUser()
CURRENT_USER: ContextVar[CurrentUser] = ContextVar("user", default=ANONYMOUS_USER)


class AuthMiddleware:
    """Identifies the user of each request and rejects those without access."""

    def __init__(self, app: ASGIApp, site: "WebContext", policies: RoutePolicies) -> None:
        self.app = app
        self._site = site
        self._policies = policies

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        policy = self._policies.find(scope["path"])
        user = self._identify(scope, policy)
        rejection = self._rejection(scope, user, policy)
        token = CURRENT_USER.set(user)
        try:
            if rejection:
                await rejection(scope, receive, send)
            else:
                send = self._with_cookie(scope, user, send)
                await self.app(scope, _bounded(scope, receive), send)
        finally:
            CURRENT_USER.reset(token)

    def _identify(self, scope: Scope, policy: RoutePolicy) -> CurrentUser:
        """Identify the user by API key or session cookie."""
        accounts, headers = self._site.accounts, Headers(scope=scope)
        if accounts is None:
            return CurrentUser()
        if _takes_keys(scope["path"], policy) and headers.get("authorization"):
            return _by_key(accounts, headers["authorization"])
        secret = read_session_cookie(headers, scope["scheme"])
        found = accounts.session(secret) if secret else None
        private = b"private=1" in scope["query_string"].split(b"&")
        if found is None:
            # The login form must be signed with a secret before there is a session.
            return CurrentUser(secret=secret or (new_secret() if policy.anonymous_form else ""))
        return CurrentUser(account=found[1], session=found[0], secret=secret, private=private)

    def _rejection(self, scope: Scope, user: CurrentUser, policy: RoutePolicy) -> Response | None:
        path, method = scope["path"], scope["method"]
        if method not in SAFE_METHODS:
            if path.startswith(API_PREFIX):
                # A browser adds its cookie to requests from other sites, but never a key.
                user = CurrentUser() if user.key_scope is None else user
            elif not is_same_origin(Headers(scope=scope), self._site.settings.allowed_hosts):
                return self._forbidden("web.cross_site_form")
        if user.has_unknown_key:
            return _key_required()
        if self._has_access(user, path, policy):
            return None
        if _takes_keys(path, policy):
            if user.role is Role.VISITOR:
                return _key_required()
            return _key_scope_problem(user, path, policy)
        if user.role is not Role.VISITOR:
            return self._forbidden("web.admins_only")
        if method not in SAFE_METHODS:
            return self._forbidden("web.login_required")
        return RedirectResponse(f"/login?next={quote(_target(scope))}", 303)

    def _has_access(self, user: CurrentUser, path: str, policy: RoutePolicy) -> bool:
        if user.key_scope is not None and user.key_scope is policy.key_scope:
            return True
        if user.key_scope is ApiKeyScope.METRICS and path.startswith(API_PREFIX):
            return False
        required = policy.access.required_role(self._site.settings.require_login)
        return required in INCLUDED_ROLES[user.role]

    def _forbidden(self, code: str) -> Response:
        return self._site.render_error(403, t(f"error.{code}"))

    def _with_cookie(self, scope: Scope, user: CurrentUser, send: Send) -> Send:
        """Set the session cookie on login and register pages: it signs their forms."""
        if not user.secret or read_session_cookie(Headers(scope=scope), scope["scheme"]):
            return send

        async def send_with_cookie(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                if "set-cookie" not in headers:
                    headers.append("set-cookie", session_cookie(user.secret, scope["scheme"]))
            await send(message)

        return send_with_cookie


def session_cookie(secret: str, scheme: str, seconds: float | None = None) -> str:
    """The Set-Cookie header of a session; a cookie set over https is never sent over http."""
    age = "" if seconds is None else f"; Max-Age={int(seconds)}"
    secure = "; Secure" if scheme == "https" else ""
    return f"{_cookie_name(scheme)}={secret}; Path=/; HttpOnly; SameSite=Lax{secure}{age}"


def read_session_cookie(headers: Headers, scheme: str) -> str:
    """The session secret in the cookie header; empty if there is none."""
    try:
        found = SimpleCookie(headers.get("cookie", "")[:8192]).get(_cookie_name(scheme))
    except CookieError:
        return ""
    value = found.value if found else ""
    return value if 20 <= len(value) <= 100 and value.isascii() else ""


def is_same_origin(headers: Headers, allowed_hosts: tuple[str, ...]) -> bool:
    """CSRF check: true for requests from our own pages, by headers that no page can forge."""
    site, origin = headers.get("sec-fetch-site"), headers.get("origin")
    if site is not None and site not in ("same-origin", "none"):
        return False
    if origin is None or (origin == "null" and site == "same-origin"):
        return True
    host = urlsplit(origin).netloc
    # A proxy may replace Host; Origin still names an allowed host.
    return bool(host) and (
        host == headers.get("host") or is_allowed_host(host, allowed_hosts, allow_loopback=False)
    )


def _cookie_name(scheme: str) -> str:
    return "__Host-byway" if scheme == "https" else "byway"


def _by_key(accounts: "AccountService", authorization: str) -> CurrentUser:
    kind, _, secret = authorization.partition(" ")
    found = accounts.key(secret.strip()[:200]) if kind.lower() == "bearer" else None
    if found:
        return CurrentUser(account=found[1], key_scope=found[0].scope)
    # Any other scheme may be meant for a proxy and is ignored.
    return CurrentUser(has_unknown_key=kind.lower() == "bearer")


def _takes_keys(path: str, policy: RoutePolicy) -> bool:
    """True if the route accepts API keys."""
    return path.startswith(API_PREFIX) or policy.key_scope is not None


def _key_required() -> Response:
    response = problem_response(401, BywayError("web.api_key_required"))
    response.headers["WWW-Authenticate"] = "Bearer"
    return response


def _key_scope_problem(user: CurrentUser, path: str, policy: RoutePolicy) -> Response:
    """The error for a key or session with insufficient scope or role."""
    needed = policy.key_scope or (
        ApiKeyScope.ADMIN if policy.access is Access.ADMIN else ApiKeyScope.SEARCH
    )
    error = BywayError("web.admin_session", path=path, needed=needed)
    if user.key_scope is not None:
        error = BywayError("web.key_scope", scope=user.key_scope, path=path, needed=needed)
    return problem_response(403, error)


def _target(scope: Scope) -> str:
    query: bytes = scope["query_string"]
    return str(scope["path"]) + (f"?{query.decode('latin-1')}" if query else "")


def safe_redirect_target(target: str) -> str:
    """The target, if it is a path on this server; else the home page."""
    plain = target.isprintable() and target.isascii() and not {" ", "\\"} & set(target)
    parts = urlsplit(target) if plain and len(target) < 2048 else None
    inside = parts and not parts.scheme and not parts.netloc and target.startswith("/")
    return target if inside and not target.startswith("//") else "/"


def _bounded(scope: Scope, receive: Receive) -> Receive:
    """`receive` with limits on the size and duration of the body."""
    if scope["method"] in SAFE_METHODS:
        return receive
    received, end = 0, asyncio.get_running_loop().time() + BODY_TIMEOUT_SECONDS

    async def receive_limited() -> Message:
        nonlocal received
        try:
            async with asyncio.timeout_at(end if received <= MAX_BODY_BYTES else None):
                message = await receive()
        except TimeoutError:
            raise HTTPException(408) from None
        received += len(message.get("body", b""))
        if received > MAX_BODY_BYTES:
            raise HTTPException(413)
        return message

    return receive_limited
