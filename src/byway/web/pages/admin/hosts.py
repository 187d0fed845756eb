"""Admin pages for hosts, errors and traps."""

from contextlib import suppress
from typing import Annotated

from fastapi import Query
from fastapi.responses import Response

from byway.core.display import sanitize
from byway.core.errors import BywayError, UrlError, UsageError
from byway.core.messages import t
from byway.core.url import host_of, parse_typed_url
from byway.web.context import WebContext
from byway.web.forms import Form
from byway.web.pages.admin import MenuEntry
from byway.web.router import Access, PageRouter, RequestClass, RoutePolicy

MAX_TABLE_ROWS = 200
"""Maximum number of rows in a table; `byway status --json` has all."""
POLICY = RoutePolicy(Access.ADMIN, RequestClass.ADMIN)
MENU = (
    MenuEntry(3, "/admin/hosts", "web.admin.hosts"),
    MenuEntry(4, "/admin/errors", "web.admin.errors"),
    MenuEntry(5, "/admin/traps", "web.admin.traps"),
)

HostParam = Annotated[str, Query(max_length=2048)]


def routes(site: WebContext) -> PageRouter:
    """The routes of `/admin/hosts`, `/admin/errors` and `/admin/traps`."""
    router = PageRouter(POLICY)
    admin = site.admin
    if site.accounts is None or admin is None:
        return router

    @router.api_route("/admin/hosts", methods=["GET", "HEAD"])
    def hosts(host: HostParam = "") -> Response:
        typed = sanitize(host)
        found, total = admin.hosts(MAX_TABLE_ROWS, _normalized(typed))
        return site.render_form("admin/hosts.html", hosts=found, total=total, typed=typed)

    @router.api_route("/admin/errors", methods=["GET", "HEAD"])
    def errors() -> Response:
        reasons = admin.failure_reasons()[:MAX_TABLE_ROWS]
        return site.render_form("admin/errors.html", reasons=reasons, status=admin.status())

    def trap_page(error: Exception | None = None, done: str = "") -> Response:
        return site.render_form(
            "admin/traps.html", error, traps=admin.traps()[:MAX_TABLE_ROWS], done=done
        )

    @router.api_route("/admin/traps", methods=["GET", "HEAD"])
    def traps() -> Response:
        return trap_page()

    @router.post("/admin/traps")
    def decide(form: Form) -> Response:
        host, pattern = form.text("host", 255), form.text("pattern", 2048)
        try:
            if not (form.has("resume") or form.has("drop")):
                raise UsageError("web.trap_action")
            queued = admin.decide_trap(host, pattern, form.has("resume"))
        except BywayError as error:
            return trap_page(error)
        return trap_page(done=t("web.traps.decided", count=queued))

    return router


def _normalized(typed: str) -> str:
    """Normalize a typed host name, part of a host name, or URL to the stored form."""
    part = (typed.partition("://")[2] or typed).partition("/")[0].lower()
    if part.isascii():
        return part
    with suppress(UrlError):
        return host_of(parse_typed_url(part))
    return part
