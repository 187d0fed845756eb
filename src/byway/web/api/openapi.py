"""What does the OpenAPI say? What routes tell of themselves, and what they all share: keys, errors.

describe(app, private) -> None
"""

from collections.abc import Iterator
from typing import Any

from fastapi import FastAPI

from byway.core.model.account import Role
from byway.web.errors import PROBLEM_MEDIA_TYPE
from byway.web.middleware.auth import required_role

API_KEY_SCHEME = {
    "type": "http",
    "scheme": "bearer",
    "description": "A key that somebody has made on the page of their account.",
}
RETRY_AFTER_HEADER = {
    "description": "Seconds to wait.",
    "schema": {"type": "integer", "minimum": 1},
}


def extend_openapi(app: FastAPI, require_login: bool) -> None:
    """Have `app` describe what its middleware does, too."""
    plain = app.openapi

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = _whole(plain(), require_login)
        return app.openapi_schema

    app.openapi = openapi  # type: ignore[method-assign]


def _whole(schema: dict[str, Any], private: bool) -> dict[str, Any]:
    schema.setdefault("components", {})["securitySchemes"] = {"key": API_KEY_SCHEME}
    for path, operation in _operations(schema):
        by_key: dict[str, list[str]] = {"key": []}
        everybody = required_role(path, private) is Role.VISITOR
        operation["security"] = [{}, by_key] if everybody else [by_key]
        for status, response in operation["responses"].items():
            if status[0] in "45":
                content = response["content"]
                content[PROBLEM_MEDIA_TYPE] = content.pop("application/json")
            if status == "503":
                response["headers"] = {"Retry-After": RETRY_AFTER_HEADER}
    return schema


def _operations(schema: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for path, methods in schema["paths"].items():
        for operation in methods.values():
            yield path, operation
