"""How far is the crawl? One line, for pages that refresh it."""

from fastapi import APIRouter
from fastapi.responses import PlainTextResponse

from byway.web.context import Site
from byway.web.i18n import number, t


def routes(site: Site) -> APIRouter:
    """`/live`"""
    router = APIRouter(include_in_schema=False)

    @router.api_route("/live", methods=["GET", "HEAD"])
    def live() -> PlainTextResponse:
        """Nothing when no crawl runs."""
        status = site.status()
        if not status.crawling:
            return PlainTextResponse("")
        key = "paused" if status.paused else "crawling"
        return PlainTextResponse(t(key, count=status.pages, queued=number(status.queued)))

    return router
