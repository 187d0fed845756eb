"""Was something with a colon likely meant otherwise? A day that is none, a name with a slip."""

import re
from collections.abc import Collection, Iterator

from byway.core.model import OperatorTypo
from byway.search.query.filters import FILTER_PARSERS, is_invalid_date, parse_filter
from byway.search.query.parser import FIELD_OPERATORS, tokenize_query
from byway.search.understand.spelling_candidates import is_one_edit

MAX_OPERATORS = 8
"""Words with a colon that are looked at."""
LANGUAGE_CODE_CHARS = 2
URL_OPERATORS = ("site", "link", "related")


def find_operator_typos(text: str, attributes: Collection[str]) -> tuple[OperatorTypo, ...]:
    """What of this query is not read as it was likely meant; `attributes` are names, too."""
    named = [token for token in tokenize_query(text) if token["name"]][:MAX_OPERATORS]
    return tuple(dict.fromkeys(one for token in named for one in _of(token, attributes)))


def _of(token: re.Match[str], attributes: Collection[str]) -> Iterator[OperatorTypo]:
    name, value = token["name"].lower(), token["phrase"] or token["word"] or ""
    typed = token[0][len(token["minus"] or "") :]
    if not value:
        return
    if is_invalid_date(name, value):
        yield OperatorTypo(typed)
    elif name not in FILTER_PARSERS and name not in FIELD_OPERATORS and name not in attributes:
        near = (known for known in (*FILTER_PARSERS, *FIELD_OPERATORS) if is_one_edit(name, known))
        meant = next((known for known in near if _fits(known, value)), "")
        if meant:
            yield OperatorTypo(typed, f"{meant}{typed[len(name) :]}")


def _fits(name: str, value: str) -> bool:
    """Is that a likely value? `line:42` is no link, and `land:use` no language."""
    if name in FIELD_OPERATORS:
        return True
    found = parse_filter(name, value)
    if name == "lang":
        return found is not None and len(found.value) == LANGUAGE_CODE_CHARS
    return found is not None and (name not in URL_OPERATORS or "." in value)
