"""Validation errors of API parameters and bodies: pydantic's error types as error codes."""

from collections.abc import Mapping, Sequence
from typing import Any

from byway.core.messages import has_text
from byway.core.verticals import Vertical
from byway.web.problems import HttpError

PARAM_EXAMPLES = {
    "year": "2024",
    "after": "2024-05 / 2024-05-31",
    "before": "2024-05 / 2024-05-31",
    "attribute": "heel:wedge",
}


def validation_error(error: Mapping[str, Any], verticals: Sequence[Vertical]) -> HttpError:
    """One of pydantic's errors, with the name of the parameter."""
    place = [str(part) for part in error["loc"][1:]]
    param = place[0] if place else "body"
    name = ".".join(place) or param
    code = f"web.param.{error['type']}"
    if not has_text(f"error.{code}"):
        return HttpError(422, "web.param.other", name=name, problem=error["msg"])
    for vertical in verticals if param == "sort" else ():
        if error.get("input") in vertical.sorts:
            also = {"path": f"/api/v1/{vertical.name}", "sorts": list(vertical.sorts)}
            return HttpError(422, "web.param.vertical_sort", name=name, **also, **error["ctx"])
    examples = {each.name: each.example for vertical in verticals for each in vertical.filters}
    example = PARAM_EXAMPLES.get(param) or examples.get(param) or "/api/v1/openapi.json"
    return HttpError(422, code, name=name, example=example, **error.get("ctx", {}))
