"""What was asked? The question, the page and how many hits a page has, out of a URL."""

import math
from dataclasses import dataclass
from typing import Annotated, Literal
from urllib.parse import urlencode

from fastapi import Query as QueryParameter
from pydantic import WithJsonSchema

from byway.errors import UsageError
from byway.model import Query
from byway.web.shown import clean

LONGEST = 2048
"""Bytes of a question; people stay far below, and what is above is an attack or a slip."""
DEEPEST = 1000
"""Hits that can be paged through. Nobody reads further, and every one of them has a cost."""
HITS = 10
MOST_HITS = 100

Words = Annotated[str, WithJsonSchema({"type": "string", "maxLength": LONGEST})]
Page = Annotated[
    str,
    QueryParameter(default_factory=str),
    WithJsonSchema({"type": "integer", "minimum": 1, "default": 1}),
]
Limit = Annotated[
    str,
    QueryParameter(default_factory=str),
    WithJsonSchema({"type": "integer", "minimum": 1, "maximum": MOST_HITS, "default": HITS}),
]
"""Parameters as they come, described as they should be: `read` makes numbers of them."""

Fault = Literal["too_long", "page", "limit", "too_deep"]


class BadQuestion(UsageError):
    """A URL that asks for something we do not have; `fault` says what is wrong with it."""

    def __init__(self, fault: Fault, message: str) -> None:
        super().__init__(message)
        self.fault = fault


@dataclass(frozen=True, slots=True)
class Asked:
    """A question and the page of its answer that is wanted."""

    text: str
    page: int = 1
    limit: int = HITS

    @property
    def query(self) -> Query:
        """What the search is given."""
        return Query(self.text, self.limit, (self.page - 1) * self.limit)

    def url(self, page: int = 1, text: str | None = None) -> str:
        """Where another page, or the answer to another question, is."""
        parameters: dict[str, str | int] = {"q": self.text if text is None else text}
        if page != 1:
            parameters["page"] = page
        if self.limit != HITS:
            parameters["limit"] = self.limit
        return "/search?" + urlencode(parameters)

    def last_page(self, total: int) -> int:
        """The last page that can be asked for, at least 1."""
        return max(1, min(math.ceil(total / self.limit), DEEPEST // self.limit))


def read(text: str, page: str, limit: str) -> Asked:
    """What a URL asks for, or the reason why it cannot be had."""
    text = clean(text)
    if len(text.encode()) > LONGEST:
        raise BadQuestion("too_long", f"q is longer than {LONGEST} bytes; use fewer words")
    number, hits = _number(page, 1), _number(limit, HITS)
    if not hits or hits > MOST_HITS:
        raise BadQuestion("limit", f"limit must be a whole number from 1 to {MOST_HITS}")
    if not number:
        raise BadQuestion("page", "page must be a whole number from 1 up")
    if number * hits > DEEPEST:
        raise BadQuestion(
            "too_deep", f"page * limit must be at most {DEEPEST}; ask a more exact question"
        )
    return Asked(text, number, hits)


def _number(typed: str, default: int) -> int:
    """The number typed; 0 when it is none. Nine digits are more than any number we take."""
    typed = typed.strip()
    if not typed:
        return default
    return int(typed) if typed.isdecimal() and len(typed) <= 9 else 0
