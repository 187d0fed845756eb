"""Where do I begin? The search box, and how much there is to search."""

from fastapi import APIRouter
from fastapi.responses import HTMLResponse

from byway.web.context import Site


def routes(site: Site) -> APIRouter:
    """`/`"""
    router = APIRouter(include_in_schema=False)

    @router.api_route("/", methods=["GET", "HEAD"])
    def home() -> HTMLResponse:
        return site.page("home.html", status=site.status())

    return router
