"""Pages: responses as they were fetched, and where their bytes are stored."""

from dataclasses import dataclass
from typing import NamedTuple

from byway.core.model.message import Reason
from byway.core.model.url_state import NO_ID, Url, UrlId


@dataclass(frozen=True, slots=True)
class Page:
    """What came back, kept as it was, so that extraction can always be run again."""

    url: Url
    fetched_at: float
    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes
    """As it came over the wire: `content_encoding.decode_body` undoes its Content-Encoding."""
    id: UrlId = NO_ID

    def header(self, name: str) -> str:
        """The first header of that name, or nothing."""
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
    """A robots.txt, as it came."""

    fetched_at: float
    status: int
    body: bytes
    """Its text, unpacked."""


@dataclass(frozen=True, slots=True)
class RecordLocation:
    """Where the bytes of a page are kept: a file, and the stretch of it that is theirs."""

    file: str
    offset: int
    length: int
    body_location: "RecordLocation | None" = None
    """Where the content is, when this only says that it was the same again."""


@dataclass(frozen=True, slots=True)
class UnreadablePage:
    """A page that was kept and cannot be read any more."""

    id: UrlId
    file: str
    """Where it was."""
    reason: Reason
