"""What would become of a page? A rule tried on it, and a URL followed through every stage."""

from collections.abc import Mapping
from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import Response

from byway.core.errors import BywayError
from byway.core.url import parse_typed_url
from byway.web.context import WebContext
from byway.web.forms import Form
from byway.web.query_params import MAX_QUERY_CHARS
from byway.web.views.hit import sanitize

UrlParam = Annotated[str, Query(max_length=MAX_QUERY_CHARS)]


def routes(site: WebContext) -> APIRouter:
    """`/admin/rules` and `/admin/inspect`"""
    router = APIRouter(include_in_schema=False)
    control = site.admin
    if site.accounts is None or control is None:
        return router

    def rule_page(
        error: Exception | None = None, found: Mapping[str, object] | None = None, **typed: str
    ) -> Response:
        return site.render_form("rules.html", error, now=control.rules(), found=found, typed=typed)

    @router.api_route("/admin/rules", methods=["GET", "HEAD"])
    def rules() -> Response:
        return rule_page()

    @router.post("/admin/rules")
    def try_rule(form: Form) -> Response:
        rule, typed = form.text("rule", 200), form.text("url", 2048)
        try:
            return rule_page(
                found=control.try_rule(rule, parse_typed_url(typed)), rule=rule, url=typed
            )
        except BywayError as error:
            return rule_page(error, rule=rule, url=typed)

    def inspected(typed: str, error: Exception | None = None, **found: object) -> Response:
        blank: dict[str, object] = {"steps": None, "record": None, "url": ""}
        return site.render_form("inspect.html", error, typed=typed, **(blank | found))

    @router.api_route("/admin/inspect", methods=["GET", "HEAD"])
    def ask(url: UrlParam = "") -> Response:
        # Only filled in: to ask other people's machines is for who presses the button.
        return inspected(sanitize(url))

    @router.post("/admin/inspect")
    async def inspect(form: Form) -> Response:
        typed = form.text("url", 2048)
        try:
            url = parse_typed_url(typed)
            steps = await control.trace(url)
            return inspected(typed, steps=steps, record=control.find_url(url), url=url)
        except BywayError as error:
            return inspected(typed, error)

    return router
