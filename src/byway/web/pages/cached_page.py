"""What did a page say when we saw it? Its text, the page as it came, its links, its changes."""

import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import APIRouter
from fastapi import Query as QueryParameter
from fastapi.responses import HTMLResponse, Response
from starlette.exceptions import HTTPException

from byway.app.pages import Found
from byway.web.context import Site
from byway.web.i18n import t
from byway.web.middleware.security import POLICY
from byway.web.query_params import LONGEST, link
from byway.web.views.diff import changes
from byway.web.views.document import passages, wanted
from byway.web.views.hit import clean, crumbs_of, web_address

VIEWS = ("text", "html", "links", "changes")
SANDBOX = (
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; "
    "form-action 'none'; base-uri 'none'; frame-ancestors 'self'"
)
"""No script, no form, no request: only what is in the page itself."""
WITH_FRAME = f"{POLICY}; frame-src 'self'"
HTML = {"text/html", "application/xhtml+xml"}
CHARSET = re.compile(r"charset\s*=\s*[\"']?([\w.:-]{1,40})", re.IGNORECASE)
#: A policy does not keep <link rel=preconnect> from calling other hosts.
LINK = re.compile(rb"<link\b", re.IGNORECASE)

Address = Annotated[str, QueryParameter(max_length=LONGEST)]


def routes(site: Site) -> APIRouter:
    """`/cached` and `/cached/original`"""
    router = APIRouter(include_in_schema=False)

    @router.api_route("/cached", methods=["GET", "HEAD"])
    def cached(url: Address = "", q: Address = "", view: str = "text") -> HTMLResponse:
        found = site.kept.find(url) if site.kept else None
        if found is None:
            return site.page("unkept.html", 404, url=clean(url))
        return _shown(site, found, clean(q), view if view in VIEWS else "text")

    @router.api_route("/cached/original", methods=["GET", "HEAD"])
    def original(url: Address = "") -> Response:
        found = site.kept.find(url) if site.kept else None
        page = site.kept.original(found) if site.kept and found and _is_html(found) else None
        if page is None:
            raise HTTPException(404)
        charset = CHARSET.search(page.content_type)
        kind = f"text/html; charset={charset.group(1)}" if charset else "text/html"
        headers = {
            "Content-Security-Policy": SANDBOX,
            "Content-Type": kind,
            "X-DNS-Prefetch-Control": "off",
        }
        return Response(LINK.sub(b"<x-link", page.body), headers=headers)

    return router


def _shown(site: Site, found: Found, question: str, view: str) -> HTMLResponse:
    assert site.kept
    document, record = found.document, found.record
    makers: dict[str, Callable[[], dict[str, Any]]] = {
        "text": lambda: {"passages": passages(document, wanted(question, document.language))},
        "html": lambda: {"is_html": _is_html(found)},
        "links": lambda: {"around": site.kept and site.kept.links(found)},
        "changes": lambda: _changes(site, found),
    }
    response = site.page(
        "cached.html",
        document=document,
        title=clean(document.title) or record.url,
        href=web_address(record.url),
        crumbs=crumbs_of(record.url),
        seen=day_at(record.fetched_at),
        question=question,
        view=view,
        views=[(name, t(f"kept_{name}"), _place(record.url, question, name)) for name in VIEWS],
        original=link("/cached/original", [("url", record.url)]),
        clean=clean,
        web_address=web_address,
        **makers[view](),
    )
    if view == "html":
        response.headers["Content-Security-Policy"] = WITH_FRAME
    return response


def _place(url: str, question: str, view: str) -> str:
    pairs = [("url", url), ("q", question), ("view", view)]
    return link("/cached", [(name, value) for name, value in pairs if value and value != "text"])


def _changes(site: Site, found: Found) -> dict[str, object]:
    before = site.kept.before(found) if site.kept else None
    if before is None:
        return {"compared": None, "lines": [], "cut": False}
    then, document = before
    lines, cut = changes(document.text, found.document.text)
    return {"compared": day_at(then), "lines": lines, "cut": cut}


def _is_html(found: Found) -> bool:
    return found.document.content_type in HTML


def day_at(seconds: float | None) -> datetime | None:
    """The moment, if it is one."""
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC)
