"""Differences between the results of two runs."""

import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.comparison.crawl_results import Values

CATEGORIES = ("pages", "documents", "links", "ranks", "hits")

RELATIVE_TOLERANCE, ABSOLUTE_TOLERANCE = 1e-5, 1e-6
"""Numbers nearer than this are equal: sums of floats depend on the order of the crawl, and a page
is a few minutes older in the second run."""

MAX_SHOWN_CHARS = 60
LIST_INDEX_PATTERN = re.compile(r"\[\d+\]")


@dataclass(frozen=True, slots=True)
class Change:
    """One place of an item where two runs differ, as `hits[0].score`."""

    place: str
    old: Any
    new: Any


@dataclass(frozen=True, slots=True)
class Difference:
    """One item that two runs do not agree on, and where."""

    key: str
    changes: Sequence[Change]

    def shown(self) -> str:
        """The item and its first change in a line."""
        first = self.changes[0]
        name = f"{self.key} {first.place}".strip()
        return f"{name}: {_brief(first.old)} → {_brief(first.new)}"


def write_results(folder: Path, results: Mapping[str, Values]) -> None:
    """Write each category as a JSON file."""
    folder.mkdir(parents=True, exist_ok=True)
    for category, values in results.items():
        text = json.dumps(values, ensure_ascii=False, indent=1, sort_keys=True)
        (folder / f"{category}.json").write_text(text, "utf-8")


def read_results(folder: Path) -> dict[str, Values]:
    """Read what `write_results` wrote."""
    return {
        category: json.loads((folder / f"{category}.json").read_text("utf-8"))
        for category in CATEGORIES
    }


def compare_folders(old: Path, new: Path) -> dict[str, list[Difference]]:
    """The differences between two folders of results, by category."""
    before, after = read_results(old), read_results(new)
    return {name: differences(before[name], after[name]) for name in CATEGORIES}


def differences(old: Values, new: Values) -> list[Difference]:
    """The items that differ."""
    keys = sorted(old.keys() | new.keys())
    changes = {key: list(_changes(old.get(key), new.get(key), "")) for key in keys}
    return [Difference(key, places) for key, places in changes.items() if places]


def count_places(found: Iterable[Difference]) -> Counter[str]:
    """In how many items each place differs; all elements of a list are one place."""
    counts: Counter[str] = Counter()
    for one in found:
        counts.update({LIST_INDEX_PATTERN.sub("[]", change.place) for change in one.changes})
    return counts


def _changes(old: Any, new: Any, place: str) -> Iterator[Change]:
    """Where two values differ."""
    if isinstance(old, dict) and isinstance(new, dict):
        for name in sorted(old.keys() | new.keys()):
            yield from _changes(old.get(name), new.get(name), f"{place}.{name}".lstrip("."))
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for number, (one, other) in enumerate(zip(old, new, strict=True)):
            yield from _changes(one, other, f"{place}[{number}]")
    elif not _equal(old, new):
        yield Change(place, old, new)


def _equal(old: Any, new: Any) -> bool:
    if isinstance(old, int | float) and isinstance(new, int | float):
        return math.isclose(old, new, rel_tol=RELATIVE_TOLERANCE, abs_tol=ABSOLUTE_TOLERANCE)
    return bool(old == new)


def _brief(value: Any) -> str:
    text = "nothing" if value is None else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= MAX_SHOWN_CHARS else f"{text[:MAX_SHOWN_CHARS]}…"
