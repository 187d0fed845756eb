"""Account page: password, sessions, API keys, deletion."""

from collections.abc import Callable
from functools import partial

from fastapi import Request
from fastapi.responses import RedirectResponse, Response

from byway.app.accounts import AccountService
from byway.core.errors import RateLimitError, UsageError
from byway.core.messages import t
from byway.core.model.account import Account, ApiKeyScope, Session
from byway.web.context import WebContext
from byway.web.forms import Form, FormFields
from byway.web.middleware.auth import CURRENT_USER, session_cookie
from byway.web.router import Access, PageRouter, RequestClass, RoutePolicy

POLICY = RoutePolicy(Access.USER, RequestClass.ADMIN)


def routes(site: WebContext) -> PageRouter:
    """The routes of `/account` and its forms."""
    router = PageRouter(POLICY)
    accounts = site.accounts
    if accounts is None:
        return router

    @router.api_route("/account", methods=["GET", "HEAD"])
    def show() -> Response:
        return _page(site, accounts)

    @router.post("/account/password")
    def change_password(form: Form) -> Response:
        return _after(site, accounts, partial(_change_password, accounts, form))

    @router.post("/account/sessions")
    def end_sessions(form: Form) -> Response:
        return _after(site, accounts, partial(_end_sessions, accounts, form))

    @router.post("/account/keys")
    def change_keys(form: Form) -> Response:
        if form.has("remove"):
            return _after(site, accounts, partial(_remove_key, accounts, form))
        try:
            return _page(site, accounts, new_key=_create_key(accounts, form))
        except UsageError as error:
            return _page(site, accounts, error)

    @router.post("/account/delete")
    def delete(request: Request, form: Form) -> Response:
        try:
            accounts.delete(current_account()[0], form.secret("password"))
        except (UsageError, RateLimitError) as error:
            return _page(site, accounts, error)
        response = RedirectResponse("/", 303)
        response.headers["Set-Cookie"] = session_cookie("", request.url.scheme, 0)
        return response

    return router


def _page(
    site: WebContext,
    accounts: AccountService,
    error: Exception | None = None,
    done: str = "",
    new_key: str = "",
) -> Response:
    account, session = current_account()
    return site.render_form(
        "pages/account.html",
        error,
        done=done,
        new_key=new_key,
        keys=accounts.store.keys(account.id),
        sessions=accounts.store.sessions(account.id, session.last_seen_at),
        key_scopes=list(ApiKeyScope) if account.role == "admin" else [ApiKeyScope.SEARCH],
    )


def _after(site: WebContext, accounts: AccountService, act: Callable[[], str]) -> Response:
    """The page with the result of an action, or its error."""
    try:
        return _page(site, accounts, done=act())
    except (UsageError, RateLimitError) as error:
        return _page(site, accounts, error)


def _change_password(accounts: AccountService, form: FormFields) -> str:
    account, session = current_account()
    if form.secret("password") != form.secret("password_repeat"):
        raise UsageError("web.passwords_differ")
    accounts.change_password(
        account, form.secret("current_password"), form.secret("password"), session
    )
    return t("web.account.password_changed")


def _end_sessions(accounts: AccountService, form: FormFields) -> str:
    (account, session), store = current_account(), accounts.store
    if form.has("end_others"):
        store.end_sessions(account.id, except_session=session.id)
        return t("web.account.sessions_ended")
    ended = form.number("session", 2**62)
    if ended not in [other.id for other in store.sessions(account.id, session.last_seen_at)]:
        raise UsageError("web.no_such_session")
    store.end_sessions(account.id, ended)
    return t("web.account.session_ended")


def _remove_key(accounts: AccountService, form: FormFields) -> str:
    (account, _), store = current_account(), accounts.store
    key = form.number("remove", 2**62)
    if key not in [known.id for known in store.keys(account.id)]:
        raise UsageError("web.no_such_key")
    store.remove_key(account.id, key)
    return t("web.account.key_removed")


def _create_key(accounts: AccountService, form: FormFields) -> str:
    typed = form.text("scope", 20)
    scope = ApiKeyScope(typed) if typed in list(ApiKeyScope) else ApiKeyScope.SEARCH
    return accounts.create_key(current_account()[0], form.text("name", 100), scope)


def current_account() -> tuple[Account, Session]:
    """The account and session of the current user; the access rule ensures that they exist."""
    user = CURRENT_USER.get()
    assert user.account and user.session
    return user.account, user.session
