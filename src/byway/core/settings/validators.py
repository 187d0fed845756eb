"""Does a value make sense? The limits of a setting, which stand in its annotation.

Each says what is wrong with a value, in words that go behind the name of the setting.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import ip_network
from typing import Any, Protocol

ORIGIN_PATTERN = re.compile(r"https?://[^\s/?#@*A-Z]+")


class SettingConstraint(Protocol):
    """What a setting may be."""

    @property
    def description(self) -> str:
        """What it may be, in a few words."""

    def violation(self, value: Any) -> str:
        """What is wrong with this value; nothing if nothing is."""


@dataclass(frozen=True, slots=True)
class Minimum:
    """A number that is no smaller."""

    minimum: float

    @property
    def description(self) -> str:
        return f"at least {self.minimum:g}"

    def violation(self, value: float) -> str:
        return (
            f"= {value} is too small; the least is {self.minimum:g}" if value < self.minimum else ""
        )


@dataclass(frozen=True, slots=True)
class Range:
    """A number that is neither smaller nor larger."""

    minimum: float
    maximum: float

    @property
    def description(self) -> str:
        return f"from {self.minimum:g} to {self.maximum:g}"

    def violation(self, value: float) -> str:
        if value > self.maximum:
            return f"= {value} is too large; the most is {self.maximum:g}"
        return Minimum(self.minimum).violation(value)


@dataclass(frozen=True, slots=True)
class Fraction:
    """A part of a whole: a number from 0 to 1."""

    allow_one: bool = True
    """May it be all of it?"""

    @property
    def description(self) -> str:
        return "from 0 to 1" if self.allow_one else "at least 0 and below 1"

    def violation(self, value: float) -> str:
        if 0 <= value < 1 or (self.allow_one and value == 1):
            return ""
        return f"= {value} must be {self.description}"


class NetworkList:
    """Addresses of networks."""

    description = "networks, as 10.0.0.0/8"

    def violation(self, value: Sequence[str]) -> str:
        for network in value:
            try:
                ip_network(network)
            except ValueError as error:
                return f': {error}; write networks, as "10.0.0.0/8"'
        return ""


class OriginList:
    """Web sites, as browsers name them when a script asks."""

    description = "each a scheme and a host"

    def violation(self, value: Sequence[str]) -> str:
        for origin in value:
            if origin != "*" and not ORIGIN_PATTERN.fullmatch(origin):
                return (
                    f": {origin!r} is no web site as browsers name it; write the scheme and the "
                    'host, without a path or a slash at the end, as "https://example.org"'
                )
        return ""


class RegularExpression:
    """A regular expression."""

    description = "a regular expression"

    def violation(self, value: str) -> str:
        try:
            re.compile(value)
        except re.error as error:
            return (
                f"= {value!r} is no regular expression: {error}; "
                r"write \( for a bracket that is meant as one, and so with other signs"
            )
        return ""


class SingleLine:
    """Text that can stand in a header."""

    description = "one line"

    def violation(self, value: str) -> str:
        if value.strip() and value.isprintable():
            return ""
        return f'= {value!r} must be one line of text, as "mybot (+https://example.org/bot)"'
