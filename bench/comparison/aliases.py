"""Alias table: one name for what different commits call differently."""

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ALIASES_PATH = Path(__file__).with_name("aliases.toml")


@dataclass(frozen=True, slots=True)
class Aliases:
    """Later names by table and old name, and the fields that are not compared."""

    later: Mapping[str, Mapping[str, Sequence[str]]]
    ignored: Mapping[str, Sequence[str]]

    def spellings(self, table: str, name: str) -> list[str]:
        """All names of a thing, the newest first."""
        return [*reversed(self.later.get(table, {}).get(name, ())), name]

    def old_name(self, table: str, name: str) -> str:
        """The old name of a thing."""
        for old, later in self.later.get(table, {}).items():
            if name in later:
                return old
        return name

    def canonical(self, table: str, value: Any) -> Any:
        """A JSON value with the old name of every field, and without the fields to ignore."""
        renamed = self._renamed(table, value)
        if not isinstance(renamed, dict):
            return renamed
        ignored = self.ignored.get(table, ())
        return {name: part for name, part in renamed.items() if name not in ignored}

    def _renamed(self, table: str, value: Any) -> Any:
        if isinstance(value, list):
            return [self._renamed(table, part) for part in value]
        if not isinstance(value, dict):
            return value
        return {
            self.old_name(table, name): self._renamed(table, part) for name, part in value.items()
        }


def load_aliases(path: Path = ALIASES_PATH) -> Aliases:
    """Read the alias table."""
    tables = tomllib.loads(path.read_text("utf-8"))
    ignored = tables.pop("ignored", {})
    return Aliases(tables, ignored)


def first_known(spellings: Iterable[str], known: Iterable[str]) -> str | None:
    """The first of these names that is known; a value after = is no part of the name."""
    names = set(known)
    return next((one for one in spellings if one.partition("=")[0] in names), None)
