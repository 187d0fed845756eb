"""Everything that can go wrong, on one page.

BywayError
├── UsageError         the command was called with something it cannot use (exit code 2)
│   ├── SettingsError  ... a setting that does not exist, or a value it cannot have
│   └── UrlError       ... this is not a URL we can visit
├── TooOften           somebody tries too often; `wait` says for how many seconds to wait
├── Busy               there is more to do than can be done; try again in a moment
├── DataError          the data folder cannot be used
│   ├── NoData         ... there is none: another was meant, or none was made yet (exit code 2)
│   ├── Locked         ... another byway is writing there
│   ├── NoRoom         ... its disk has no room for a second index beside the first
│   └── Damaged        ... a page that was kept cannot be read any more: its `file`, and `why`
└── FetchError         the page did not come; `state` is what becomes of its URL
    ├── Blocked        ... its address is private, and we were not told to go there
    ├── Unreachable    ... nobody answered, or not in time: try again later
    └── Unwanted       ... it came, but it is too large or not of a kind we read

The message names the thing and the cure; it is shown to people as it is.
"""

from byway.core.model import UrlState


class BywayError(Exception):
    """Something went wrong in byway."""

    exit_code = 1


class UsageError(BywayError):
    """The command was called with something it cannot use."""

    exit_code = 2


class SettingsError(UsageError):
    """The configuration says something we cannot do."""


class UrlError(UsageError):
    """This is not a URL we can visit."""


class RateLimitError(BywayError):
    """Somebody tries too often."""

    def __init__(self, message: str, retry_after: float) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class OverloadError(BywayError):
    """There is more to do than can be done."""


class DataError(BywayError):
    """The data folder cannot be used."""


class DataNotFoundError(DataError):
    """There is no data in the folder that was named, or in the usual one."""

    exit_code = 2


class DataLockedError(DataError):
    """Another byway is writing to this data folder."""


class DiskFullError(DataError):
    """There is no room for a second index."""


class DamagedPageError(DataError):
    """A page that was kept cannot be read any more."""

    def __init__(self, file: str, reason: str, cure: str) -> None:
        super().__init__(f"{file} {reason}; {cure}")
        self.file = file
        self.reason = reason


class FetchError(BywayError):
    """The page did not come."""

    state = UrlState.UNREACHABLE


class AddressBlockedError(FetchError):
    """The address is private, and private addresses are only visited when they are named."""

    state = UrlState.BLOCKED


class UnreachableError(FetchError):
    """Nobody answered; try again later."""


class RejectedContentError(FetchError):
    """The page came, but we do not read pages like it."""

    state = UrlState.REJECTED
