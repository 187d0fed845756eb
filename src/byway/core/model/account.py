"""Who uses a byway? Accounts, their sessions and keys, and what each has asked and opened."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NewType

AccountId = NewType("AccountId", int)
Secret = NewType("Secret", str)
"""What only its owner knows: of a session, an invitation, a key. Stores have its hash alone."""


class Role(StrEnum):
    """What somebody may do; each may do all that those before may."""

    VISITOR = "visitor"
    USER = "user"
    ADMIN = "admin"

    def allows(self, required: "Role") -> bool:
        """Is this role enough where `required` is asked for?"""
        order = list(Role)
        return order.index(self) >= order.index(required)


class ApiKeyScope(StrEnum):
    """What an API key opens."""

    SEARCH = "search"
    METRICS = "metrics"
    ADMIN = "admin"


@dataclass(frozen=True, slots=True)
class Account:
    """Somebody who can log in."""

    id: AccountId
    name: str
    role: Role
    created_at: float
    records_history: bool = True
    """Whether what is asked and opened is written down."""
    boost_strength: float = 1.0
    """How much habits count in their own results; 0: these are everybody's, wishes or not."""


@dataclass(frozen=True, slots=True)
class Session:
    """One browser that is logged in."""

    id: int
    account_id: AccountId
    created_at: float
    last_seen_at: float
    expires_at: float
    user_agent: str = ""
    address: str = ""


@dataclass(frozen=True, slots=True)
class Invitation:
    """A link by which one account can be made."""

    id: int
    role: Role
    created_at: float
    expires_at: float


@dataclass(frozen=True, slots=True)
class ApiKey:
    """A program that may ask."""

    id: int
    name: str
    scope: ApiKeyScope
    created_at: float
    last_used_at: float | None = None


@dataclass(frozen=True, slots=True)
class PastQuery:
    """A question somebody asked."""

    at: float
    text: str
    id: int = 0


@dataclass(frozen=True, slots=True)
class PastClick:
    """A result somebody opened."""

    at: float
    url: str
    query: str = ""
    """The question that it answered."""
    id: int = 0


class HostPreference(StrEnum):
    """What somebody wants of a host in their own results."""

    MORE = "more"
    LESS = "less"
    BLOCKED = "none"


@dataclass(frozen=True, slots=True)
class History:
    """What somebody did and wants, the latest first."""

    queries: tuple[PastQuery, ...] = ()
    clicks: tuple[PastClick, ...] = ()
    host_preferences: Mapping[str, HostPreference] = field(default_factory=dict)
    """By host."""


@dataclass(frozen=True, slots=True)
class Preferences:
    """What somebody's results depend on."""

    opened_pages: Mapping[str, int] = field(default_factory=dict)
    """How many pages they opened, by host."""
    host_preferences: Mapping[str, HostPreference] = field(default_factory=dict)
    boost_strength: float = 1.0
