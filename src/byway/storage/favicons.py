"""favicons/: one file per host; empty if the host has no favicon."""

import os
from hashlib import blake2b
from pathlib import Path


class FileIconStore:
    """The icon store of the data folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def has(self, host: str) -> bool:
        return self._path(host).exists()

    def put(self, host: str, image: bytes) -> None:
        self._folder.mkdir(exist_ok=True)
        temporary = self._path(host).with_suffix(f".{os.getpid()}.tmp")
        temporary.write_bytes(image)
        temporary.replace(self._path(host))

    def get(self, host: str) -> bytes:
        try:
            return self._path(host).read_bytes()
        except FileNotFoundError:
            return b""

    def has_image(self, host: str) -> bool:
        """Whether this host has a favicon."""
        try:
            return self._path(host).stat().st_size > 0
        except FileNotFoundError:
            return False

    def _path(self, host: str) -> Path:
        # Hashed, because a host name may not be a valid file name.
        return self._folder / blake2b(host.encode("utf-8", "replace"), digest_size=16).hexdigest()
