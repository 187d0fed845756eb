"""What did a page say when we saw it? Its text, the page as it came, its links, its changes."""

import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import APIRouter
from fastapi import Query as QueryParameter
from fastapi.responses import HTMLResponse, Response
from starlette.exceptions import HTTPException

from byway.app.pages import ArchivedPage
from byway.core.media_types import HTML
from byway.web.context import WebContext
from byway.web.i18n import t
from byway.web.middleware.security import CONTENT_SECURITY_POLICY
from byway.web.query_params import MAX_QUERY_CHARS, local_url
from byway.web.views.diff import diff_lines
from byway.web.views.document import highlight_terms, passages
from byway.web.views.hit import http_url, sanitize, url_crumbs

VIEWS = ("text", "html", "links", "changes")
SANDBOX_POLICY = (
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; "
    "form-action 'none'; base-uri 'none'; frame-ancestors 'self'"
)
"""No script, no form, no request: only what is in the page itself."""
FRAME_POLICY = f"{CONTENT_SECURITY_POLICY}; frame-src 'self'"
CHARSET_PATTERN = re.compile(r"charset\s*=\s*[\"']?([\w.:-]{1,40})", re.IGNORECASE)
#: A policy does not keep <link rel=preconnect> from calling other hosts.
LINK_TAG_PATTERN = re.compile(rb"<link\b", re.IGNORECASE)

UrlParam = Annotated[str, QueryParameter(max_length=MAX_QUERY_CHARS)]


def routes(site: WebContext) -> APIRouter:
    """`/cached` and `/cached/original`"""
    router = APIRouter(include_in_schema=False)

    @router.api_route("/cached", methods=["GET", "HEAD"])
    def cached(url: UrlParam = "", q: UrlParam = "", view: str = "text") -> HTMLResponse:
        found = site.archive.find(url) if site.archive else None
        if found is None:
            return site.render("unkept.html", 404, url=sanitize(url))
        return _shown(site, found, sanitize(q), view if view in VIEWS else "text")

    @router.api_route("/cached/original", methods=["GET", "HEAD"])
    def original(url: UrlParam = "") -> Response:
        found = site.archive.find(url) if site.archive else None
        page = site.archive.original(found) if site.archive and found and _is_html(found) else None
        if page is None:
            raise HTTPException(404)
        charset = CHARSET_PATTERN.search(page.content_type)
        kind = f"text/html; charset={charset.group(1)}" if charset else "text/html"
        headers = {
            "Content-Security-Policy": SANDBOX_POLICY,
            "Content-Type": kind,
            "X-DNS-Prefetch-Control": "off",
        }
        return Response(LINK_TAG_PATTERN.sub(b"<x-link", page.body), headers=headers)

    return router


def _shown(site: WebContext, found: ArchivedPage, question: str, view: str) -> HTMLResponse:
    assert site.archive
    document, record = found.document, found.record
    makers: dict[str, Callable[[], dict[str, Any]]] = {
        "text": lambda: {
            "passages": passages(document, highlight_terms(question, document.language))
        },
        "html": lambda: {"is_html": _is_html(found)},
        "links": lambda: {"around": site.archive and site.archive.links(found)},
        "changes": lambda: _changes(site, found),
    }
    response = site.render(
        "cached.html",
        document=document,
        title=sanitize(document.title) or record.url,
        href=http_url(record.url),
        crumbs=url_crumbs(record.url),
        seen=utc_datetime(record.fetched_at),
        question=question,
        view=view,
        views=[(name, t(f"kept_{name}"), _place(record.url, question, name)) for name in VIEWS],
        original=local_url("/cached/original", [("url", record.url)]),
        clean=sanitize,
        web_address=http_url,
        **makers[view](),
    )
    if view == "html":
        response.headers["Content-Security-Policy"] = FRAME_POLICY
    return response


def _place(url: str, question: str, view: str) -> str:
    pairs = [("url", url), ("q", question), ("view", view)]
    return local_url(
        "/cached", [(name, value) for name, value in pairs if value and value != "text"]
    )


def _changes(site: WebContext, found: ArchivedPage) -> dict[str, object]:
    before = site.archive.previous_version(found) if site.archive else None
    if before is None:
        return {"compared": None, "lines": [], "cut": False}
    then, document = before
    lines, cut = diff_lines(document.text, found.document.text)
    return {"compared": utc_datetime(then), "lines": lines, "cut": cut}


def _is_html(found: ArchivedPage) -> bool:
    return found.document.document_type == HTML


def utc_datetime(seconds: float | None) -> datetime | None:
    """The moment, if it is one."""
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC)
