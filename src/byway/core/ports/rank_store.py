"""Rank store port: PageRank of pages, hosts and sites."""

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from byway.core.model.candidates import Ids, empty_ids


@dataclass(frozen=True, slots=True)
class HostCitations:
    """Counts of the links, pages and hosts that cite each host from other hosts, by host id."""

    links: Ids = field(default_factory=empty_ids)
    pages: Ids = field(default_factory=empty_ids)
    hosts: Ids = field(default_factory=empty_ids)


@dataclass(frozen=True, slots=True)
class Ranks:
    """PageRank of each page, its host and its site, by URL id; 1 is the average."""

    pages: NDArray[np.float32]
    hosts: NDArray[np.float32]
    sites: NDArray[np.float32] = field(default_factory=lambda: np.zeros(0, np.float32))
    citations: HostCitations = field(default_factory=HostCitations)


NO_RANKS = Ranks(np.zeros(0, np.float32), np.zeros(0, np.float32))


class RankStore(Protocol):
    """The ranks computed last; new ranks replace them atomically."""

    def save(self, ranks: Ranks) -> None: ...
    def load(self) -> Ranks: ...
