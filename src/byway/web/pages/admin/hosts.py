"""What do sites do to us? Hosts, errors and traps."""

from contextlib import suppress
from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import Response

from byway.core.errors import BywayError, UrlError, UsageError
from byway.core.url import host_of, parse_typed_url
from byway.web.context import WebContext
from byway.web.forms import Form
from byway.web.i18n import t
from byway.web.views.hit import sanitize

MAX_TABLE_ROWS = 200
"""Rows of a table; who needs more asks `byway status --json`."""

HostParam = Annotated[str, Query(max_length=2048)]


def routes(site: WebContext) -> APIRouter:
    """`/admin/hosts`, `/admin/errors` and `/admin/traps`"""
    router = APIRouter(include_in_schema=False)
    control = site.admin
    if site.accounts is None or control is None:
        return router

    @router.api_route("/admin/hosts", methods=["GET", "HEAD"])
    def hosts(host: HostParam = "") -> Response:
        typed = sanitize(host)
        found, all = control.hosts(MAX_TABLE_ROWS, _spelt(typed))
        return site.render_form("hosts.html", hosts=found, all=all, typed=typed)

    @router.api_route("/admin/errors", methods=["GET", "HEAD"])
    def errors() -> Response:
        found = control.failure_reasons()
        return site.render_form(
            "errors.html", causes=found[:MAX_TABLE_ROWS], status=control.status()
        )

    def trap_page(error: Exception | None = None, done: str = "") -> Response:
        return site.render_form(
            "traps.html", error, traps=control.traps()[:MAX_TABLE_ROWS], done=done
        )

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
        return host_of(parse_typed_url(part))
    return part
