"""Favicons of hosts, served from the store so that browsers do not contact the site."""

from typing import Annotated

from fastapi import Query
from fastapi.responses import Response
from starlette.exceptions import HTTPException

from byway.core.content_encoding import image_media_type
from byway.web.context import WebContext
from byway.web.router import Access, PageRouter, RequestClass, RoutePolicy

MAX_HOST_CHARS = 300
ICON_HEADERS = {"Content-Security-Policy": "sandbox; default-src 'none'"}
"""Headers that keep an image from running scripts, whatever its bytes are."""
POLICY = RoutePolicy(Access.SEARCH, RequestClass.STATIC, cache_control="public, max-age=86400")

HostParam = Annotated[str, Query(max_length=MAX_HOST_CHARS)]


def routes(site: WebContext) -> PageRouter:
    """The route `/icon`."""
    router = PageRouter(POLICY)

    @router.api_route("/icon", methods=["GET", "HEAD"])
    def icon(host: HostParam = "") -> Response:
        image = site.archive.icons.get(host) if site.archive and host else b""
        if not (media_type := image_media_type(image)):
            raise HTTPException(404)
        return Response(image, headers=ICON_HEADERS, media_type=media_type)

    return router
