"""Query warnings: invalid dates and mistyped operators."""

from collections.abc import Collection, Iterator

from byway.core.messages import Diagnosis
from byway.core.operators import OPERATORS, Operator, is_invalid_date
from byway.search.query.parser import Token, tokenize_query
from byway.search.understand.spelling import is_one_edit

MAX_CHECKED_OPERATORS = 8
"""Maximum number of tokens with a colon that are checked."""
LANGUAGE_CODE_CHARS = 2


def find_query_warnings(text: str, attributes: Collection[str]) -> tuple[Diagnosis, ...]:
    """The warnings about a query; names in `attributes` are not typos."""
    tokens = [token for token in tokenize_query(text) if token["name"]][:MAX_CHECKED_OPERATORS]
    warnings = (warning for token in tokens for warning in _token_warnings(token, attributes))
    return tuple(dict.fromkeys(warnings))


def _token_warnings(token: Token, attributes: Collection[str]) -> Iterator[Diagnosis]:
    name, value = token["name"].lower(), token["phrase"] or token["word"] or ""
    typed = token[0][len(token["minus"] or "") :]
    if not value:
        return
    if is_invalid_date(name, value):
        yield Diagnosis("invalid_date", typed=typed)
    elif name not in OPERATORS and name not in attributes:
        similar = (one for one in OPERATORS.values() if is_one_edit(name, one.name))
        operator = next((one for one in similar if _is_plausible(one, value)), None)
        if operator:
            correction = f"{operator.name}{typed[len(name) :]}"
            yield Diagnosis("operator_typo", typed=typed, correction=correction)


def _is_plausible(operator: Operator, value: str) -> bool:
    """Whether the value fits the operator, unlike in `line:42` (link) or `land:use` (lang)."""
    if not operator.filter:
        return True
    parsed = operator.parse(value)
    if operator.filter == "language":
        return parsed is not None and len(parsed.value) == LANGUAGE_CODE_CHARS
    return parsed is not None and (not operator.takes_url or "." in value)
