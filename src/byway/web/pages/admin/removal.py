"""Removal page: remove pages and sites after a confirmation, and restore them."""

from collections.abc import Mapping
from typing import Annotated

from fastapi import Query
from fastapi.responses import Response

from byway.app.removal import RemovalScope, RemovalService, RemovalSummary, parse_removal
from byway.core.display import sanitize
from byway.core.errors import BywayError, UsageError
from byway.core.messages import t
from byway.web.context import WebContext
from byway.web.forms import Form, FormFields
from byway.web.pages.admin import MenuEntry
from byway.web.query_params import MAX_QUERY_CHARS
from byway.web.router import Access, PageRouter, RequestClass, RoutePolicy

REMOVED_PATH = "/admin/removed"
POLICY = RoutePolicy(Access.ADMIN, RequestClass.ADMIN)
MENU = (MenuEntry(7, REMOVED_PATH, "web.admin.removed"),)

UrlParam = Annotated[str, Query(max_length=MAX_QUERY_CHARS)]


def routes(site: WebContext) -> PageRouter:
    """The routes of `/admin/removed`."""
    router = PageRouter(POLICY)
    if site.accounts is None or site.admin is None:
        return router
    removal = site.admin.removal

    @router.api_route(REMOVED_PATH, methods=["GET", "HEAD"])
    def show(url: UrlParam = "") -> Response:
        return _page(site, removal, {"url": sanitize(url)})

    @router.post(REMOVED_PATH)
    def change(form: Form) -> Response:
        typed = {
            "url": form.text("url", MAX_QUERY_CHARS),
            "site": form.text("site", MAX_QUERY_CHARS),
        }
        try:
            scope = parse_removal([typed["url"]], typed["site"])
            if form.has("preview"):
                return _page(site, removal, typed, confirmation=(scope, removal.preview(scope)))
            return _page(site, removal, {}, done=_apply(removal, form, scope))
        except BywayError as error:
            return _page(site, removal, typed, error)

    return router


def _page(
    site: WebContext,
    removal: RemovalService,
    typed: Mapping[str, str],
    error: Exception | None = None,
    done: str = "",
    confirmation: tuple[RemovalScope, RemovalSummary] | None = None,
) -> Response:
    """The removed pages and sites; `confirmation` is a removal to confirm."""
    return site.render_form(
        "admin/removal.html",
        error,
        done=done,
        typed=typed,
        confirmation=confirmation,
        removed=removal.list_removed(),
    )


def _apply(removal: RemovalService, form: FormFields, scope: RemovalScope) -> str:
    """Remove or restore pages or a site; return the notice to show."""
    if form.has("undo"):
        restored = t("web.removal.restored", count=removal.remove(scope, undo=True).urls)
        refusals = removal.crawl_refusals(scope)
        return " ".join(
            [restored, *(t("web.removal.crawl_refusal", reason=reason) for reason in refusals)]
        )
    if not form.has("remove"):
        raise UsageError("web.removal_action")
    summary = removal.remove(scope)
    key = "web.removal.done" if summary.is_complete else "web.removal.pending"
    return t(key, count=summary.pages)
