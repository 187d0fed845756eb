"""What is written down? Questions as they are asked and results as they are opened, for who
wants that.
"""

import asyncio
import logging
from typing import Annotated
from urllib.parse import parse_qs

from fastapi import APIRouter, Query
from fastapi.responses import RedirectResponse, Response
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from byway.accounts.service import constant_time_equal
from byway.web.context import WebContext
from byway.web.current_user import CURRENT_USER, MAX_URL_CHARS, open_signature
from byway.web.forms import Form
from byway.web.pages.account import current_account
from byway.web.views.hit import http_url, sanitize

log = logging.getLogger(__name__)

ResultUrlParam = Annotated[str, Query(max_length=MAX_URL_CHARS)]
QueryParam = Annotated[str, Query(max_length=MAX_URL_CHARS)]
SignatureParam = Annotated[str, Query(max_length=100)]


def routes(site: WebContext) -> APIRouter:
    """`/open`"""
    router = APIRouter(include_in_schema=False)
    accounts = site.accounts
    if accounts is None:
        return router

    @router.get("/open")
    def open_result(
        url: ResultUrlParam = "", q: QueryParam = "", signed: SignatureParam = ""
    ) -> Response:
        remember(url, q, signed)
        return RedirectResponse(url, 303)

    @router.post("/open")
    def note_opened(form: Form) -> Response:
        """What a script tells us, while the browser goes straight to the page."""
        remember(*(form.text(name, MAX_URL_CHARS) for name in ("url", "q", "signed")))
        return Response(status_code=204)

    def remember(url: str, question: str, signed: str) -> None:
        who = CURRENT_USER.get()
        if not constant_time_equal(signed, open_signature(who, url)) or not http_url(url):
            raise HTTPException(403)
        if who.keeps_history:
            accounts.record_click(current_account()[0], url.partition("#")[0], sanitize(question))

    return router


class SearchHistoryMiddleware:
    """Writes down what was asked on the search page, for who wants that."""

    def __init__(self, app: ASGIApp, site: WebContext) -> None:
        self.app = app
        self._site = site

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        who, accounts = CURRENT_USER.get(), self._site.accounts
        searching = scope["type"] == "http" and scope["path"] == "/search"
        if not (searching and accounts and who.account and who.keeps_history):
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
                await asyncio.to_thread(accounts.record_query, who.account, text)
            except Exception:
                log.exception("a question was not written down")


def _first_page(query: bytes) -> str:
    """The question, if this is the first page of its answer."""
    try:
        asked = parse_qs(query.decode("latin-1"), max_num_fields=50)
    except ValueError:
        return ""
    first = asked.get("page", ["1"])[0] in ("", "1")
    return sanitize(asked.get("q", [""])[0]) if first else ""
