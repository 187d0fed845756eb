"""How does it go, and what should it do? The admin's first page, and crawls."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import RedirectResponse, Response, StreamingResponse

from byway.app.admin import SAMPLE_INTERVAL_SECONDS, AdminService, CrawlOptions
from byway.core.errors import BywayError, UsageError
from byway.core.number_format import format_size
from byway.core.url import parse_typed_url
from byway.web.context import WebContext
from byway.web.forms import Form, FormFields
from byway.web.i18n import gettext
from byway.web.views.charts import chart, rates
from byway.web.views.hit import sanitize

STREAM_SECONDS = 60.0
"""Seconds that one stream lasts; the browser then asks again, and must still be let in."""
SCOPES = ("host", "site", "any")

UrlParam = Annotated[str, Query(max_length=2048)]


def routes(site: WebContext) -> APIRouter:
    """`/admin` and what is done to crawls"""
    router = APIRouter(include_in_schema=False)
    control = site.admin
    if site.accounts is None or control is None:
        return router

    def page(error: Exception | None = None) -> Response:
        return site.render_form(
            "overview.html",
            error,
            jobs=control.jobs(),
            room=control.resource_usage(),
            size=format_size,
            **figures(control),
        )

    @router.api_route("/admin", methods=["GET", "HEAD"])
    def overview() -> Response:
        return page()

    @router.get("/admin/live")
    async def live(request: Request) -> Response:
        stream = _stream(site, control, request)
        headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        return StreamingResponse(stream, media_type="text/event-stream", headers=headers)

    @router.api_route("/admin/crawl", methods=["GET", "HEAD"])
    def ask(url: UrlParam = "") -> Response:
        typed = {"url": sanitize(url)} if url else {}
        return site.render_form("start.html", seen=None, typed=typed, scopes=SCOPES)

    @router.post("/admin/preview")
    async def preview(form: Form) -> Response:
        typed = dict(form.values)
        try:
            seen = await control.preview_site(parse_typed_url(form.text("url", 2048)))
        except BywayError as error:
            return start_page(typed, error)
        return site.render_form("start.html", seen=seen, typed=typed, scopes=SCOPES)

    @router.post("/admin/crawl")
    def start(form: Form) -> Response:
        try:
            control.start(parse_crawl_form(form))
        except BywayError as error:
            return start_page(dict(form.values), error)
        return RedirectResponse("/admin", 303)

    def start_page(typed: dict[str, str], error: BywayError) -> Response:
        return site.render_form("start.html", error, seen=None, typed=typed, scopes=SCOPES)

    @router.post("/admin/pause")
    def pause(form: Form) -> Response:
        return _done(lambda: control.set_paused(True, form.text("job", 40)))

    @router.post("/admin/resume")
    def resume(form: Form) -> Response:
        return _done(lambda: control.set_paused(False, form.text("job", 40)))

    @router.post("/admin/stop")
    def stop(form: Form) -> Response:
        return _done(control.stop)

    def _done(work: Callable[[], None]) -> Response:
        try:
            work()
        except BywayError as error:
            return page(error)
        return RedirectResponse("/admin", 303)

    return router


def parse_crawl_form(form: FormFields) -> CrawlOptions:
    """The crawl that was asked for."""
    typed, scope = form.text("url", 2048), form.text("scope", 10)
    if scope and scope not in SCOPES:
        raise UsageError(f"scope must be one of {', '.join(SCOPES)}")
    return CrawlOptions(
        parse_typed_url(typed) if typed else None,
        form.number("pages", 10**9),
        form.number("depth", 1000) if form.has("depth") else None,
        scope,
        form.text("job", 40),
        form.has("again"),
    )


def figures(admin: AdminService) -> dict[str, object]:
    """What changes while one looks: numbers and charts."""
    samples = admin.samples()
    return {
        "status": admin.status(),
        "rate": chart(
            gettext("Pages per second"), rates([(each.at, each.pages) for each in samples])
        ),
        "queue": chart(gettext("URLs waiting"), [(each.at, each.queued) for each in samples]),
    }


async def _stream(site: WebContext, control: AdminService, request: Request) -> AsyncIterator[str]:
    """The numbers and charts anew every few seconds, as server-sent events."""
    loop = asyncio.get_running_loop()
    end = loop.time() + STREAM_SECONDS

    def fragments() -> str:
        seen = figures(control)
        numbers = site.templates.get_template("figures.html").render(status=seen["status"])
        return json.dumps({"figures": numbers, "rate": seen["rate"], "queue": seen["queue"]})

    yield "retry: 1000\n\n"
    looked = 0.0
    while loop.time() < end and not request.app.state.stopping:
        if loop.time() - looked >= SAMPLE_INTERVAL_SECONDS:
            looked = loop.time()
            yield f"data: {await asyncio.to_thread(fragments)}\n\n"
        await asyncio.sleep(0.25)
