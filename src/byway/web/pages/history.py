"""What does byway remember of me? Questions and opened results, and what they change."""

import json
from dataclasses import asdict
from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import JSONResponse, RedirectResponse, Response

from byway.accounts.personal_boosts import STRENGTHS, boosts
from byway.accounts.service import Accounts
from byway.core.errors import UrlError, UsageError
from byway.core.model.account import Account, Wish
from byway.core.url import guess, host_of
from byway.web.context import Site
from byway.web.forms import Fields, Form
from byway.web.i18n import t
from byway.web.pages.account import me
from byway.web.personal import sentence
from byway.web.query_params import link
from byway.web.views.hit import clean

SHOWN = 100
DONE = ("forgotten", "forgotten_one", "saved")
"""What there is to say after a form was sent."""

Host = Annotated[str, Query(max_length=255)]


def routes(site: Site) -> APIRouter:
    """`/account/history` and `/account/export`"""
    router = APIRouter(include_in_schema=False)
    accounts = site.accounts
    if accounts is None:
        return router
    store = accounts.store

    def page(error: Exception | None = None, done: str = "", host: str = "") -> Response:
        account, _ = me()
        found = store.account(account.name)
        return site.form(
            "history.html",
            error,
            done=t(f"my_{done}") if done else "",
            account=found[0] if found else account,
            history=store.history(account.id),
            boosts=boosts(store.taste(account.id), sentence),
            strengths=STRENGTHS,
            shown=SHOWN,
            host=host,
        )

    @router.api_route("/account/history", methods=["GET", "HEAD"])
    def show(host: Host = "", done: Host = "") -> Response:
        return page(done=done if done in DONE else "", host=clean(host))

    @router.post("/account/history")
    def change(form: Form) -> Response:
        try:
            # Elsewhere, so that who loads the page again does not send the form again.
            done = _act(form, me()[0], accounts)
            return RedirectResponse(link("/account/history", [("done", done)]), 303)
        except UsageError as error:
            return page(error)

    @router.get("/account/export")
    def export() -> Response:
        account, _ = me()
        history = store.history(account.id)
        taste = store.taste(account.id)
        body = {"name": account.name, "strength": taste.strength, **asdict(history)}
        body["boosts"] = {host: asdict(boost) for host, boost in boosts(taste).items()}
        body = json.loads(json.dumps(body).encode("utf-8", "replace"))
        headers = {"Content-Disposition": 'attachment; filename="byway-history.json"'}
        return JSONResponse(body, headers=headers)

    return router


def _act(form: Fields, account: Account, accounts: Accounts) -> str:
    """Do what was asked for; what is said of it is named."""
    store = accounts.store
    if form.has("forget"):
        store.forget(account.id)
        return "forgotten"
    if form.has("deed"):
        store.forget(account.id, form.number("deed", 2**62))
        return "forgotten_one"
    if form.has("remember"):
        store.set_remembers(account.id, form.text("remember", 3) == "on")
    elif form.has("strength"):
        store.set_strength(account.id, _strength(form))
    elif not store.wish(account.id, _host(form), _wish(form)):
        raise UsageError("you have named too many sites; remove one first")
    return "saved"


def _strength(form: Fields) -> float:
    typed = form.text("strength", 10)
    for strength in STRENGTHS:
        if typed == f"{strength:g}":
            return strength
    raise UsageError(f"strength must be one of {', '.join(f'{each:g}' for each in STRENGTHS)}")


def _host(form: Fields) -> str:
    typed = form.text("host", 255)
    try:
        return host_of(guess(typed))
    except UrlError as error:
        raise UsageError(f"{typed!r} is no site; write it as example.org") from error


def _wish(form: Fields) -> Wish | None:
    wish = form.text("wish", 10)
    return Wish(wish) if wish in list(Wish) else None
