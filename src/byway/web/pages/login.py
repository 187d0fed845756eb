"""Login, logout and registration."""

from typing import Annotated

from fastapi import Query, Request
from fastapi.responses import RedirectResponse, Response

from byway.app.accounts import AccountService, NewSession
from byway.core.display import sanitize
from byway.core.errors import RateLimitError, UsageError
from byway.core.model.account import Role, Secret
from byway.web.context import WebContext
from byway.web.forms import Form
from byway.web.middleware.auth import CURRENT_USER, safe_redirect_target, session_cookie
from byway.web.router import Access, PageRouter, RequestClass, RoutePolicy, with_policy

POLICY = RoutePolicy(Access.PUBLIC, RequestClass.LOGIN, anonymous_form=True)
LOGOUT_POLICY = RoutePolicy(Access.USER, RequestClass.ADMIN)

InvitationParam = Annotated[str, Query(max_length=100)]
NextParam = Annotated[str, Query(max_length=2048)]


def routes(site: WebContext) -> PageRouter:
    """The routes `/login`, `/logout` and `/register`."""
    router = PageRouter(POLICY)
    accounts = site.accounts
    if accounts is None:
        return router

    @router.api_route("/login", methods=["GET", "HEAD"])
    def login_form(next: NextParam = "/") -> Response:
        if CURRENT_USER.get().session:
            return RedirectResponse(safe_redirect_target(next), 303)
        return login_page(safe_redirect_target(next))

    def login_page(next: str, typed: str = "", error: Exception | None = None) -> Response:
        registration = site.settings.registration
        return site.render_form(
            "pages/login.html", error, next=next, typed=typed, registration=registration
        )

    @router.post("/login")
    def log_in(request: Request, form: Form) -> Response:
        next, name = safe_redirect_target(form.text("next", 2048)), form.text("name")
        try:
            session = accounts.log_in(name, form.secret("password"), *client_info(request))
        except (UsageError, RateLimitError) as error:
            return login_page(next, name, error)
        _end_previous_session(site)
        return _redirect_with_cookie(request, session, next)

    @router.post("/logout")
    @with_policy(LOGOUT_POLICY)
    def log_out(request: Request, form: Form) -> Response:
        _end_previous_session(site)
        response = RedirectResponse("/", 303)
        response.headers["Set-Cookie"] = session_cookie("", request.url.scheme, 0)
        return response

    _add_registration(router, site, accounts)
    return router


def _add_registration(router: PageRouter, site: WebContext, accounts: AccountService) -> None:
    """Add the routes of the registration form."""

    @router.api_route("/register", methods=["GET", "HEAD"])
    def registration_form(invitation: InvitationParam = "") -> Response:
        role = _registration_role(site, invitation)
        return site.render_form("pages/register.html", role=role, invitation=invitation, typed="")

    @router.post("/register")
    def register(request: Request, form: Form) -> Response:
        invitation, name = form.text("invitation", 100), form.text("name")
        role = _registration_role(site, invitation)
        try:
            if form.secret("password") != form.secret("password_repeat"):
                raise UsageError("web.passwords_differ")
            secret = Secret(invitation) if invitation else None
            session = accounts.register(
                name, form.secret("password"), secret, *client_info(request)
            )
        except (UsageError, RateLimitError) as error:
            return site.render_form(
                "pages/register.html", error, role=role, invitation=invitation, typed=name
            )
        _end_previous_session(site)
        return _redirect_with_cookie(
            request, session, "/admin" if role is Role.ADMIN else "/account"
        )


def client_info(request: Request) -> tuple[str, str]:
    """The user agent and the address of a request."""
    agent = sanitize(request.headers.get("user-agent", ""))
    return agent, request.client.host if request.client else ""


def _registration_role(site: WebContext, invitation: str) -> Role:
    """The role of a new account; an error if registration is closed."""
    registration, accounts = site.settings.registration, site.accounts
    assert accounts
    role = accounts.invitation_role(invitation) if invitation else None
    if role is Role.ADMIN and not accounts.has_admin():
        return role  # the first admin, via the link that the server printed
    if invitation and role is None:
        raise UsageError("web.invitation_expired")
    if role and registration != "closed":
        return role
    if registration == "open":
        return Role.USER
    raise UsageError("web.registration_closed")


def _end_previous_session(site: WebContext) -> None:
    """End the session of the old cookie, which may have been planted (session fixation)."""
    user = CURRENT_USER.get()
    if user.session and site.accounts:
        site.accounts.store.end_sessions(user.session.account_id, user.session.id)


def _redirect_with_cookie(request: Request, session: NewSession, next: str) -> Response:
    response = RedirectResponse(next, 303)
    response.headers["Set-Cookie"] = session_cookie(
        session.secret, request.url.scheme, session.lifetime_seconds
    )
    return response
