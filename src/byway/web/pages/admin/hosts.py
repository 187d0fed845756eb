"""What do sites do to us? Hosts, errors and traps."""

from contextlib import suppress
from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import Response

from byway.core.errors import BywayError, UrlError, UsageError
from byway.core.url import guess, host_of
from byway.web.context import Site
from byway.web.forms import Form
from byway.web.i18n import t
from byway.web.views.hit import clean

SHOWN = 200
"""Rows of a table; who needs more asks `byway status --json`."""

Typed = Annotated[str, Query(max_length=2048)]


def routes(site: Site) -> APIRouter:
    """`/admin/hosts`, `/admin/errors` and `/admin/traps`"""
    router = APIRouter(include_in_schema=False)
    control = site.control
    if site.accounts is None or control is None:
        return router

    @router.api_route("/admin/hosts", methods=["GET", "HEAD"])
    def hosts(host: Typed = "") -> Response:
        typed = clean(host)
        found, all = control.hosts(SHOWN, _spelt(typed))
        return site.form("hosts.html", hosts=found, all=all, typed=typed)

    @router.api_route("/admin/errors", methods=["GET", "HEAD"])
    def errors() -> Response:
        found = control.causes()
        return site.form("errors.html", causes=found[:SHOWN], status=control.status())

    def trap_page(error: Exception | None = None, done: str = "") -> Response:
        return site.form("traps.html", error, traps=control.traps()[:SHOWN], done=done)

    @router.api_route("/admin/traps", methods=["GET", "HEAD"])
    def traps() -> Response:
        return trap_page()

    @router.post("/admin/traps")
    def decide(form: Form) -> Response:
        host, pattern = form.text("host", 255), form.text("pattern", 2048)
        try:
            if not (form.has("resume") or form.has("drop")):
                raise UsageError("say what to do with it: resume or drop")
            queued = control.decide_trap(host, pattern, form.has("resume"))
        except BywayError as error:
            return trap_page(error)
        return trap_page(done=t("judged_again", count=queued))

    return router


def _spelt(typed: str) -> str:
    """A host, or a part of one, as hosts are written down; it may be typed as a URL is."""
    part = (typed.partition("://")[2] or typed).partition("/")[0].lower()
    if part.isascii():
        return part
    with suppress(UrlError):
        return host_of(guess(part))
    return part
