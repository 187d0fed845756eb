"""OpenAPI description: FastAPI's own, with API keys, problem+json and Retry-After added.

A request with a parameter that it does not describe is rejected.
"""

from collections.abc import Iterator
from difflib import get_close_matches
from typing import Any

from fastapi import FastAPI, Request

from byway.core.model.account import Role
from byway.web.problems import PROBLEM_MEDIA_TYPE, HttpError
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


async def reject_unknown_params(request: Request) -> None:
    """Reject an unknown or repeated parameter, which would otherwise be ignored silently."""
    methods = request.app.openapi()["paths"].get(request.scope["route"].path, {})
    described = methods.get(request.method.lower(), {}).get("parameters", ())
    schemas = {param["name"]: param["schema"] for param in described if param["in"] == "query"}
    known, given = list(schemas), [name for name, _ in request.query_params.multi_items()]
    for name in known:
        if schemas[name].get("type") != "array" and given.count(name) > 1:
            raise HttpError(422, "web.param_repeated", name=name, times=given.count(name))
    unknown = next((name for name in given if name not in known), None)
    if methods and unknown is not None:
        raise _unknown_param(unknown[:100], known)


def _unknown_param(name: str, known: list[str]) -> HttpError:
    if near := get_close_matches(name, known, n=1):
        return HttpError(422, "web.mistyped_param", name=name, correction=near[0])
    if known:
        return HttpError(422, "web.unknown_param", name=name, known=known)
    return HttpError(422, "web.unknown_param_without_others", name=name)
