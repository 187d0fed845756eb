"""Cached page: the stored text, original HTML, links and changes of a page."""

import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import Query as QueryParameter
from fastapi.responses import HTMLResponse, Response
from starlette.exceptions import HTTPException

from byway.app.pages import ArchivedPage
from byway.core.display import http_url, sanitize
from byway.core.media_types import HTML
from byway.core.messages import t
from byway.web.context import WebContext
from byway.web.middleware.response_headers import CONTENT_SECURITY_POLICY
from byway.web.query_params import MAX_QUERY_CHARS, local_url
from byway.web.router import Access, PageRouter, RoutePolicy
from byway.web.views.diff import diff_lines
from byway.web.views.document import highlight_terms, passages
from byway.web.views.hit import url_crumbs

VIEWS = ("text", "html", "links", "changes")
SANDBOX_POLICY = (
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; "
    "form-action 'none'; base-uri 'none'; frame-ancestors 'self'"
)
"""Allows no scripts, forms or requests: only the page itself is shown."""
FRAME_POLICY = f"{CONTENT_SECURITY_POLICY}; frame-src 'self'"
CHARSET_PATTERN = re.compile(r"charset\s*=\s*[\"']?([\w.:-]{1,40})", re.IGNORECASE)
#: A CSP does not stop <link rel=preconnect> from contacting other hosts.
LINK_TAG_PATTERN = re.compile(rb"<link\b", re.IGNORECASE)

POLICY = RoutePolicy(Access.SEARCH, compressed=True)

UrlParam = Annotated[str, QueryParameter(max_length=MAX_QUERY_CHARS)]


def routes(site: WebContext) -> PageRouter:
    """The routes `/cached` and `/cached/original`."""
    router = PageRouter(POLICY)

    @router.api_route("/cached", methods=["GET", "HEAD"])
    def cached(url: UrlParam = "", q: UrlParam = "", view: str = "text") -> HTMLResponse:
        if not (found := site.find_page(url)):
            return site.render("pages/not_stored.html", 404, url=sanitize(url))
        return _view(site, found, sanitize(q), view if view in VIEWS else "text")

    @router.api_route("/cached/original", methods=["GET", "HEAD"])
    def original(url: UrlParam = "") -> Response:
        found = site.find_page(url)
        page = found.original() if found and _is_html(found) else None
        if page is None:
            raise HTTPException(404)
        charset = CHARSET_PATTERN.search(page.content_type)
        media_type = f"text/html; charset={charset.group(1)}" if charset else "text/html"
        headers = {
            "Content-Security-Policy": SANDBOX_POLICY,
            "Content-Type": media_type,
            "X-DNS-Prefetch-Control": "off",
        }
        return Response(LINK_TAG_PATTERN.sub(b"<x-link", page.body), headers=headers)

    return router


def _view(site: WebContext, found: ArchivedPage, query: str, view: str) -> HTMLResponse:
    document, record = found.document, found.record
    view_values: dict[str, Callable[[], dict[str, Any]]] = {
        "text": lambda: {"passages": passages(document, highlight_terms(query, document.language))},
        "html": lambda: {"is_html": _is_html(found)},
        "links": lambda: {"links": found.links()},
        "changes": lambda: _changes(found),
    }
    response = site.render(
        "pages/cached.html",
        document=document,
        title=sanitize(document.title) or record.url,
        href=http_url(record.url),
        crumbs=url_crumbs(record.url),
        fetched_at=utc_datetime(record.fetched_at),
        query=query,
        view=view,
        views=[
            (name, t(f"web.cached.{name}"), _view_url(record.url, query, name)) for name in VIEWS
        ],
        original=local_url("/cached/original", [("url", record.url)]),
        sanitize=sanitize,
        http_url=http_url,
        **view_values[view](),
    )
    if view == "html":
        response.headers["Content-Security-Policy"] = FRAME_POLICY
    return response


def _view_url(url: str, query: str, view: str) -> str:
    pairs = [("url", url), ("q", query), ("view", view)]
    return local_url(
        "/cached", [(name, value) for name, value in pairs if value and value != "text"]
    )


def _changes(found: ArchivedPage) -> dict[str, object]:
    before = found.previous_version()
    if before is None:
        return {"compared_with": None, "lines": [], "truncated": False}
    fetched_at, document = before
    lines, truncated = diff_lines(document.text, found.document.text)
    return {"compared_with": utc_datetime(fetched_at), "lines": lines, "truncated": truncated}


def _is_html(found: ArchivedPage) -> bool:
    return found.document.document_type == HTML


def utc_datetime(seconds: float | None) -> datetime | None:
    """A timestamp as a UTC datetime; None stays None."""
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC)
