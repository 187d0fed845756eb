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

from byway.core.errors import BywayError, DataLockedError, RateLimitError, UsageError
from byway.web.api.validation_errors import describe_error
from byway.web.context import WebContext
from byway.web.middleware.security import SECURITY_HEADERS

API_PREFIX = "/api/"
PROBLEM_MEDIA_TYPE = "application/problem+json"
DEFAULT_DETAILS = {
    404: "nothing is at this address; /api/v1/openapi.json lists what there is",
    405: "this address is not asked by {method}, but by {allowed}",
    408: "what was sent came too slowly",
    413: "what was sent is too large",
    500: "it is our fault; what happened is in the log of byway",
}
"""What programs are told where nobody has found better words."""


def add_error_handlers(app: FastAPI, site: WebContext) -> None:
    """Show every error as a page, or to programs as problem+json (RFC 9457)."""
    failures = _ErrorHandlers(app, site)
    app.add_exception_handler(HTTPException, failures.on_http_error)
    app.add_exception_handler(RequestValidationError, failures.on_validation_error)
    app.add_exception_handler(UsageError, failures.on_usage_error)
    app.add_exception_handler(DataLockedError, failures.on_locked)
    app.add_exception_handler(BywayError, failures.on_byway_error)
    app.add_exception_handler(Exception, failures.on_crash)


@dataclass(frozen=True, slots=True)
class _ErrorHandlers:
    """What is answered to each kind of error."""

    app: FastAPI
    site: WebContext

    async def on_http_error(self, request: Request, error: Exception) -> Response:
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

    async def on_validation_error(self, request: Request, error: Exception) -> Response:
        assert isinstance(error, RequestValidationError)
        return self._failure(request, 422, describe_error(error.errors()[0]))

    async def on_usage_error(self, request: Request, error: Exception) -> Response:
        return self._failure(request, 400, str(error))

    async def on_locked(self, request: Request, error: Exception) -> Response:
        return self._failure(request, 409, str(error))

    async def on_byway_error(self, request: Request, error: Exception) -> Response:
        wait = error.retry_after if isinstance(error, RateLimitError) else 1.0
        response = self._failure(
            request, 429 if isinstance(error, RateLimitError) else 503, str(error)
        )
        response.headers["Retry-After"] = str(math.ceil(wait))
        return response

    async def on_crash(self, request: Request, error: Exception) -> Response:
        # Made outside all middleware, so the headers are put on here.
        response = self._failure(request, 500)
        response.headers.update(SECURITY_HEADERS)
        return response

    def _failure(
        self,
        request: Request,
        status: int,
        detail: str = "",
        headers: Mapping[str, str] | None = None,
    ) -> Response:
        if request.url.path.startswith(API_PREFIX):
            return problem_response(status, detail or _usual(request, status, headers or {}))
        return self.site.render("failure.html", status, status=status, detail=detail)


def _methods(routes: Iterable[BaseRoute], path: str) -> set[str]:
    """The methods by which a path may be asked."""
    found: set[str] = set()
    for route in routes:
        if inner := getattr(route, "original_router", None):
            found |= _methods(inner.routes, path)
        elif isinstance(route, Route) and route.path == path:
            found |= route.methods or set()
    return found


def problem_response(status: int, detail: str) -> JSONResponse:
    """An error that programs can read."""
    body = {
        "type": "about:blank",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": detail,
    }
    return JSONResponse(body, status, media_type=PROBLEM_MEDIA_TYPE)


def _usual(request: Request, status: int, headers: Mapping[str, str]) -> str:
    allowed = headers.get("Allow", "another method")
    return DEFAULT_DETAILS.get(status, "").format(method=request.method, allowed=allowed)
