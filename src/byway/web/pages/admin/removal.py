"""What is taken out by hand? Pages and sites, each after a second word; and let in again."""

from collections.abc import Mapping
from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import Response

from byway.app.removal import Much, Named, Removing, named
from byway.core.errors import BywayError, UsageError
from byway.web.context import Site
from byway.web.forms import Fields, Form
from byway.web.i18n import t
from byway.web.query_params import LONGEST
from byway.web.views.hit import clean

PATH = "/admin/removed"

Typed = Annotated[str, Query(max_length=LONGEST)]


def routes(site: Site) -> APIRouter:
    """`/admin/removed`"""
    router = APIRouter(include_in_schema=False)
    if site.accounts is None or site.control is None:
        return router
    removing = site.control.removing

    @router.api_route(PATH, methods=["GET", "HEAD"])
    def show(url: Typed = "") -> Response:
        return _page(site, removing, {"url": clean(url)})

    @router.post(PATH)
    def change(form: Form) -> Response:
        typed = {"url": form.text("url", LONGEST), "site": form.text("site", LONGEST)}
        try:
            what = named([typed["url"]], typed["site"])
            if form.has("ask"):
                return _page(site, removing, typed, meant=(what, removing.much(what)))
            return _page(site, removing, {}, done=_act(removing, form, what))
        except BywayError as error:
            return _page(site, removing, typed, error)

    return router


def _page(
    site: Site,
    removing: Removing,
    typed: Mapping[str, str],
    error: Exception | None = None,
    done: str = "",
    meant: tuple[Named, Much] | None = None,
) -> Response:
    """What is out; `meant` is asked for once more before it is."""
    return site.form(
        "removed.html",
        error,
        done=done,
        typed=typed,
        meant=meant,
        removed=removing.removed(),
    )


def _act(removing: Removing, form: Fields, what: Named) -> str:
    """Take it out or let it in again, and say so."""
    if form.has("undo"):
        let_in = t("removed_let_in", count=removing.remove(what, undo=True).urls)
        return " ".join([let_in, *(t("removed_closed", why=why) for why in removing.closed(what))])
    if not form.has("remove"):
        raise UsageError("say what to do with it: remove or undo")
    much = removing.remove(what)
    count = much.pages
    return t("removed_done", count=count) if much.done else t("removed_soon", count=count)
