"""How does it go, and what should it do? The admin's first page, and crawls."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import RedirectResponse, Response, StreamingResponse

from byway.app.admin import EVERY, Control, Order
from byway.core.errors import BywayError, UsageError
from byway.core.number_format import size
from byway.core.url import guess
from byway.web.context import Site
from byway.web.forms import Fields, Form
from byway.web.i18n import said
from byway.web.views.charts import chart, rates
from byway.web.views.hit import clean

LASTS = 60.0
"""Seconds that one stream lasts; the browser then asks again, and must still be let in."""
SCOPES = ("host", "site", "any")

Start = Annotated[str, Query(max_length=2048)]


def routes(site: Site) -> APIRouter:
    """`/admin` and what is done to crawls"""
    router = APIRouter(include_in_schema=False)
    control = site.control
    if site.accounts is None or control is None:
        return router

    def page(error: Exception | None = None) -> Response:
        return site.form(
            "overview.html",
            error,
            jobs=control.jobs(),
            room=control.room(),
            size=size,
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
    def ask(url: Start = "") -> Response:
        typed = {"url": clean(url)} if url else {}
        return site.form("start.html", seen=None, typed=typed, scopes=SCOPES)

    @router.post("/admin/preview")
    async def preview(form: Form) -> Response:
        typed = dict(form.values)
        try:
            seen = await control.preview(guess(form.text("url", 2048)))
        except BywayError as error:
            return start_page(typed, error)
        return site.form("start.html", seen=seen, typed=typed, scopes=SCOPES)

    @router.post("/admin/crawl")
    def start(form: Form) -> Response:
        try:
            control.start(order_of(form))
        except BywayError as error:
            return start_page(dict(form.values), error)
        return RedirectResponse("/admin", 303)

    def start_page(typed: dict[str, str], error: BywayError) -> Response:
        return site.form("start.html", error, seen=None, typed=typed, scopes=SCOPES)

    @router.post("/admin/pause")
    def pause(form: Form) -> Response:
        return _done(lambda: control.pause(True, form.text("job", 40)))

    @router.post("/admin/resume")
    def resume(form: Form) -> Response:
        return _done(lambda: control.pause(False, form.text("job", 40)))

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


def order_of(form: Fields) -> Order:
    """The crawl that was asked for."""
    typed, scope = form.text("url", 2048), form.text("scope", 10)
    if scope and scope not in SCOPES:
        raise UsageError(f"scope must be one of {', '.join(SCOPES)}")
    return Order(
        guess(typed) if typed else None,
        form.number("pages", 10**9),
        form.number("depth", 1000) if form.has("depth") else None,
        scope,
        form.text("job", 40),
        form.has("again"),
    )


def figures(control: Control) -> dict[str, object]:
    """What changes while one looks: numbers and charts."""
    samples = control.samples()
    return {
        "status": control.status(),
        "rate": chart(said("Pages per second"), rates([(each.at, each.pages) for each in samples])),
        "queue": chart(said("URLs waiting"), [(each.at, each.queued) for each in samples]),
    }


async def _stream(site: Site, control: Control, request: Request) -> AsyncIterator[str]:
    """The numbers and charts anew every few seconds, as server-sent events."""
    loop = asyncio.get_running_loop()
    end = loop.time() + LASTS

    def fragments() -> str:
        seen = figures(control)
        numbers = site.templates.get_template("figures.html").render(status=seen["status"])
        return json.dumps({"figures": numbers, "rate": seen["rate"], "queue": seen["queue"]})

    yield "retry: 1000\n\n"
    looked = 0.0
    while loop.time() < end and not request.app.state.stopping:
        if loop.time() - looked >= EVERY:
            looked = loop.time()
            yield f"data: {await asyncio.to_thread(fragments)}\n\n"
        await asyncio.sleep(0.25)
