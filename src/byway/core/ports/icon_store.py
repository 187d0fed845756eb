"""Icon store port: favicons by host."""

from typing import Protocol


class IconStore(Protocol):
    """The little pictures of hosts; nothing is one, too, of a host that has none."""

    def has(self, host: str) -> bool:
        """Was this host asked?"""

    def put(self, host: str, image: bytes) -> None: ...
    def get(self, host: str) -> bytes: ...
