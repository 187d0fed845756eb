"""Home page: the search box and the size of the index."""

from fastapi.responses import HTMLResponse

from byway.web.context import WebContext
from byway.web.router import Access, PageRouter, RoutePolicy

POLICY = RoutePolicy(Access.SEARCH)


def routes(site: WebContext) -> PageRouter:
    """The route `/`."""
    router = PageRouter(POLICY)

    @router.api_route("/", methods=["GET", "HEAD"])
    def home() -> HTMLResponse:
        return site.render("pages/home.html", status=site.status())

    return router
