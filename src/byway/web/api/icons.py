"""What does a site look like? Its favicon, as it was kept: no browser asks the site for it."""

from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import Response
from starlette.exceptions import HTTPException

from byway.core.content_encoding import picture_kind
from byway.web.context import Site

LONGEST_HOST = 300
HEADERS = {
    # A picture and nothing else, whatever it may be taken for.
    "Content-Security-Policy": "sandbox; default-src 'none'",
    "Cache-Control": "public, max-age=86400",
}

Host = Annotated[str, Query(max_length=LONGEST_HOST)]


def routes(site: Site) -> APIRouter:
    """`/icon`"""
    router = APIRouter(include_in_schema=False)

    @router.api_route("/icon", methods=["GET", "HEAD"])
    def icon(host: Host = "") -> Response:
        picture = site.kept.icon(host) if site.kept and host else b""
        if not (kind := picture_kind(picture)):
            raise HTTPException(404)
        return Response(picture, headers=HEADERS, media_type=kind)

    return router
