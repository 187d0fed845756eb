"""Validation errors of API parameters and bodies: pydantic's error types as error codes."""

from collections.abc import Mapping
from typing import Any

from byway.core.messages import has_text
from byway.web.problems import HttpError
from byway.web.query_params import PRODUCT_ONLY_SORTS

PARAM_EXAMPLES = {
    "year": "2024",
    "after": "2024-05 / 2024-05-31",
    "before": "2024-05 / 2024-05-31",
    "min_price": "1500 / 1500.50",
    "max_price": "1500 / 1500.50",
    "currency": "EUR",
    "attribute": "heel:wedge",
}


def validation_error(error: Mapping[str, Any]) -> HttpError:
    """One of pydantic's errors, with the name of the parameter."""
    place = [str(part) for part in error["loc"][1:]]
    param = place[0] if place else "body"
    name = ".".join(place) or param
    code = f"web.param.{error['type']}"
    if not has_text(f"error.{code}"):
        return HttpError(422, "web.param.other", name=name, problem=error["msg"])
    if param == "sort" and error.get("input") in PRODUCT_ONLY_SORTS:
        return HttpError(422, "web.param.product_sort", name=name, **error["ctx"])
    example = PARAM_EXAMPLES.get(param, "/api/v1/openapi.json")
    return HttpError(422, code, name=name, example=example, **error.get("ctx", {}))
