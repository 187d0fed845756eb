"""What is wrong with what a program sent? One sentence, with how it is written rightly."""

from collections.abc import Mapping
from typing import Any

from byway.web.query_params import PRODUCT_ONLY_SORTS

ERROR_MESSAGES = {
    "int_parsing": "must be a whole number",
    "bool_parsing": "must be true or false",
    "greater_than_equal": "must be at least {ge}",
    "less_than_equal": "must be at most {le}",
    "literal_error": "must be one of {expected}",
    "string_too_short": "is empty",
    "string_too_long": "has more than {max_length} characters",
    "too_long": "is given more than {max_length} times",
    "string_pattern_mismatch": "is not written so; write it as {example}",
    "extra_forbidden": "is not known here",
    "missing": "is missing",
}
"""By pydantic's name for the mistake; what it says of others is passed on."""
PARAM_EXAMPLES = {
    "year": "2024",
    "after": "2024-05 or 2024-05-31",
    "before": "2024-05 or 2024-05-31",
    "price_from": "1500 or 1500.50",
    "price_to": "1500 or 1500.50",
    "currency": "EUR",
    "has": "heel:wedge",
}


def describe_error(error: Mapping[str, Any]) -> str:
    """A mistake that pydantic found, named by the parameter."""
    place = [str(part) for part in error["loc"][1:]]
    name = place[0] if place else "the body"
    sentence = ERROR_MESSAGES.get(error["type"])
    if sentence is None:
        return f"{'.'.join(place) or name}: {error['msg']}"
    if name == "sort" and error.get("input") in PRODUCT_ONLY_SORTS:
        sentence += "; /api/v1/products also has price, -price and rating"
    example = PARAM_EXAMPLES.get(name, "/api/v1/openapi.json says")
    return f"{'.'.join(place) or name} {sentence.format(example=example, **error.get('ctx', {}))}"
