"""Problem details (RFC 9457): errors of the API as JSON, with a code for programs."""

from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from fastapi.responses import JSONResponse

from byway.core.errors import BywayError

API_PREFIX = "/api/"
PROBLEM_MEDIA_TYPE = "application/problem+json"
PROBLEM_DESCRIPTIONS = {
    400: "The request is valid but cannot be answered; `detail` has the reason.",
    401: "The API key is missing or wrong.",
    403: "The API key has no access.",
    404: "The page is not stored.",
    408: "The request body arrived too slowly.",
    409: "Another operation holds the lock.",
    413: "The request body is too large.",
    422: "A parameter or the body is invalid.",
    503: "Too many requests at once, or the data folder cannot be read now.",
}


@dataclass(frozen=True, slots=True)
class ProblemDetails:
    """An error (RFC 9457); `code` identifies it, `detail` is its text."""

    type: str
    title: str
    status: int
    detail: str
    code: str


class HttpError(BywayError):
    """An error with its own HTTP status."""

    def __init__(self, status: int, code: str, /, **params: object) -> None:
        super().__init__(code, **params)
        self.status = status

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild, (self.status, self.code, self.params)


def _rebuild(status: int, code: str, params: dict[str, object]) -> HttpError:
    return HttpError(status, code, **params)


def problem_response(status: int, error: BywayError) -> JSONResponse:
    """An error as problem+json."""
    body = {
        "type": "about:blank",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": str(error),
        "code": error.code,
    }
    return JSONResponse(body, status, media_type=PROBLEM_MEDIA_TYPE)


def openapi_problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The error responses of a route for OpenAPI: these, and those that all routes share."""
    return {
        status: {"description": PROBLEM_DESCRIPTIONS[status], "model": ProblemDetails}
        for status in sorted({401, 403, 422, 503, *statuses})
    }
