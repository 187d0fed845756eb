"""CORS for the API: the origins in `serve.cors_origins` can call it, with a key, not a cookie."""

from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send

from byway.web.problems import API_PREFIX


class ApiCorsMiddleware:
    """Lets scripts from the allowed origins read API responses; other paths are untouched."""

    def __init__(self, app: ASGIApp, origins: tuple[str, ...]) -> None:
        self.app = app
        self._cors = CORSMiddleware(
            app,
            allow_origins=origins,
            allow_methods=["GET", "POST"],
            allow_headers=["Authorization", "Content-Type"],
            max_age=600,
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_api = scope["type"] == "http" and scope["path"].startswith(API_PREFIX)
        await (self._cors if is_api else self.app)(scope, receive, send)
