"""What is taken out by hand? Pages and sites, each after a second word; and let in again."""

from collections.abc import Mapping
from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import Response

from byway.app.removal import RemovalScope, RemovalService, RemovalSummary, parse_removal
from byway.core.errors import BywayError, UsageError
from byway.web.context import WebContext
from byway.web.forms import Form, FormFields
from byway.web.i18n import reason_text, t
from byway.web.query_params import MAX_QUERY_CHARS
from byway.web.views.hit import sanitize

REMOVED_PATH = "/admin/removed"

UrlParam = Annotated[str, Query(max_length=MAX_QUERY_CHARS)]


def routes(site: WebContext) -> APIRouter:
    """`/admin/removed`"""
    router = APIRouter(include_in_schema=False)
    if site.accounts is None or site.admin is None:
        return router
    removing = site.admin.removal

    @router.api_route(REMOVED_PATH, methods=["GET", "HEAD"])
    def show(url: UrlParam = "") -> Response:
        return _page(site, removing, {"url": sanitize(url)})

    @router.post(REMOVED_PATH)
    def change(form: Form) -> Response:
        typed = {
            "url": form.text("url", MAX_QUERY_CHARS),
            "site": form.text("site", MAX_QUERY_CHARS),
        }
        try:
            what = parse_removal([typed["url"]], typed["site"])
            if form.has("ask"):
                return _page(site, removing, typed, meant=(what, removing.preview(what)))
            return _page(site, removing, {}, done=_act(removing, form, what))
        except BywayError as error:
            return _page(site, removing, typed, error)

    return router


def _page(
    site: WebContext,
    removing: RemovalService,
    typed: Mapping[str, str],
    error: Exception | None = None,
    done: str = "",
    meant: tuple[RemovalScope, RemovalSummary] | None = None,
) -> Response:
    """What is out; `meant` is asked for once more before it is."""
    return site.render_form(
        "removed.html",
        error,
        done=done,
        typed=typed,
        meant=meant,
        removed=removing.list_removed(),
    )


def _act(removing: RemovalService, form: FormFields, what: RemovalScope) -> str:
    """Take it out or let it in again, and say so."""
    if form.has("undo"):
        let_in = t("removed_let_in", count=removing.remove(what, undo=True).urls)
        return " ".join(
            [
                let_in,
                *(
                    t("removed_closed", why=reason_text(why))
                    for why in removing.crawl_refusals(what)
                ),
            ]
        )
    if not form.has("remove"):
        raise UsageError("say what to do with it: remove or undo")
    much = removing.remove(what)
    count = much.pages
    return t("removed_done", count=count) if much.done else t("removed_soon", count=count)
