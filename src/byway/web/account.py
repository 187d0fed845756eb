"""What is mine? Password, sessions, keys, and the way out for good."""

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from byway.errors import TooOften, UsageError
from byway.people import Account, Session, Use
from byway.web.forms import Form
from byway.web.gate import cookie
from byway.web.site import Site
from byway.web.spoken import said
from byway.web.who import WHO


def routes(site: Site) -> APIRouter:
    """`/account` and what is done there"""
    router = APIRouter(include_in_schema=False)
    accounts = site.accounts
    if accounts is None:
        return router
    store = accounts.store

    def page(error: Exception | None = None, done: str = "", key: str = "") -> Response:
        account, session = me()
        status = 429 if isinstance(error, TooOften) else 400 if error else 200
        return site.form(
            "account.html",
            status,
            wrong=str(error or ""),
            done=done,
            key=key,
            keys=store.keys(account.id),
            sessions=store.sessions(account.id, session.seen_at),
            uses=list(Use) if account.role == "admin" else [Use.SEARCH],
        )

    @router.api_route("/account", methods=["GET", "HEAD"])
    def show() -> Response:
        return page()

    @router.post("/account/password")
    def change_password(form: Form) -> Response:
        account, session = me()
        try:
            if form.secret("password") != form.secret("again"):
                raise UsageError("the two passwords differ; type the same twice")
            accounts.change_password(account, form.secret("old"), form.secret("password"), session)
        except (UsageError, TooOften) as error:
            return page(error)
        return page(done=said("The password is changed, and all other sessions have ended."))

    @router.post("/account/sessions")
    def end_sessions(form: Form) -> Response:
        account, session = me()
        try:
            if form.has("others"):
                store.end(account.id, but=session.id)
                return page(done=said("The session has ended."))
            ended = form.number("session", 2**62)
            if ended not in [each.id for each in store.sessions(account.id, session.seen_at)]:
                raise UsageError("there is no such session; the list has those there are")
            store.end(account.id, ended)
        except UsageError as error:
            return page(error)
        return page(done=said("The session has ended."))

    @router.post("/account/keys")
    def change_keys(form: Form) -> Response:
        account, _ = me()
        try:
            if form.has("remove"):
                key = form.number("remove", 2**62)
                if key not in [each.id for each in store.keys(account.id)]:
                    raise UsageError("there is no such key; the list has those there are")
                store.remove_key(account.id, key)
                return page(done=said("The key opens nothing any more."))
            use = Use(form.text("use", 20)) if form.text("use", 20) in list(Use) else Use.SEARCH
            return page(key=accounts.make_key(account, form.text("name", 100), use))
        except UsageError as error:
            return page(error)

    @router.post("/account/delete")
    def delete(request: Request, form: Form) -> Response:
        try:
            accounts.delete(me()[0], form.secret("password"))
        except (UsageError, TooOften) as error:
            return page(error)
        response = RedirectResponse("/", 303)
        response.headers["Set-Cookie"] = cookie("", request.url.scheme, 0)
        return response

    return router


def me() -> tuple[Account, Session]:
    """Who is logged in; the gate lets nobody else come this far."""
    who = WHO.get()
    assert who.account and who.session
    return who.account, who.session
