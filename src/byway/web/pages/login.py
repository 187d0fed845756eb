"""How does somebody get in and out? Log in, log out, and make an account."""

from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import RedirectResponse, Response

from byway.accounts.service import NewSession
from byway.core.errors import RateLimitError, UsageError
from byway.core.model.account import Role, Secret
from byway.web.context import WebContext
from byway.web.current_user import CURRENT_USER
from byway.web.forms import Form
from byway.web.middleware.auth import safe_redirect_target, session_cookie
from byway.web.views.hit import sanitize

InvitationParam = Annotated[str, Query(max_length=100)]
NextParam = Annotated[str, Query(max_length=2048)]


def routes(site: WebContext) -> APIRouter:
    """`/login`, `/logout` and `/register`"""
    router = APIRouter(include_in_schema=False)
    accounts = site.accounts
    if accounts is None:
        return router

    @router.api_route("/login", methods=["GET", "HEAD"])
    def ask(next: NextParam = "/") -> Response:
        if CURRENT_USER.get().session:
            return RedirectResponse(safe_redirect_target(next), 303)
        return site.render_form(
            "login.html", next=safe_redirect_target(next), typed="", how=site.settings.registration
        )

    @router.post("/login")
    def log_in(request: Request, form: Form) -> Response:
        next, name = safe_redirect_target(form.text("next", 2048)), form.text("name")
        try:
            begun = accounts.log_in(name, form.secret("password"), *client_info(request))
        except (UsageError, RateLimitError) as error:
            how = site.settings.registration
            return site.render_form("login.html", error, next=next, typed=name, how=how)
        _end_the_old(site)
        return _let_in(request, begun, next)

    @router.post("/logout")
    def log_out(request: Request, form: Form) -> Response:
        _end_the_old(site)
        response = RedirectResponse("/", 303)
        response.headers["Set-Cookie"] = session_cookie("", request.url.scheme, 0)
        return response

    @router.api_route("/register", methods=["GET", "HEAD"])
    def invite(invitation: InvitationParam = "") -> Response:
        role = _may_register(site, invitation)
        return site.render_form("register.html", role=role, invitation=invitation, typed="")

    @router.post("/register")
    def register(request: Request, form: Form) -> Response:
        invitation, name = form.text("invitation", 100), form.text("name")
        role = _may_register(site, invitation)
        try:
            if form.secret("password") != form.secret("again"):
                raise UsageError("the two passwords differ; type the same twice")
            secret = Secret(invitation) if invitation else None
            begun = accounts.register(name, form.secret("password"), secret, *client_info(request))
        except (UsageError, RateLimitError) as error:
            return site.render_form(
                "register.html", error, role=role, invitation=invitation, typed=name
            )
        _end_the_old(site)
        return _let_in(request, begun, "/admin" if role is Role.ADMIN else "/account")

    return router


def client_info(request: Request) -> tuple[str, str]:
    """Where a request comes from: the browser, and the address."""
    agent = sanitize(request.headers.get("user-agent", ""))
    return agent, request.client.host if request.client else ""


def _may_register(site: WebContext, invitation: str) -> Role:
    """What a new account will be; an error where none may be made."""
    how, accounts = site.settings.registration, site.accounts
    assert accounts
    role = accounts.invitation_role(invitation) if invitation else None
    if role is Role.ADMIN and not accounts.has_admin():
        return role  # the very first, by the link that was printed
    if invitation and role is None:
        raise UsageError(
            "this link was used already or is too old; log in with the account it made, "
            "or ask for a new one"
        )
    if role and how != "closed":
        return role
    if how == "open":
        return Role.USER
    raise UsageError("accounts cannot be made here; ask who runs this byway")


def _end_the_old(site: WebContext) -> None:
    """End the session that the browser came with, so that nobody can have planted it."""
    who = CURRENT_USER.get()
    if who.session and site.accounts:
        site.accounts.store.end_sessions(who.session.account_id, who.session.id)


def _let_in(request: Request, begun: NewSession, next: str) -> Response:
    response = RedirectResponse(next, 303)
    response.headers["Set-Cookie"] = session_cookie(
        begun.secret, request.url.scheme, begun.lifetime_seconds
    )
    return response
