"""Where do I begin? The search box, and how much there is to search."""

from fastapi import APIRouter
from fastapi.responses import HTMLResponse

from byway.web.context import WebContext


def routes(site: WebContext) -> APIRouter:
    """`/`"""
    router = APIRouter(include_in_schema=False)

    @router.api_route("/", methods=["GET", "HEAD"])
    def home() -> HTMLResponse:
        return site.render("home.html", status=site.status())

    return router
