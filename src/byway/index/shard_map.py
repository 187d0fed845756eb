"""Shard map: 1,024 fixed slots by URL hash, each assigned to a shard.

Slots are by URL, so that the pages of one host are spread over all shards.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from byway.core.files import atomic_write
from byway.core.model import Url
from byway.core.url import url_hash
from byway.index.index_files import damaged_file_error

SLOTS = 1024
MAX_SHARDS = 64
SHARD_MAP_FILE = "shards.json"
PAGES_PER_SHARD = 20_000
"""Minimum pages per shard if the number of shards is chosen automatically."""


def slot_of(url: Url) -> int:
    """The slot of a page."""
    return url_hash(url) % SLOTS


@dataclass(frozen=True, slots=True)
class ShardMap:
    """The shard of each slot."""

    shard_by_slot: tuple[int, ...]

    @classmethod
    def even(cls, shards: int) -> "ShardMap":
        """Consecutive slots for each shard, so that splitting one leaves the others as they are."""
        return cls(tuple(slot * shards // SLOTS for slot in range(SLOTS)))

    @property
    def shards(self) -> int:
        """The number of shards."""
        return max(self.shard_by_slot) + 1

    def shard_of(self, url: Url) -> int:
        """The shard of a page."""
        return self.shard_by_slot[slot_of(url)]

    def write(self, folder: Path) -> None:
        """Write the map of an index."""
        with atomic_write(folder / SHARD_MAP_FILE) as file:
            file.write(json.dumps({"shard_by_slot": self.shard_by_slot}).encode())


def read_shard_map(folder: Path) -> ShardMap | None:
    """The map of an index; None if it has none yet."""
    path = folder / SHARD_MAP_FILE
    try:
        slots: Sequence[int] = json.loads(path.read_text())["shard_by_slot"]
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError) as error:
        raise damaged_file_error(path, error) from error
    return ShardMap(tuple(slots))


def automatic_shards(pages: int, cores: int) -> int:
    """The number of shards for so many pages: one until a second core pays."""
    return max(1, min(cores, MAX_SHARDS, pages // PAGES_PER_SHARD))
