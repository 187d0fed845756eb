"""Pages: responses as fetched, and where their bytes are stored."""

from dataclasses import dataclass
from typing import NamedTuple

from byway.core.messages import Reason
from byway.core.model.url_state import NO_ID, Url, UrlId


@dataclass(frozen=True, slots=True)
class Page:
    """A response as received, so that it can be extracted again."""

    url: Url
    fetched_at: float
    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes
    """The body as sent over the network; `content_encoding.decode_body` decompresses it."""
    id: UrlId = NO_ID

    def header(self, name: str) -> str:
        """The first header with this name; empty if there is none."""
        name = name.lower()
        for key, value in self.headers:
            if key.lower() == name:
                return value
        return ""

    @property
    def content_type(self) -> str:
        """The media type alone, in lower case: `text/html`."""
        return self.header("content-type").partition(";")[0].strip().lower()


class RobotsFile(NamedTuple):
    """A fetched robots.txt."""

    fetched_at: float
    status: int
    body: bytes
    """Its decompressed content."""


@dataclass(frozen=True, slots=True)
class RecordLocation:
    """The location of a stored page: file, offset and length."""

    file: str
    offset: int
    length: int
    body_location: "RecordLocation | None" = None
    """The location of the content, if this record is a revisit with unchanged content."""


@dataclass(frozen=True, slots=True)
class UnreadablePage:
    """A stored page that can no longer be read."""

    id: UrlId
    file: str
    """The file it was stored in."""
    reason: Reason
