"""What does byway remember of me? Questions and opened results, and what they change."""

import json
from dataclasses import asdict
from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import JSONResponse, RedirectResponse, Response

from byway.accounts.personal_boosts import BOOST_STRENGTHS, personal_boosts
from byway.accounts.service import AccountService
from byway.core.errors import UrlError, UsageError
from byway.core.messages import text as message_text
from byway.core.model.account import Account, HostPreference
from byway.core.url import host_of, parse_typed_url
from byway.web.context import WebContext
from byway.web.forms import Form, FormFields
from byway.web.i18n import t
from byway.web.pages.account import current_account
from byway.web.query_params import local_url
from byway.web.views.hit import sanitize

MAX_SHOWN_ENTRIES = 100
DONE_MESSAGES = ("forgotten", "forgotten_one", "saved")
"""What there is to say after a form was sent."""

HostParam = Annotated[str, Query(max_length=255)]


def routes(site: WebContext) -> APIRouter:
    """`/account/history` and `/account/export`"""
    router = APIRouter(include_in_schema=False)
    accounts = site.accounts
    if accounts is None:
        return router
    store = accounts.store

    def page(error: Exception | None = None, done: str = "", host: str = "") -> Response:
        account, _ = current_account()
        found = store.account(account.name)
        return site.render_form(
            "history.html",
            error,
            done=t(f"my_{done}") if done else "",
            account=found[0] if found else account,
            history=store.history(account.id),
            boosts=personal_boosts(store.preferences(account.id)),
            strengths=BOOST_STRENGTHS,
            shown=MAX_SHOWN_ENTRIES,
            host=host,
        )

    @router.api_route("/account/history", methods=["GET", "HEAD"])
    def show(host: HostParam = "", done: HostParam = "") -> Response:
        return page(done=done if done in DONE_MESSAGES else "", host=sanitize(host))

    @router.post("/account/history")
    def change(form: Form) -> Response:
        try:
            # Elsewhere, so that who loads the page again does not send the form again.
            done = _act(form, current_account()[0], accounts)
            return RedirectResponse(local_url("/account/history", [("done", done)]), 303)
        except UsageError as error:
            return page(error)

    @router.get("/account/export")
    def export() -> Response:
        account, _ = current_account()
        history = store.history(account.id)
        taste = store.preferences(account.id)
        body = {"name": account.name, "strength": taste.boost_strength, **asdict(history)}
        body["boosts"] = {
            host: {
                "factor": boost.factor,
                "reason": boost.reason.code,
                "message": message_text(boost.reason),
            }
            for host, boost in personal_boosts(taste).items()
        }
        body = json.loads(json.dumps(body).encode("utf-8", "replace"))
        headers = {"Content-Disposition": 'attachment; filename="byway-history.json"'}
        return JSONResponse(body, headers=headers)

    return router


def _act(form: FormFields, account: Account, accounts: AccountService) -> str:
    """Do what was asked for; what is said of it is named."""
    store = accounts.store
    if form.has("forget"):
        store.delete_history(account.id)
        return "forgotten"
    if form.has("deed"):
        store.delete_history(account.id, form.number("deed", 2**62))
        return "forgotten_one"
    if form.has("remember"):
        store.set_records_history(account.id, form.text("remember", 3) == "on")
    elif form.has("strength"):
        store.set_boost_strength(account.id, _strength(form))
    elif not store.set_host_preference(account.id, _host(form), _wish(form)):
        raise UsageError("you have named too many sites; remove one first")
    return "saved"


def _strength(form: FormFields) -> float:
    typed = form.text("strength", 10)
    for strength in BOOST_STRENGTHS:
        if typed == f"{strength:g}":
            return strength
    raise UsageError(
        f"strength must be one of {', '.join(f'{each:g}' for each in BOOST_STRENGTHS)}"
    )


def _host(form: FormFields) -> str:
    typed = form.text("host", 255)
    try:
        return host_of(parse_typed_url(typed))
    except UrlError as error:
        raise UsageError(f"{typed!r} is no site; write it as example.org") from error


def _wish(form: FormFields) -> HostPreference | None:
    wish = form.text("wish", 10)
    return HostPreference(wish) if wish in list(HostPreference) else None
