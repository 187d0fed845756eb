"""Admin pages to test a site rule on a page and to trace a URL through every stage."""

from collections.abc import Mapping
from typing import Annotated

from fastapi import Query
from fastapi.responses import Response

from byway.core.display import sanitize
from byway.core.errors import BywayError
from byway.core.url import parse_typed_url
from byway.web.context import WebContext
from byway.web.forms import Form
from byway.web.pages.admin import MenuEntry
from byway.web.query_params import MAX_QUERY_CHARS
from byway.web.router import Access, PageRouter, RequestClass, RoutePolicy

POLICY = RoutePolicy(Access.ADMIN, RequestClass.ADMIN)
MENU = (
    MenuEntry(6, "/admin/inspect", "web.admin.inspect"),
    MenuEntry(8, "/admin/rules", "web.admin.rules"),
)

UrlParam = Annotated[str, Query(max_length=MAX_QUERY_CHARS)]


def routes(site: WebContext) -> PageRouter:
    """The routes of `/admin/rules` and `/admin/inspect`."""
    router = PageRouter(POLICY)
    admin = site.admin
    if site.accounts is None or admin is None:
        return router

    def rule_page(
        error: Exception | None = None, outcome: Mapping[str, object] | None = None, **typed: str
    ) -> Response:
        return site.render_form(
            "admin/rules.html", error, site_rules=admin.rules(), outcome=outcome, typed=typed
        )

    @router.api_route("/admin/rules", methods=["GET", "HEAD"])
    def rules() -> Response:
        return rule_page()

    @router.post("/admin/rules")
    def try_rule(form: Form) -> Response:
        rule, typed = form.text("rule", 200), form.text("url", 2048)
        try:
            outcome = admin.try_rule(rule, parse_typed_url(typed))
            return rule_page(outcome=outcome, rule=rule, url=typed)
        except BywayError as error:
            return rule_page(error, rule=rule, url=typed)

    def inspect_page(typed: str, error: Exception | None = None, **found: object) -> Response:
        defaults: dict[str, object] = {"steps": None, "record": None, "url": ""}
        return site.render_form("admin/inspect.html", error, typed=typed, **(defaults | found))

    @router.api_route("/admin/inspect", methods=["GET", "HEAD"])
    def inspect_form(url: UrlParam = "") -> Response:
        # Only filled in: a link must not make us contact other servers.
        return inspect_page(sanitize(url))

    @router.post("/admin/inspect")
    async def inspect(form: Form) -> Response:
        typed = form.text("url", 2048)
        try:
            url = parse_typed_url(typed)
            record, steps = await admin.trace(url)
            return inspect_page(typed, steps=steps, record=record, url=url)
        except BywayError as error:
            return inspect_page(typed, error)

    return router
