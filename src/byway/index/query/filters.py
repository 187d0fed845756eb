"""Filter queries: site, language, type, link, id, date and attributes."""

import re
from math import isfinite, ulp

import tantivy
from tantivy import FieldType, Query

from byway.core.model.query import Filter
from byway.index.query.boolean import any_of
from byway.index.schema import ALL_TEXT_FIELD

TERM_FIELDS = {"site": "host", "language": "language", "type": "type"}
ATTRIBUTE_NAME_PATTERN = re.compile(r"[a-z0-9_]+")
MIN_RANGE_MARGIN = 1e-8
MAX_DAY_NUMBER = 4_000_000


class FilterQueryBuilder:
    """Builds the tantivy queries for filters, for one index."""

    def __init__(self, index: tantivy.Index, schema: tantivy.Schema) -> None:
        self._index = index
        self._schema = schema

    def build(self, filter: Filter) -> Query:
        """The pages that pass the filter."""
        if filter.name in TERM_FIELDS:
            return self.term_query(TERM_FIELDS[filter.name], filter.value)
        if filter.name == "link":
            return self.term_query("target_id", int(filter.value or 0))
        if filter.name == "id":
            return self.term_query("id", int(filter.value))
        if filter.name == "day":
            first, last = max(1, filter.minimum), min(filter.maximum, MAX_DAY_NUMBER)
            return Query.range_query(
                self._schema, "epoch_day", FieldType.Integer, int(first), int(last)
            )
        return self._attribute_query(filter)

    def _attribute_query(self, filter: Filter) -> Query:
        text_query = self.term_query("attribute", f"{filter.name}={filter.value}")
        if not (
            isfinite(filter.minimum) or isfinite(filter.maximum)
        ) or not ATTRIBUTE_NAME_PATTERN.fullmatch(filter.name):
            return text_query
        low, high = _range_end(filter.minimum, -1), _range_end(filter.maximum, 1)
        range_query = self._index.parse_query(
            f"numeric_attributes.{filter.name}:[{low} TO {high}]", [ALL_TEXT_FIELD]
        )
        if not filter.value:
            return range_query
        return any_of([text_query, range_query])

    def term_query(self, field: str, term: str | int) -> Query:
        """The pages with exactly this term in a field."""
        return Query.term_query(self._schema, field, term)


def _range_end(number: float, direction: int) -> str:
    """The end of a range, slightly further out and never an integer.

    tantivy panics when only one of the two ends is an integer.
    """
    if not isfinite(number):
        return "*"
    text = "0"
    while float(text).is_integer():
        number += direction * max(MIN_RANGE_MARGIN, ulp(number))
        text = f"{number:.9f}"
    return text
