"""How far is the crawl? One line, for pages that refresh it."""

from fastapi import APIRouter
from fastapi.responses import PlainTextResponse

from byway.web.context import WebContext
from byway.web.i18n import format_number, t


def routes(site: WebContext) -> APIRouter:
    """`/live`"""
    router = APIRouter(include_in_schema=False)

    @router.api_route("/live", methods=["GET", "HEAD"])
    def live() -> PlainTextResponse:
        """Nothing when no crawl runs."""
        status = site.status()
        if not status.crawling:
            return PlainTextResponse("")
        key = "paused" if status.paused else "crawling"
        return PlainTextResponse(t(key, count=status.pages, queued=format_number(status.queued)))

    return router
