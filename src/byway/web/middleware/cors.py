"""Which other web sites may ask the API? Those that a setting names; with a key, never a cookie."""

from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send


class ApiCorsMiddleware:
    """Lets scripts of the named sites read what the API answers; all other paths are left alone."""

    def __init__(self, app: ASGIApp, origins: tuple[str, ...]) -> None:
        self.app = app
        self._shared = CORSMiddleware(
            app,
            allow_origins=origins,
            allow_methods=["GET", "POST"],
            allow_headers=["Authorization", "Content-Type"],
            max_age=600,
        )
        self._any = bool(origins)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        api = scope["type"] == "http" and scope["path"].startswith("/api/")
        await (self._shared if api and self._any else self.app)(scope, receive, send)
