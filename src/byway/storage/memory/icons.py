"""Reference icon store in memory."""


class MemoryIconStore:
    """Favicons in a dict."""

    def __init__(self) -> None:
        self._images: dict[str, bytes] = {}

    def has(self, host: str) -> bool:
        return host in self._images

    def has_image(self, host: str) -> bool:
        return bool(self.get(host))

    def put(self, host: str, image: bytes) -> None:
        self._images[host] = image

    def get(self, host: str) -> bytes:
        return self._images.get(host, b"")
