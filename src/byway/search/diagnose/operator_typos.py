"""Was something with a colon likely meant otherwise? A day that is none, a name with a slip."""

import re
from collections.abc import Collection, Iterator

from byway.core.model import Misread
from byway.search.query.filters import OURS, filter_of, is_no_day
from byway.search.query.parser import FIELDS, tokens_of
from byway.search.understand.spelling_candidates import one_slip

MOST = 8
"""Words with a colon that are looked at."""
LANGUAGE_CODE = 2
OF_HOSTS = ("site", "link", "related")


def misread(text: str, attributes: Collection[str]) -> tuple[Misread, ...]:
    """What of this query is not read as it was likely meant; `attributes` are names, too."""
    named = [token for token in tokens_of(text) if token["name"]][:MOST]
    return tuple(dict.fromkeys(one for token in named for one in _of(token, attributes)))


def _of(token: re.Match[str], attributes: Collection[str]) -> Iterator[Misread]:
    name, value = token["name"].lower(), token["phrase"] or token["word"] or ""
    typed = token[0][len(token["minus"] or "") :]
    if not value:
        return
    if is_no_day(name, value):
        yield Misread(typed)
    elif name not in OURS and name not in FIELDS and name not in attributes:
        near = (known for known in (*OURS, *FIELDS) if one_slip(name, known))
        meant = next((known for known in near if _fits(known, value)), "")
        if meant:
            yield Misread(typed, f"{meant}{typed[len(name) :]}")


def _fits(name: str, value: str) -> bool:
    """Is that a likely value? `line:42` is no link, and `land:use` no language."""
    if name in FIELDS:
        return True
    found = filter_of(name, value)
    if name == "lang":
        return found is not None and len(found.value) == LANGUAGE_CODE
    return found is not None and (name not in OF_HOSTS or "." in value)
