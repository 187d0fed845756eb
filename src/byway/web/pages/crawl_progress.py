"""Crawl progress as one line of text, for pages that refresh it."""

from fastapi.responses import PlainTextResponse

from byway.core.messages import grouped, t
from byway.web.context import WebContext
from byway.web.router import Access, PageRouter, RoutePolicy

POLICY = RoutePolicy(Access.SEARCH)


def routes(site: WebContext) -> PageRouter:
    """The route `/live`."""
    router = PageRouter(POLICY)

    @router.api_route("/live", methods=["GET", "HEAD"])
    def live() -> PlainTextResponse:
        """The crawl progress; empty if no crawl is running."""
        status = site.status()
        if not status.crawling:
            return PlainTextResponse("")
        key = "web.crawl_progress.paused" if status.paused else "web.crawl_progress.running"
        return PlainTextResponse(t(key, count=status.pages, queued=grouped(status.queued)))

    return router
