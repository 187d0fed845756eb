"""What is mine? Password, sessions, keys, and the way out for good."""

from collections.abc import Callable
from functools import partial

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from byway.accounts.service import Accounts
from byway.core.errors import TooOften, UsageError
from byway.core.model.account import Account, Session, Use
from byway.web.context import Site
from byway.web.current_user import WHO
from byway.web.forms import Fields, Form
from byway.web.i18n import said
from byway.web.middleware.auth import cookie


def routes(site: Site) -> APIRouter:
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
            accounts.delete(me()[0], form.secret("password"))
        except (UsageError, TooOften) as error:
            return _page(site, accounts, error)
        response = RedirectResponse("/", 303)
        response.headers["Set-Cookie"] = cookie("", request.url.scheme, 0)
        return response

    return router


def _page(
    site: Site,
    accounts: Accounts,
    error: Exception | None = None,
    done: str = "",
    key: str = "",
) -> Response:
    account, session = me()
    return site.form(
        "account.html",
        error,
        done=done,
        key=key,
        keys=accounts.store.keys(account.id),
        sessions=accounts.store.sessions(account.id, session.seen_at),
        uses=list(Use) if account.role == "admin" else [Use.SEARCH],
    )


def _after(site: Site, accounts: Accounts, act: Callable[[], str]) -> Response:
    """The page with what was done, or why it could not be."""
    try:
        return _page(site, accounts, done=act())
    except (UsageError, TooOften) as error:
        return _page(site, accounts, error)


def _change_password(accounts: Accounts, form: Fields) -> str:
    account, session = me()
    if form.secret("password") != form.secret("again"):
        raise UsageError("the two passwords differ; type the same twice")
    accounts.change_password(account, form.secret("old"), form.secret("password"), session)
    return said("The password is changed, and all other sessions have ended.")


def _end_sessions(accounts: Accounts, form: Fields) -> str:
    (account, session), store = me(), accounts.store
    if form.has("others"):
        store.end(account.id, but=session.id)
        return said("The session has ended.")
    ended = form.number("session", 2**62)
    if ended not in [each.id for each in store.sessions(account.id, session.seen_at)]:
        raise UsageError("there is no such session; the list has those there are")
    store.end(account.id, ended)
    return said("The session has ended.")


def _remove_key(accounts: Accounts, form: Fields) -> str:
    (account, _), store = me(), accounts.store
    key = form.number("remove", 2**62)
    if key not in [each.id for each in store.keys(account.id)]:
        raise UsageError("there is no such key; the list has those there are")
    store.remove_key(account.id, key)
    return said("The key opens nothing any more.")


def _new_key(accounts: Accounts, form: Fields) -> str:
    use = form.text("use", 20)
    chosen = Use(use) if use in list(Use) else Use.SEARCH
    return accounts.make_key(me()[0], form.text("name", 100), chosen)


def me() -> tuple[Account, Session]:
    """Who is logged in; the gate lets nobody else come this far."""
    who = WHO.get()
    assert who.account and who.session
    return who.account, who.session
