"""Accounts with their sessions, invitations, API keys, search history and preferences."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple, NewType

AccountId = NewType("AccountId", int)
Secret = NewType("Secret", str)
"""The secret of a session, invitation or API key. Only its hash is stored."""
BOOST_STRENGTHS = (0.0, 0.5, 1.0, 2.0)
"""Multipliers that users can choose for boosts from opened pages; boosts add at most 60 %."""


class Role(StrEnum):
    """The role of an account."""

    VISITOR = "visitor"
    USER = "user"
    ADMIN = "admin"


INCLUDED_ROLES = {
    Role.VISITOR: {Role.VISITOR},
    Role.USER: {Role.VISITOR, Role.USER},
    Role.ADMIN: {*Role},
}
"""The roles whose rights each role has."""


class FailureCount(NamedTuple):
    """Failed attempts to log in or register under one key, and the time of the last."""

    failures: int
    last_at: float


NO_FAILURES = FailureCount(0, 0.0)
FailureUpdate = Callable[[Sequence[FailureCount]], Sequence[FailureCount]]
"""Returns the new failure counts of some keys, in the same order."""


class ApiKeyScope(StrEnum):
    """The part of the API that a key may use."""

    SEARCH = "search"
    METRICS = "metrics"
    ADMIN = "admin"


@dataclass(frozen=True, slots=True)
class Account:
    """An account that a person can log in with."""

    id: AccountId
    name: str
    role: Role
    created_at: float
    records_history: bool = True
    """Whether queries and opened results are recorded."""
    boost_strength: float = 1.0
    """Weight of personal boosts; 0 turns off all of them, including host preferences."""


@dataclass(frozen=True, slots=True)
class Session:
    """The login of one browser."""

    id: int
    account_id: AccountId
    created_at: float
    last_seen_at: float
    expires_at: float
    user_agent: str = ""
    address: str = ""


@dataclass(frozen=True, slots=True)
class Invitation:
    """An invitation to create one account."""

    id: int
    role: Role
    created_at: float
    expires_at: float


@dataclass(frozen=True, slots=True)
class ApiKey:
    """An API key of a program."""

    id: int
    name: str
    scope: ApiKeyScope
    created_at: float
    last_used_at: float | None = None


@dataclass(frozen=True, slots=True)
class PastQuery:
    """A recorded query."""

    at: float
    text: str
    id: int = 0


@dataclass(frozen=True, slots=True)
class PastClick:
    """A recorded click on a result."""

    at: float
    url: str
    query: str = ""
    """The query that found the result."""
    id: int = 0


class HostPreference(StrEnum):
    """A user's preference for a host in their own results."""

    MORE = "more"
    LESS = "less"
    BLOCKED = "none"


@dataclass(frozen=True, slots=True)
class History:
    """The history and host preferences of an account, latest first."""

    queries: tuple[PastQuery, ...] = ()
    clicks: tuple[PastClick, ...] = ()
    host_preferences: Mapping[str, HostPreference] = field(default_factory=dict)
    """The preference for each host, by host name."""


@dataclass(frozen=True, slots=True)
class Preferences:
    """The inputs of personal boosts."""

    opened_pages: Mapping[str, int] = field(default_factory=dict)
    """Number of opened pages per host."""
    host_preferences: Mapping[str, HostPreference] = field(default_factory=dict)
    boost_strength: float = 1.0
