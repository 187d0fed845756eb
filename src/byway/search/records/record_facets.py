"""Facets of a vertical: record counts by its filters and by other frequent attributes."""

from collections import Counter
from collections.abc import Callable, Sequence

from byway.core.model.candidates import Ids
from byway.core.model.query import AnyOf, Clause, Filter, ParsedQuery
from byway.core.model.results import Facets
from byway.core.url import host_of
from byway.core.verticals import FilterParam, Vertical
from byway.search.records.record_order import RecordCache, group_same

NON_FACET_ATTRIBUTES = frozenset({"is", "lacks", "same"})
MIN_ATTRIBUTE_SHARE, MAX_EXTRA_FACETS = 0.2, 8
"""Minimum share of records with another attribute to make it a facet, and the facet limit."""
MAX_ATTRIBUTE_VALUES = 30
"""Maximum number of values of an attribute that is a facet."""

IdLookup = Callable[[ParsedQuery], Ids]


def count_facets(
    query: ParsedQuery,
    vertical: Vertical,
    find_ids: IdLookup,
    records: RecordCache,
    limit: int,
    group_records: bool = False,
) -> Facets:
    """Record counts by attribute value; records of the same item count once.

    Counting an attribute ignores the query's filter on it: a query for red products shows the
    number of blue ones.
    """
    matching = _RecordSet(find_ids(query), records, group_records)
    extras = map(FilterParam, _frequent_attributes(matching.ids, query, vertical, records))
    counts: dict[str, tuple[tuple[str, int], ...]] = {}
    for param in (*_params(vertical, "any"), *extras, *_params(vertical, "one")):
        clauses = [clause for clause in query.clauses if not _filters_by(clause, param.operator)]
        without_filter = ParsedQuery(tuple(clauses))
        record_set = (
            matching
            if without_filter == query
            else _RecordSet(find_ids(without_filter), records, group_records)
        )
        counts[param.name] = record_set.count(param.operator, limit)
    return counts


def _params(vertical: Vertical, kind: str) -> list[FilterParam]:
    return [param for param in vertical.filters if param.kind == kind]


class _RecordSet:
    """The records of one query, counted one attribute at a time."""

    def __init__(self, ids: Ids, records: RecordCache, group_records: bool) -> None:
        self.ids = ids.tolist()
        self._records = records
        groups = group_same(ids, range(len(ids)), records) if group_records else {}
        self._groups = [[self.ids[row] for row in rows] for rows in groups.values()]

    def count(self, name: str, limit: int) -> tuple[tuple[str, int], ...]:
        """The most frequent values of an attribute; each group counts once."""
        counts: Counter[object] = Counter()
        for group in self._groups or ([id] for id in self.ids):
            values = [value for id in group for value in _values(id, name, self._records)]
            counts.update(values if len(group) == 1 else set(values))
        labels = ((_text(value), count) for value, count in counts.items())
        return tuple(sorted(labels, key=lambda pair: (-pair[1], pair[0]))[:limit])


def _text(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _frequent_attributes(
    ids: Sequence[int], query: ParsedQuery, vertical: Vertical, records: RecordCache
) -> list[str]:
    """Other attributes that the query filters by or that many records have."""
    named = {param.operator for param in vertical.filters}
    no_facets = named | vertical.hidden | NON_FACET_ATTRIBUTES
    counts: Counter[str] = Counter()
    values: dict[str, set[str]] = {}
    for id in ids:
        for name, value in records.filters(id).items():
            if name not in no_facets:
                counts[name] += 1
                values.setdefault(name, set()).update(map(str, _as_list(value)))
    filtered = [name for name in counts if any(_filters_by(each, name) for each in query.clauses)]
    frequent = [
        name
        for name, count in counts.most_common()
        if count >= MIN_ATTRIBUTE_SHARE * len(ids) and 1 < len(values[name]) <= MAX_ATTRIBUTE_VALUES
    ]
    return list(dict.fromkeys([*filtered, *frequent]))[:MAX_EXTRA_FACETS]


def _filters_by(clause: Clause, name: str) -> bool:
    """Whether a clause, or the first of its alternatives, filters by an attribute."""
    first = clause.clauses[0] if isinstance(clause, AnyOf) else clause
    return isinstance(first, Filter) and first.name == name


def _values(id: int, name: str, records: RecordCache) -> list[object]:
    if name == "site":
        url = records.url(id)
        return [host_of(url) if url else ""]
    return _as_list(records.filters(id).get(name))


def _as_list(value: object) -> list[object]:
    if value is None:
        return []
    return list(value) if isinstance(value, list | tuple) else [value]
