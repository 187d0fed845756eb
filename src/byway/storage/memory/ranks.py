"""Reference rank store in memory."""

import numpy as np

from byway.core.ports import Ranks


class MemoryRankStore:
    """The last ranking."""

    def __init__(self) -> None:
        self._ranks = Ranks(np.zeros(0, np.float32), np.zeros(0, np.float32))

    def save(self, ranks: Ranks) -> None:
        self._ranks = ranks

    def load(self) -> Ranks:
        return self._ranks
