"""What does a site look like? Its favicon, as it was kept: no browser asks the site for it."""

from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import Response
from starlette.exceptions import HTTPException

from byway.core.content_encoding import image_media_type
from byway.web.context import WebContext

MAX_HOST_CHARS = 300
ICON_HEADERS = {
    # A picture and nothing else, whatever it may be taken for.
    "Content-Security-Policy": "sandbox; default-src 'none'",
    "Cache-Control": "public, max-age=86400",
}

HostParam = Annotated[str, Query(max_length=MAX_HOST_CHARS)]


def routes(site: WebContext) -> APIRouter:
    """`/icon`"""
    router = APIRouter(include_in_schema=False)

    @router.api_route("/icon", methods=["GET", "HEAD"])
    def icon(host: HostParam = "") -> Response:
        picture = site.archive.icon(host) if site.archive and host else b""
        if not (kind := image_media_type(picture)):
            raise HTTPException(404)
        return Response(picture, headers=ICON_HEADERS, media_type=kind)

    return router
