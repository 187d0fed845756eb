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

    def may(self, needed: "Role") -> bool:
        """Is this role enough where `needed` is asked for?"""
        order = list(Role)
        return order.index(self) >= order.index(needed)


class Use(StrEnum):
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
    made_at: float
    remembers: bool = True
    """Whether what is asked and opened is written down."""
    strength: float = 1.0
    """How much habits count in their own results; 0: these are everybody's, wishes or not."""


@dataclass(frozen=True, slots=True)
class Session:
    """One browser that is logged in."""

    id: int
    account: AccountId
    made_at: float
    seen_at: float
    ends_at: float
    agent: str = ""
    address: str = ""


@dataclass(frozen=True, slots=True)
class Invitation:
    """A link by which one account can be made."""

    id: int
    role: Role
    made_at: float
    ends_at: float


@dataclass(frozen=True, slots=True)
class ApiKey:
    """A program that may ask."""

    id: int
    name: str
    use: Use
    made_at: float
    used_at: float | None = None


@dataclass(frozen=True, slots=True)
class AskedBefore:
    """A question somebody asked."""

    at: float
    text: str
    id: int = 0


@dataclass(frozen=True, slots=True)
class OpenedBefore:
    """A result somebody opened."""

    at: float
    url: str
    text: str = ""
    """The question that it answered."""
    id: int = 0


class Wish(StrEnum):
    """What somebody wants of a host in their own results."""

    MORE = "more"
    LESS = "less"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class History:
    """What somebody did and wants, the latest first."""

    asked: tuple[AskedBefore, ...] = ()
    opened: tuple[OpenedBefore, ...] = ()
    wishes: Mapping[str, Wish] = field(default_factory=dict)
    """By host."""


@dataclass(frozen=True, slots=True)
class Taste:
    """What somebody's results depend on."""

    pages: Mapping[str, int] = field(default_factory=dict)
    """How many pages they opened, by host."""
    wishes: Mapping[str, Wish] = field(default_factory=dict)
    strength: float = 1.0
