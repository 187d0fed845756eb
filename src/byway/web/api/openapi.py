"""OpenAPI description: FastAPI's own, with API keys, problem+json and Retry-After added."""

from collections.abc import Iterator
from typing import Any

from fastapi import FastAPI

from byway.core.model.account import Role
from byway.web.problems import PROBLEM_MEDIA_TYPE
from byway.web.router import RoutePolicies

API_KEY_SCHEME = {
    "type": "http",
    "scheme": "bearer",
    "description": "An API key, created on the account page.",
}
RETRY_AFTER_HEADER = {
    "description": "Seconds to wait.",
    "schema": {"type": "integer", "minimum": 1},
}


def extend_openapi(app: FastAPI, require_login: bool, policies: RoutePolicies) -> None:
    """Add the behavior of the middleware to the description of `app`."""
    describe_routes = app.openapi

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = _extended(describe_routes(), require_login, policies)
        return app.openapi_schema

    app.openapi = openapi  # type: ignore[method-assign]


def _extended(
    schema: dict[str, Any], require_login: bool, policies: RoutePolicies
) -> dict[str, Any]:
    schema.setdefault("components", {})["securitySchemes"] = {"api_key": API_KEY_SCHEME}
    for path, operation in _operations(schema):
        by_key: dict[str, list[str]] = {"api_key": []}
        role = policies.find(path).access.required_role(require_login)
        operation["security"] = [{}, by_key] if role is Role.VISITOR else [by_key]
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
