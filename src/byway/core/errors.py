"""All byway errors.

BywayError
├── UsageError                an invalid argument to a command or request (exit code 2)
│   ├── SettingsError         ... an unknown setting or an invalid value
│   └── UrlError              ... not a URL we can visit
├── RateLimitError            too many attempts; `retry_after` is the wait in seconds
├── OverloadError             the server is busy; try again in a moment
├── DataError                 the data folder cannot be used
│   ├── DataNotFoundError     ... there is none (exit code 2)
│   ├── DataLockedError       ... another byway process is writing to it
│   ├── DiskFullError         ... its disk has no room for a second index
│   └── DamagedPageError      ... a stored page cannot be read; has `file` and `reason`
└── FetchError                a fetch failed; `state` is the new state of its URL
    ├── AddressBlockedError   ... the address is private, and its network is not allowed
    ├── UnreachableError      ... no answer, or not in time: try again later
    └── RejectedContentError  ... too large, or a media type we do not read

An error has a code and parameters. Its text, which says what is wrong and how to fix it, is in
`core/messages` under `error.<code>` (`reason.<code>` for fetch errors).
"""

from collections.abc import Iterator, Mapping
from typing import Any

from byway.core.messages import Message, Reason, has_text, text
from byway.core.model import UrlState


class BywayError(Exception):
    """An error with a code and parameters, shown in the language of the terminal or page."""

    exit_code = 1
    section = "error"

    def __init__(self, code: str, /, **params: object) -> None:
        super().__init__(code)
        self.code = code
        self.params = params

    @property
    def message(self) -> Message:
        """The code and parameters as a `Message`."""
        return Message(f"{self.section}.{self.code}", **self.params)

    def __str__(self) -> str:
        message = self.message
        return text(message) if has_text(message.key) else self.code

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild, (type(self), self.code, self.params)


def error_to_plain(error: BywayError) -> dict[str, object]:
    """An error as plain values, for JSON: its kind, code and parameters."""
    params = {name: _plain(value) for name, value in error.params.items()}
    return {"kind": type(error).__name__, "code": error.code, "params": params}


def error_from_plain(plain: Mapping[str, Any]) -> BywayError:
    """Rebuild an error from plain values; an unknown kind becomes a `BywayError`."""
    kinds = {kind.__name__: kind for kind in _kinds(BywayError)}
    params = Message.from_plain("", plain["params"]).params
    return _rebuild(kinds.get(plain["kind"], BywayError), plain["code"], params)


def _kinds(kind: type[BywayError]) -> Iterator[type[BywayError]]:
    yield kind
    for each in kind.__subclasses__():
        yield from _kinds(each)


def _plain(value: object) -> object:
    if isinstance(value, Message):
        # Includes the section, because a nested message becomes a plain `Message`.
        return {"code": value.key, "params": {name: _plain(one) for name, one in value.items}}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    return value if value is None or isinstance(value, str | int | float) else str(value)


def _rebuild(kind: type[BywayError], code: str, params: dict[str, object]) -> BywayError:
    """Rebuild a pickled error."""
    error = kind.__new__(kind)
    BywayError.__init__(error, code, **params)
    return error


class UsageError(BywayError):
    """An invalid argument to a command or request."""

    exit_code = 2


class SettingsError(UsageError):
    """An unknown setting or an invalid value."""


class UrlError(UsageError):
    """The text is not a URL that byway can fetch."""


class RateLimitError(BywayError):
    """Too many attempts."""

    def __init__(self, code: str, /, *, retry_after: float, **params: object) -> None:
        super().__init__(code, retry_after=retry_after, **params)
        self.retry_after = retry_after


class OverloadError(BywayError):
    """The server is busy."""


class DataError(BywayError):
    """The data folder cannot be used."""


class DataNotFoundError(DataError):
    """The data folder does not exist or is empty."""

    exit_code = 2


class DataLockedError(DataError):
    """Another byway process is writing to this data folder."""


class DiskFullError(DataError):
    """The disk has no room to build a second index."""


class DamagedPageError(DataError):
    """A stored page cannot be read."""

    def __init__(self, file: str, reason: Reason) -> None:
        super().__init__("storage.damaged_page", file=file, reason=reason)
        self.file = file
        self.reason = reason


class FetchError(BywayError):
    """A fetch failed."""

    section = "reason"
    state = UrlState.UNREACHABLE

    @property
    def reason(self) -> Reason:
        """The reason to record for the URL."""
        return Reason(self.code, **self.params)


class AddressBlockedError(FetchError):
    """The address is private, and its network is not allowed."""

    state = UrlState.BLOCKED


class UnreachableError(FetchError):
    """The host did not answer in time; the request may succeed later."""


class RejectedContentError(FetchError):
    """The content is too large or of a media type we do not read."""

    state = UrlState.REJECTED
