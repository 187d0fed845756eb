"""Result clicks: recorded for users who keep a history, and redirected to the page."""

from typing import Annotated

from fastapi import Query
from fastapi.responses import RedirectResponse, Response
from starlette.exceptions import HTTPException

from byway.core.display import http_url, sanitize
from byway.core.secret_tokens import constant_time_equal
from byway.web.context import MAX_URL_CHARS, WebContext, open_signature
from byway.web.forms import Form
from byway.web.middleware.auth import CURRENT_USER
from byway.web.pages.account import current_account
from byway.web.router import Access, PageRouter, RequestClass, RoutePolicy

ResultUrlParam = Annotated[str, Query(max_length=MAX_URL_CHARS)]
ClickedQueryParam = Annotated[str, Query(max_length=MAX_URL_CHARS)]
SignatureParam = Annotated[str, Query(max_length=100)]


def routes(site: WebContext) -> PageRouter:
    """The routes of `/open`."""
    router = PageRouter(RoutePolicy(Access.USER, RequestClass.ADMIN))
    accounts = site.accounts
    if accounts is None:
        return router

    @router.get("/open")
    def open_result(
        url: ResultUrlParam = "", q: ClickedQueryParam = "", signature: SignatureParam = ""
    ) -> Response:
        record_click(url, q, signature)
        return RedirectResponse(url, 303)

    @router.post("/open")
    def report_click(form: Form) -> Response:
        """Record a click that a script reports while the browser follows the direct link."""
        record_click(*(form.text(name, MAX_URL_CHARS) for name in ("url", "q", "signature")))
        return Response(status_code=204)

    def record_click(url: str, query: str, signature: str) -> None:
        user = CURRENT_USER.get()
        if not constant_time_equal(signature, open_signature(user, url)) or not http_url(url):
            raise HTTPException(403)
        if user.keeps_history:
            accounts.record_click(current_account()[0], url.partition("#")[0], sanitize(query))

    return router
