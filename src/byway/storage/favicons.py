"""favicons/: the little picture of each host, a file each; an empty one where the host has none."""

import os
from hashlib import blake2b
from pathlib import Path


class FileIconStore:
    """The icons of the data folder."""

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
        """Is there a picture of this host?"""
        try:
            return self._path(host).stat().st_size > 0
        except FileNotFoundError:
            return False

    def _path(self, host: str) -> Path:
        # A host may be named as no file may.
        return self._folder / blake2b(host.encode("utf-8", "replace"), digest_size=16).hexdigest()
