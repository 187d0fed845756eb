"""Who else lives there? Hosts that share an address share its patience too."""

from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager

MOST = 100_000
"""Addresses remembered at once; the one asked longest ago is forgotten first."""
A_MOMENT = 0.02
"""Seconds before an address that is being asked is tried again, if there is no delay."""


class Addresses:
    """One request per address at a time, and a rest in between."""

    def __init__(self, delay: float) -> None:
        # Whoever is being asked now cannot be asked again before that long.
        self._moment = max(delay, A_MOMENT)
        self._asking: set[str] = set()
        self._free_at: OrderedDict[str, float] = OrderedDict()

    def wait(self, address: str, now: float) -> float:
        """Seconds until this address may be asked; 0 if now."""
        if address in self._asking:
            return self._moment
        return max(0.0, self._free_at.get(address, 0.0) - now)

    @contextmanager
    def asking(self, address: str) -> Iterator[None]:
        """A request to this address is under way."""
        self._asking.add(address)
        try:
            yield
        finally:
            self._asking.discard(address)

    def rest(self, address: str, free_at: float) -> None:
        """Leave this address alone until then."""
        self._free_at[address] = free_at
        self._free_at.move_to_end(address)
        while len(self._free_at) > MOST:
            self._free_at.popitem(last=False)
