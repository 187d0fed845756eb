"""Admin overview: figures, charts and control of the crawls."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Annotated

from fastapi import Query, Request
from fastapi.responses import RedirectResponse, Response, StreamingResponse
from markupsafe import Markup

from byway.app.admin import SAMPLE_INTERVAL_SECONDS, AdminService, CrawlOptions
from byway.core.display import sanitize
from byway.core.errors import BywayError, UsageError
from byway.core.messages import decimal, t
from byway.core.svg_chart import Point, Tick, count_ticks, line_chart
from byway.core.url import parse_typed_url
from byway.web.context import WebContext
from byway.web.forms import Form, FormFields
from byway.web.i18n import format_rough_duration
from byway.web.pages.admin import MenuEntry
from byway.web.router import Access, PageRouter, RequestClass, RoutePolicy, with_policy

STREAM_SECONDS = 60.0
"""Seconds until a stream ends; the browser then reconnects and is authenticated again."""
SCOPES = ("host", "site", "any")
POLICY = RoutePolicy(Access.ADMIN, RequestClass.ADMIN)
LIVE_POLICY = RoutePolicy(Access.ADMIN, RequestClass.LIVE, cache_control="no-store")
MENU = (
    MenuEntry(1, "/admin", "web.admin.overview"),
    MenuEntry(2, "/admin/crawl", "web.admin.start_crawl"),
)

UrlParam = Annotated[str, Query(max_length=2048)]


def routes(site: WebContext) -> PageRouter:
    """The routes of `/admin` and of crawl control."""
    router = PageRouter(POLICY)
    admin = site.admin
    if site.accounts is None or admin is None:
        return router

    def page(error: Exception | None = None) -> Response:
        return site.render_form(
            "admin/overview.html",
            error,
            jobs=admin.jobs(),
            resources=admin.resource_usage(),
            **figures(admin),
        )

    @router.api_route("/admin", methods=["GET", "HEAD"])
    def overview() -> Response:
        return page()

    @router.get("/admin/live")
    @with_policy(LIVE_POLICY)
    async def live(request: Request) -> Response:
        stream = _stream(site, admin, request)
        headers = {"X-Accel-Buffering": "no"}
        return StreamingResponse(stream, media_type="text/event-stream", headers=headers)

    def apply(action: Callable[[], None]) -> Response:
        try:
            action()
        except BywayError as error:
            return page(error)
        return RedirectResponse("/admin", 303)

    @router.post("/admin/pause")
    def pause(form: Form) -> Response:
        return apply(lambda: admin.set_paused(True, form.text("job", 40)))

    @router.post("/admin/resume")
    def resume(form: Form) -> Response:
        return apply(lambda: admin.set_paused(False, form.text("job", 40)))

    @router.post("/admin/stop")
    def stop(form: Form) -> Response:
        return apply(admin.stop)

    _add_start_routes(router, site, admin)
    return router


def _add_start_routes(router: PageRouter, site: WebContext, admin: AdminService) -> None:
    """Add the routes of the form that starts a crawl, and of its preview."""

    @router.api_route("/admin/crawl", methods=["GET", "HEAD"])
    def start_form(url: UrlParam = "") -> Response:
        return start_page({"url": sanitize(url)} if url else {})

    @router.post("/admin/preview")
    async def preview(form: Form) -> Response:
        typed = dict(form.values)
        try:
            found = await admin.preview_site(parse_typed_url(form.text("url", 2048)))
        except BywayError as error:
            return start_page(typed, error)
        return start_page(typed, preview=found)

    @router.post("/admin/crawl")
    def start(form: Form) -> Response:
        try:
            admin.start(parse_crawl_form(form))
        except BywayError as error:
            return start_page(dict(form.values), error)
        return RedirectResponse("/admin", 303)

    def start_page(
        typed: dict[str, str], error: BywayError | None = None, preview: object = None
    ) -> Response:
        return site.render_form(
            "admin/start_crawl.html", error, preview=preview, typed=typed, scopes=SCOPES
        )


def parse_crawl_form(form: FormFields) -> CrawlOptions:
    """The crawl options of the form."""
    typed, scope = form.text("url", 2048), form.text("scope", 10)
    if scope and scope not in SCOPES:
        raise UsageError("web.bad_scope", scopes=SCOPES)
    return CrawlOptions(
        parse_typed_url(typed) if typed else None,
        form.number("max_pages", 10**9),
        form.number("max_depth", 1000) if form.has("max_depth") else None,
        scope,
        form.text("job", 40),
        form.has("recrawl"),
    )


def figures(admin: AdminService) -> dict[str, object]:
    """The figures and charts that the page refreshes."""
    samples = admin.samples()
    return {
        "status": admin.status(),
        "rate": growth_chart(
            t("web.crawls.rate"), rates([Point(sample.at, sample.pages) for sample in samples])
        ),
        "queue": growth_chart(
            t("web.crawls.queued"), [Point(sample.at, sample.queued) for sample in samples]
        ),
    }


def growth_chart(title: str, points: Sequence[Point]) -> Markup:
    """A line chart of counts over time."""
    ticks = count_ticks(max((point.y for point in points), default=0), steps=3)
    first, last, now = (points[0].x, *points[-1][:2]) if points else (0.0, 0.0, 0.0)
    ago = t("web.chart.ago", duration=format_rough_duration(last - first))
    return line_chart(
        points,
        label=t("web.chart.label", title=title, now=decimal(now, ",.3g"), top=ticks[-1].label),
        x_ticks=[Tick(first, ago), Tick(last, t("web.chart.now"))],
        y_ticks=ticks,
        filled=True,
    )


def rates(totals: Sequence[Point], window: int = 5) -> list[Point]:
    """The growth rates of a total, each over the last `window` points."""
    found = []
    for n, end in enumerate(totals[1:], 1):
        start = totals[max(0, n - window)]
        found.append(Point(end.x, max(0.0, (end.y - start.y) / max(end.x - start.x, 0.001))))
    return found


async def _stream(site: WebContext, admin: AdminService, request: Request) -> AsyncIterator[str]:
    """The figures and charts every few seconds, as server-sent events."""
    loop = asyncio.get_running_loop()
    end = loop.time() + STREAM_SECONDS

    def fragments() -> str:
        values = figures(admin)
        template = site.templates.get_template("admin/crawl_figures.html")
        numbers = template.render(status=values["status"])
        return json.dumps({"figures": numbers, "rate": values["rate"], "queue": values["queue"]})

    yield "retry: 1000\n\n"
    sent_at = 0.0
    while loop.time() < end and not request.app.state.stopping:
        if loop.time() - sent_at >= SAMPLE_INTERVAL_SECONDS:
            sent_at = loop.time()
            yield f"data: {await asyncio.to_thread(fragments)}\n\n"
        await asyncio.sleep(0.25)
