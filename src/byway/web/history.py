"""What does byway remember of me? Questions and opened results, and what they change."""

import asyncio
import json
import logging
from dataclasses import asdict
from typing import Annotated
from urllib.parse import parse_qs

from fastapi import APIRouter, Query
from fastapi.responses import JSONResponse, RedirectResponse, Response
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from byway.accounts.accounts import same
from byway.accounts.taste import STRENGTHS, boosts
from byway.errors import UrlError, UsageError
from byway.people import Account, Wish
from byway.url import guess, host_of
from byway.web.account import me
from byway.web.forms import Fields, Form
from byway.web.personal import sentence
from byway.web.shown import clean, web_address
from byway.web.site import Site
from byway.web.spoken import t
from byway.web.who import LONGEST_URL, WHO, open_signature

log = logging.getLogger(__name__)

SHOWN = 100

Target = Annotated[str, Query(max_length=LONGEST_URL)]
Words = Annotated[str, Query(max_length=LONGEST_URL)]
Host = Annotated[str, Query(max_length=255)]
Signed = Annotated[str, Query(max_length=100)]


def routes(site: Site) -> APIRouter:
    """`/account/history`, `/account/export` and `/open`"""
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
            400 if error else 200,
            wrong=str(error or ""),
            done=t(f"my_{done}") if done else "",
            account=found[0] if found else account,
            history=store.history(account.id),
            boosts=boosts(store.taste(account.id), sentence),
            strengths=STRENGTHS,
            shown=SHOWN,
            host=host,
        )

    @router.api_route("/account/history", methods=["GET", "HEAD"])
    def show(host: Host = "") -> Response:
        return page(host=clean(host))

    @router.post("/account/history")
    def change(form: Form) -> Response:
        try:
            return page(done=act(form, me()[0]))
        except UsageError as error:
            return page(error)

    def act(form: Fields, account: Account) -> str:
        """Do what was asked for; what is said of it is named."""
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

    @router.get("/open")
    def open_result(url: Target = "", q: Words = "", signed: Signed = "") -> Response:
        remember(url, q, signed)
        return RedirectResponse(url, 303)

    @router.post("/open")
    def note_opened(form: Form) -> Response:
        """What a script tells us, while the browser goes straight to the page."""
        remember(*(form.text(name, LONGEST_URL) for name in ("url", "q", "signed")))
        return Response(status_code=204)

    def remember(url: str, question: str, signed: str) -> None:
        who = WHO.get()
        if not same(signed, open_signature(who, url)) or not web_address(url):
            raise HTTPException(403)
        if who.remembers:
            accounts.opened(me()[0], url.partition("#")[0], clean(question))

    return router


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


class Remember:
    """Writes down what was asked on the search page, for who wants that."""

    def __init__(self, app: ASGIApp, site: Site) -> None:
        self.app = app
        self._site = site

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        who, accounts = WHO.get(), self._site.accounts
        searching = scope["type"] == "http" and scope["path"] == "/search"
        if not (searching and accounts and who.account and who.remembers):
            await self.app(scope, receive, send)
            return
        status = 0

        async def send_noted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        await self.app(scope, receive, send_noted)
        text = _first_page(scope["query_string"])
        if status == 200 and text and scope["method"] == "GET":
            try:
                await asyncio.to_thread(accounts.asked, who.account, text)
            except Exception:
                log.exception("a question was not written down")


def _first_page(query: bytes) -> str:
    """The question, if this is the first page of its answer."""
    try:
        asked = parse_qs(query.decode("latin-1"), max_num_fields=50)
    except ValueError:
        return ""
    first = asked.get("page", ["1"])[0] in ("", "1")
    return clean(asked.get("q", [""])[0]) if first else ""
