"""What must pages be like? Filters, as queries of tantivy."""

import re
from math import isfinite, ulp

import tantivy
from tantivy import FieldType, Occur, Query

from byway.core.model.query import Filter

TERM_FIELDS = {"site": "host", "language": "language", "type": "type"}
ATTRIBUTE_NAME_PATTERN = re.compile(r"[a-z0-9_]+")
MIN_RANGE_MARGIN = 1e-8
MAX_DAY_NUMBER = 4_000_000


class FilterQueryBuilder:
    """Makes queries of filters, for one index."""

    def __init__(self, index: tantivy.Index, schema: tantivy.Schema) -> None:
        self._index = index
        self._schema = schema

    def build(self, part: Filter) -> Query:
        """The pages that pass it."""
        if part.name in TERM_FIELDS:
            return self.term_query(TERM_FIELDS[part.name], part.value)
        if part.name == "link":
            return self.term_query("target", int(part.value or 0))
        if part.name == "id":
            return self.term_query("id", int(part.value))
        if part.name == "day":
            least, most = max(1, part.minimum), min(part.maximum, MAX_DAY_NUMBER)
            return Query.range_query(self._schema, "day", FieldType.Integer, int(least), int(most))
        return self._attribute(part)

    def _attribute(self, part: Filter) -> Query:
        said = self.term_query("attribute", f"{part.name}={part.value}")
        if not (
            isfinite(part.minimum) or isfinite(part.maximum)
        ) or not ATTRIBUTE_NAME_PATTERN.fullmatch(part.name):
            return said
        least, most = _beside(part.minimum, -1), _beside(part.maximum, 1)
        number = self._index.parse_query(f"numbers.{part.name}:[{least} TO {most}]", ["anywhere"])
        if not part.value:
            return number
        return Query.boolean_query([(Occur.Should, said), (Occur.Should, number)])

    def term_query(self, field: str, term: str | int) -> Query:
        """The pages that have just this in a field."""
        return Query.term_query(self._schema, field, term)


def _beside(number: float, way: int) -> str:
    """The end of a range, a hair further out: tantivy panics when only one of two ends is whole."""
    if not isfinite(number):
        return "*"
    text = "0"
    while float(text).is_integer():
        number += way * max(MIN_RANGE_MARGIN, ulp(number))
        text = f"{number:.9f}"
    return text
