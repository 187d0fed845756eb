"""Order of a vertical's records by a number or by matched chips, and groups of the same item.

Record filters are stored in documents, so the document of every candidate is read.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf

import numpy as np

from byway.core.model import Chip, Document, Query, Url, UrlId
from byway.core.model.candidates import Candidates, Floats, Ids
from byway.core.model.document import FILTERS_KEY
from byway.core.verticals import SortOrder, Vertical

MAX_CACHED_RECORDS = 20_000
"""Maximum records cached between searches, at about 2 KB each."""

DocumentLookup = Callable[[UrlId], Document | None]
RecordFilters = Mapping[str, object]


class RecordCache:
    """Cache of each document's URL and record filters, by id."""

    def __init__(self, get_document: DocumentLookup) -> None:
        self._get_document = get_document
        self._records: dict[int, tuple[Url, RecordFilters]] = {}
        self._commit = -1

    def invalidate(self, commit: int) -> None:
        """Drop records cached from another index commit."""
        if commit != self._commit:
            self._commit, self._records = commit, {}

    def filters(self, id: int) -> RecordFilters:
        """The filters of all records of a page."""
        return self._cached(id)[1]

    def url(self, id: int) -> Url:
        """The URL of a page."""
        return self._cached(id)[0]

    def _cached(self, id: int) -> tuple[Url, RecordFilters]:
        cached = self._records.get(id)
        if cached is None:
            document = self._get_document(UrlId(id))
            cached = (document.url, _filters(document)) if document else (Url(""), {})
            if len(self._records) >= MAX_CACHED_RECORDS:
                self._records.clear()
            self._records[id] = cached
        return cached


def _filters(document: Document) -> RecordFilters:
    filters: dict[str, object] = {}
    for record in document.records.values():
        filters |= record[FILTERS_KEY]
    return filters


@dataclass(frozen=True, slots=True)
class ResultOrder:
    """The candidate rows in result order, with duplicates and groups."""

    rows: list[int]
    demoted: Mapping[int, int] = field(default_factory=dict)
    """The number of demoted hits of the same host, by position."""
    duplicate_of: Mapping[int, int] = field(default_factory=dict)
    """Duplicate rows, each with the row it repeats."""
    groups: Mapping[int, Sequence[int]] = field(default_factory=dict)
    """Rows about the same item, keyed by the first row of each group."""
    sort_groups: tuple[str, ...] = ()


def order_records(
    candidates: Candidates,
    scores: Floats,
    query: Query,
    vertical: Vertical,
    relaxed_chips: Sequence[Chip],
    duplicate_of: Mapping[int, int],
    records: RecordCache,
) -> ResultOrder:
    """Sort records as the query requests; they need not match all `relaxed_chips`."""
    ids = candidates.ids
    rows: list[int] = np.lexsort((ids, -scores)).tolist()
    sort_groups: list[str] = []
    if query.sort == "date":
        rows = np.lexsort((ids, -scores, -candidates.epoch_days)).tolist()
    elif query.sort in vertical.sorts:
        rows, sort_groups = sort_by_number(ids, vertical.sorts[query.sort], scores, records)
    elif relaxed_chips:
        rows = sort_by_matched_chips(ids, rows, relaxed_chips, records)
    if not query.include_duplicates:
        rows = [row for row in rows if row not in duplicate_of]
    groups: Mapping[int, Sequence[int]] = {}
    if query.group_records:
        groups = group_same(ids, rows, records)
        rows = [row for row in rows if row in groups]
    return ResultOrder(
        rows=rows, duplicate_of=duplicate_of, groups=groups, sort_groups=tuple(sort_groups)
    )


def sort_by_number(
    ids: Ids, order: SortOrder, scores: Floats, records: RecordCache
) -> tuple[list[int], list[str]]:
    """The rows sorted by a number within comparable groups, and these groups in display order.

    The most frequent group comes first. Records without the number come last, by score.
    """
    sign = -1.0 if order.descending else 1.0
    numbers = np.array([_number(records.filters(int(id)), order.attribute) for id in ids])
    keys = np.where(np.isnan(numbers), inf, sign * numbers)
    groups: list[str] = []
    group_ranks = np.zeros(len(ids))
    if order.within:
        row_groups = [str(records.filters(int(id)).get(order.within, "")) for id in ids]
        pairs = zip(row_groups, keys, strict=True)
        counts = Counter(group for group, key in pairs if key < inf)
        groups = sorted(counts, key=lambda group: (-counts[group], group))
        ranks = {group: rank for rank, group in enumerate(groups)}
        group_ranks = np.array([ranks.get(each, len(ranks)) for each in row_groups])
        group_ranks[keys == inf] = len(ranks)
    rows: list[int] = np.lexsort((ids, -scores, keys, group_ranks)).tolist()
    return rows, groups


def sort_by_matched_chips(
    ids: Ids, order: Sequence[int], chips: Sequence[Chip], records: RecordCache
) -> list[int]:
    """The rows by the number of chips they match; ties keep their order."""
    counts = {row: _count_matched(chips, records.filters(int(ids[row]))) for row in order}
    return sorted(order, key=lambda row: -counts[row])


def group_same(ids: Ids, order: Sequence[int], records: RecordCache) -> dict[int, list[int]]:
    """Groups of rows about the same item, by their first row: union-find over identity keys."""
    parents: list[int] = []  # by position in `order`; a root is its own parent

    def root(position: int) -> int:
        while parents[position] != position:
            parents[position] = parents[parents[position]]  # path compression
            position = parents[position]
        return position

    position_by_key: dict[str, int] = {}
    for position, row in enumerate(order):
        parents.append(position)
        identity_keys = records.filters(int(ids[row])).get("same")
        keys = [str(key) for key in identity_keys] if isinstance(identity_keys, list) else []
        roots = {position, *(root(position_by_key[key]) for key in keys if key in position_by_key)}
        # A row with two keys joins the groups of both.
        for other in roots:
            parents[other] = min(roots)
        position_by_key |= dict.fromkeys(keys, position)
    groups: dict[int, list[int]] = {}
    for position, row in enumerate(order):
        groups.setdefault(order[root(position)], []).append(row)
    return groups


def group_members(
    ids: Ids, rows: Iterable[int], vertical: Vertical, records: RecordCache
) -> tuple[Mapping[str, object], ...]:
    """The URL and filters of each row of a group, in the first sort order of the vertical."""
    order = next(iter(vertical.sorts.values()), SortOrder("url"))
    sign = -1.0 if order.descending else 1.0

    def sort_key(member: Mapping[str, object]) -> tuple[str, float, str]:
        number = sign * _number(member, order.attribute)
        within = str(member.get(order.within, "")) if order.within else ""
        return within, inf if np.isnan(number) else number, str(member["url"])

    members = [
        {**records.filters(int(ids[row])), "url": records.url(int(ids[row]))} for row in rows
    ]
    return tuple(sorted(members, key=sort_key))


def _count_matched(chips: Sequence[Chip], filters: RecordFilters) -> int:
    """The number of chips that a record's filters match."""
    return sum(_matches(filters.get(chip.attribute), chip) for chip in chips)


def _matches(value: object, chip: Chip) -> bool:
    values = value if isinstance(value, list | tuple) else [value]
    if chip.is_numeric:
        numbers = (number for number in values if isinstance(number, int | float))
        return any(chip.minimum <= number <= chip.maximum for number in numbers)
    return chip.value in values


def _number(filters: RecordFilters, name: str) -> float:
    value = filters.get(name)
    return float(value) if isinstance(value, int | float) else np.nan
