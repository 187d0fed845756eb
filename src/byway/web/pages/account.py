"""What is mine? Password, sessions, keys, and the way out for good."""

from collections.abc import Callable
from functools import partial

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from byway.accounts.service import AccountService
from byway.core.errors import RateLimitError, UsageError
from byway.core.model.account import Account, ApiKeyScope, Session
from byway.web.context import WebContext
from byway.web.current_user import CURRENT_USER
from byway.web.forms import Form, FormFields
from byway.web.i18n import gettext
from byway.web.middleware.auth import session_cookie


def routes(site: WebContext) -> APIRouter:
    """`/account` and what is done there"""
    router = APIRouter(include_in_schema=False)
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
            return _page(site, accounts, key=_new_key(accounts, form))
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
    key: str = "",
) -> Response:
    account, session = current_account()
    return site.render_form(
        "account.html",
        error,
        done=done,
        key=key,
        keys=accounts.store.keys(account.id),
        sessions=accounts.store.sessions(account.id, session.last_seen_at),
        uses=list(ApiKeyScope) if account.role == "admin" else [ApiKeyScope.SEARCH],
    )


def _after(site: WebContext, accounts: AccountService, act: Callable[[], str]) -> Response:
    """The page with what was done, or why it could not be."""
    try:
        return _page(site, accounts, done=act())
    except (UsageError, RateLimitError) as error:
        return _page(site, accounts, error)


def _change_password(accounts: AccountService, form: FormFields) -> str:
    account, session = current_account()
    if form.secret("password") != form.secret("again"):
        raise UsageError("the two passwords differ; type the same twice")
    accounts.change_password(account, form.secret("old"), form.secret("password"), session)
    return gettext("The password is changed, and all other sessions have ended.")


def _end_sessions(accounts: AccountService, form: FormFields) -> str:
    (account, session), store = current_account(), accounts.store
    if form.has("others"):
        store.end_sessions(account.id, except_session=session.id)
        return gettext("The session has ended.")
    ended = form.number("session", 2**62)
    if ended not in [each.id for each in store.sessions(account.id, session.last_seen_at)]:
        raise UsageError("there is no such session; the list has those there are")
    store.end_sessions(account.id, ended)
    return gettext("The session has ended.")


def _remove_key(accounts: AccountService, form: FormFields) -> str:
    (account, _), store = current_account(), accounts.store
    key = form.number("remove", 2**62)
    if key not in [each.id for each in store.keys(account.id)]:
        raise UsageError("there is no such key; the list has those there are")
    store.remove_key(account.id, key)
    return gettext("The key opens nothing any more.")


def _new_key(accounts: AccountService, form: FormFields) -> str:
    use = form.text("use", 20)
    chosen = ApiKeyScope(use) if use in list(ApiKeyScope) else ApiKeyScope.SEARCH
    return accounts.create_key(current_account()[0], form.text("name", 100), chosen)


def current_account() -> tuple[Account, Session]:
    """Who is logged in; the gate lets nobody else come this far."""
    who = CURRENT_USER.get()
    assert who.account and who.session
    return who.account, who.session
