"""What does a visitor see when something goes wrong? One clear page, or problem+json."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from http import HTTPStatus

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException
from starlette.routing import BaseRoute, Route

from byway.core.errors import BywayError, Locked, TooOften, UsageError
from byway.web.api.validation_errors import in_words
from byway.web.context import Site
from byway.web.middleware.security import HEADERS

API = "/api/"
PROBLEM_JSON = "application/problem+json"
USUAL = {
    404: "nothing is at this address; /api/v1/openapi.json lists what there is",
    405: "this address is not asked by {method}, but by {allowed}",
    408: "what was sent came too slowly",
    413: "what was sent is too large",
    500: "it is our fault; what happened is in the log of byway",
}
"""What programs are told where nobody has found better words."""


def add_failures(app: FastAPI, site: Site) -> None:
    """Show every error as a page, or to programs as problem+json (RFC 9457)."""
    failures = _Failures(app, site)
    app.add_exception_handler(HTTPException, failures.on_http)
    app.add_exception_handler(RequestValidationError, failures.on_nonsense)
    app.add_exception_handler(UsageError, failures.on_refusal)
    app.add_exception_handler(Locked, failures.on_conflict)
    app.add_exception_handler(BywayError, failures.on_byway)
    app.add_exception_handler(Exception, failures.on_crash)


@dataclass(frozen=True, slots=True)
class _Failures:
    """What is answered to each kind of error."""

    app: FastAPI
    site: Site

    async def on_http(self, request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        usual = HTTPStatus(error.status_code).phrase
        detail = "" if error.detail == usual else error.detail
        headers = dict(error.headers or {})
        if error.status_code == 405:
            # One address may be several routes, of which the error knows only the first.
            headers["Allow"] = ", ".join(sorted(_methods(self.app.routes, request.url.path)))
        response = self._failure(request, error.status_code, detail, headers)
        response.headers.update(headers)
        return response

    async def on_nonsense(self, request: Request, error: Exception) -> Response:
        assert isinstance(error, RequestValidationError)
        return self._failure(request, 422, in_words(error.errors()[0]))

    async def on_refusal(self, request: Request, error: Exception) -> Response:
        return self._failure(request, 400, str(error))

    async def on_conflict(self, request: Request, error: Exception) -> Response:
        return self._failure(request, 409, str(error))

    async def on_byway(self, request: Request, error: Exception) -> Response:
        wait = error.wait if isinstance(error, TooOften) else 1.0
        response = self._failure(request, 429 if isinstance(error, TooOften) else 503, str(error))
        response.headers["Retry-After"] = str(math.ceil(wait))
        return response

    async def on_crash(self, request: Request, error: Exception) -> Response:
        # Made outside all middleware, so the headers are put on here.
        response = self._failure(request, 500)
        response.headers.update(HEADERS)
        return response

    def _failure(
        self,
        request: Request,
        status: int,
        detail: str = "",
        headers: Mapping[str, str] | None = None,
    ) -> Response:
        if request.url.path.startswith(API):
            return problem(status, detail or _usual(request, status, headers or {}))
        return self.site.page("failure.html", status, status=status, detail=detail)


def _methods(routes: Iterable[BaseRoute], path: str) -> set[str]:
    """The methods by which a path may be asked."""
    found: set[str] = set()
    for route in routes:
        if inner := getattr(route, "original_router", None):
            found |= _methods(inner.routes, path)
        elif isinstance(route, Route) and route.path == path:
            found |= route.methods or set()
    return found


def problem(status: int, detail: str) -> JSONResponse:
    """An error that programs can read."""
    body = {
        "type": "about:blank",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": detail,
    }
    return JSONResponse(body, status, media_type=PROBLEM_JSON)


def _usual(request: Request, status: int, headers: Mapping[str, str]) -> str:
    allowed = headers.get("Allow", "another method")
    return USUAL.get(status, "").format(method=request.method, allowed=allowed)
