"""History page: recorded queries and clicks, host preferences, export."""

import json
from dataclasses import asdict
from typing import Annotated

from fastapi import Query
from fastapi.responses import JSONResponse, RedirectResponse, Response

from byway.app.accounts import AccountService
from byway.core.display import sanitize
from byway.core.errors import UrlError, UsageError
from byway.core.messages import t, text
from byway.core.model.account import BOOST_STRENGTHS, Account, HostPreference
from byway.core.url import host_of, parse_typed_url
from byway.web.context import WebContext
from byway.web.forms import Form, FormFields
from byway.web.pages.account import current_account
from byway.web.query_params import local_url
from byway.web.router import Access, PageRouter, RequestClass, RoutePolicy

MAX_SHOWN_ENTRIES = 100
DONE_MESSAGES = ("deleted", "deleted_entry", "saved")
"""Notices shown after a form is submitted."""
POLICY = RoutePolicy(Access.USER, RequestClass.ADMIN)

HostParam = Annotated[str, Query(max_length=255)]


def routes(site: WebContext) -> PageRouter:
    """The routes of `/account/history` and `/account/export`."""
    router = PageRouter(POLICY)
    accounts = site.accounts
    if accounts is None:
        return router
    store = accounts.store

    def page(error: Exception | None = None, done: str = "", host: str = "") -> Response:
        account, _ = current_account()
        found = store.account(account.name)
        return site.render_form(
            "pages/history.html",
            error,
            done=t(f"web.history.done_{done}") if done else "",
            account=found[0] if found else account,
            history=store.history(account.id),
            boosts=accounts.personal_boosts(account),
            strengths=BOOST_STRENGTHS,
            max_entries=MAX_SHOWN_ENTRIES,
            host=host,
        )

    @router.api_route("/account/history", methods=["GET", "HEAD"])
    def show(host: HostParam = "", done: HostParam = "") -> Response:
        return page(done=done if done in DONE_MESSAGES else "", host=sanitize(host))

    @router.post("/account/history")
    def change(form: Form) -> Response:
        try:
            # A redirect, so that reloading the page does not send the form again.
            done = _change(form, current_account()[0], accounts)
            return RedirectResponse(local_url("/account/history", [("done", done)]), 303)
        except UsageError as error:
            return page(error)

    @router.get("/account/export")
    def export() -> Response:
        account, _ = current_account()
        history = store.history(account.id)
        body = {
            "name": account.name,
            "boost_strength": store.preferences(account.id).boost_strength,
            **asdict(history),
        }
        body["boosts"] = {
            host: {
                "factor": boost.factor,
                "reason": boost.reason.code,
                "message": text(boost.reason),
            }
            for host, boost in accounts.personal_boosts(account).items()
        }
        body = json.loads(json.dumps(body).encode("utf-8", "replace"))
        headers = {"Content-Disposition": 'attachment; filename="byway-history.json"'}
        return JSONResponse(body, headers=headers)

    return router


def _change(form: FormFields, account: Account, accounts: AccountService) -> str:
    """Apply the submitted form; return the name of the notice to show."""
    store = accounts.store
    if form.has("forget"):
        store.delete_history(account.id)
        return "deleted"
    if form.has("entry"):
        store.delete_history(account.id, form.number("entry", 2**62))
        return "deleted_entry"
    if form.has("keep_history"):
        store.set_records_history(account.id, form.text("keep_history", 3) == "on")
    elif form.has("strength"):
        store.set_boost_strength(account.id, _strength(form))
    elif not store.set_host_preference(account.id, _host(form), _preference(form)):
        raise UsageError("web.too_many_sites")
    return "saved"


def _strength(form: FormFields) -> float:
    typed = form.text("strength", 10)
    for strength in BOOST_STRENGTHS:
        if typed == f"{strength:g}":
            return strength
    raise UsageError("web.bad_strength", strengths=[f"{one:g}" for one in BOOST_STRENGTHS])


def _host(form: FormFields) -> str:
    typed = form.text("host", 255)
    try:
        return host_of(parse_typed_url(typed))
    except UrlError as error:
        raise UsageError("web.bad_site", typed=typed) from error


def _preference(form: FormFields) -> HostPreference | None:
    typed = form.text("preference", 10)
    return HostPreference(typed) if typed in list(HostPreference) else None
