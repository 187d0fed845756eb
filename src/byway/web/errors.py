"""Error handlers: every error becomes a page or, in the API, problem+json."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from starlette.exceptions import HTTPException
from starlette.routing import BaseRoute, Route

from byway.core.errors import BywayError, DataLockedError, RateLimitError, UsageError
from byway.web.api.validation_errors import validation_error
from byway.web.context import WebContext
from byway.web.middleware.response_headers import SECURITY_HEADERS
from byway.web.problems import API_PREFIX, HttpError, problem_response

DEFAULT_CODES = {
    404: "web.not_found",
    405: "web.method_not_allowed",
    408: "web.request_timeout",
    413: "web.request_too_large",
    500: "web.internal_error",
}
"""Default error codes of HTTP statuses, for errors without a code."""


def add_error_handlers(app: FastAPI, site: WebContext) -> None:
    """Register all error handlers."""
    handlers = _ErrorHandlers(app, site)
    app.add_exception_handler(HTTPException, handlers.on_http_error)
    app.add_exception_handler(RequestValidationError, handlers.on_validation_error)
    app.add_exception_handler(BywayError, handlers.on_byway_error)
    app.add_exception_handler(Exception, handlers.on_crash)


@dataclass(frozen=True, slots=True)
class _ErrorHandlers:
    """The response to each kind of error."""

    app: FastAPI
    site: WebContext

    async def on_http_error(self, request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        headers, params = dict(error.headers or {}), dict[str, object]()
        if error.status_code == 405:
            # A path may have several routes; the error knows only the methods of the first.
            headers["Allow"] = ", ".join(sorted(_methods(self.app.routes, request.url.path)))
            params = {"method": request.method, "allowed": headers["Allow"]}
        code = DEFAULT_CODES.get(error.status_code, "web.request_failed")
        response = self._response(request, error.status_code, BywayError(code, **params))
        response.headers.update(headers)
        return response

    async def on_validation_error(self, request: Request, error: Exception) -> Response:
        assert isinstance(error, RequestValidationError)
        return self._error_response(
            request, validation_error(error.errors()[0], self.site.verticals)
        )

    async def on_byway_error(self, request: Request, error: Exception) -> Response:
        assert isinstance(error, BywayError)
        return self._error_response(request, error)

    async def on_crash(self, request: Request, error: Exception) -> Response:
        response = self._response(request, 500, BywayError(DEFAULT_CODES[500]))
        # This response bypasses all middleware.
        response.headers.update(SECURITY_HEADERS)
        return response

    def _error_response(self, request: Request, error: BywayError) -> Response:
        status = error_status(error)
        response = self._response(request, status, error, str(error))
        if status in (429, 503):
            wait = error.retry_after if isinstance(error, RateLimitError) else 1.0
            response.headers["Retry-After"] = str(math.ceil(wait))
        return response

    def _response(
        self, request: Request, status: int, error: BywayError, page_text: str = ""
    ) -> Response:
        if request.url.path.startswith(API_PREFIX):
            return problem_response(status, error)
        return self.site.render_error(status, page_text)


def error_status(error: BywayError) -> int:
    """The HTTP status of an error."""
    match error:
        case HttpError():
            return error.status
        case UsageError():
            return 400
        case DataLockedError():
            return 409
        case RateLimitError():
            return 429
        case _:
            return 503


def _methods(routes: Iterable[BaseRoute], path: str) -> set[str]:
    """The methods of all routes of a path."""
    found: set[str] = set()
    for route in routes:
        if inner := getattr(route, "original_router", None):
            found |= _methods(inner.routes, path)
        elif isinstance(route, Route) and route.path == path:
            found |= route.methods or set()
    return found
