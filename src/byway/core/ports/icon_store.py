"""Icon store port: favicons by host."""

from typing import Protocol


class IconStore(Protocol):
    """Favicons by host; empty for a host without one."""

    def has(self, host: str) -> bool:
        """Whether the favicon of this host was fetched."""

    def has_image(self, host: str) -> bool:
        """Whether this host has a favicon."""

    def put(self, host: str, image: bytes) -> None: ...
    def get(self, host: str) -> bytes: ...
