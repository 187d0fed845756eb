"""What does a visitor see when something goes wrong? One clear page, or problem+json."""

import math
from http import HTTPStatus

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException

from byway.errors import BywayError, TooOften, UsageError
from byway.web.guard import HEADERS
from byway.web.site import Site

API = "/api/"


def add_failures(app: FastAPI, site: Site) -> None:
    """Show every error as a page, or to programs as problem+json (RFC 9457)."""

    def failure(request: Request, status: int, detail: str = "") -> Response:
        if request.url.path.startswith(API):
            return problem(status, detail)
        return site.page("failure.html", status, status=status, detail=detail)

    async def on_http(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        usual = HTTPStatus(error.status_code).phrase
        response = failure(
            request, error.status_code, "" if error.detail == usual else error.detail
        )
        response.headers.update(error.headers or {})
        return response

    async def on_nonsense(request: Request, error: Exception) -> Response:
        assert isinstance(error, RequestValidationError)
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"][1:])
        return failure(request, 422, f"{where or 'the body'}: {first['msg']}")

    async def on_refusal(request: Request, error: Exception) -> Response:
        return failure(request, 400, str(error))

    async def on_byway(request: Request, error: Exception) -> Response:
        wait = error.wait if isinstance(error, TooOften) else 1.0
        response = failure(request, 429 if isinstance(error, TooOften) else 503, str(error))
        response.headers["Retry-After"] = str(math.ceil(wait))
        return response

    async def on_crash(request: Request, error: Exception) -> Response:
        # Made outside all middleware, so the headers are put on here.
        response = failure(request, 500)
        response.headers.update(HEADERS)
        return response

    app.add_exception_handler(HTTPException, on_http)
    app.add_exception_handler(RequestValidationError, on_nonsense)
    app.add_exception_handler(UsageError, on_refusal)
    app.add_exception_handler(BywayError, on_byway)
    app.add_exception_handler(Exception, on_crash)


def problem(status: int, detail: str) -> JSONResponse:
    """An error that programs can read."""
    body = {"type": "about:blank", "title": HTTPStatus(status).phrase, "status": status}
    if detail:
        body["detail"] = detail
    return JSONResponse(body, status, media_type="application/problem+json")
