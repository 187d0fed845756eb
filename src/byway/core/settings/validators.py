"""Does a value make sense? The limits of a setting, which stand in its annotation.

Each says what is wrong with a value, in words that go behind the name of the setting.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import ip_network
from typing import Any, Protocol

ORIGIN = re.compile(r"https?://[^\s/?#@*A-Z]+")


class Limit(Protocol):
    """What a setting may be."""

    @property
    def meaning(self) -> str:
        """What it may be, in a few words."""

    def fault(self, value: Any) -> str:
        """What is wrong with this value; nothing if nothing is."""


@dataclass(frozen=True, slots=True)
class Least:
    """A number that is no smaller."""

    least: float

    @property
    def meaning(self) -> str:
        return f"at least {self.least:g}"

    def fault(self, value: float) -> str:
        return f"= {value} is too small; the least is {self.least:g}" if value < self.least else ""


@dataclass(frozen=True, slots=True)
class Range:
    """A number that is neither smaller nor larger."""

    least: float
    most: float

    @property
    def meaning(self) -> str:
        return f"from {self.least:g} to {self.most:g}"

    def fault(self, value: float) -> str:
        if value > self.most:
            return f"= {value} is too large; the most is {self.most:g}"
        return Least(self.least).fault(value)


@dataclass(frozen=True, slots=True)
class Share:
    """A part of a whole: a number from 0 to 1."""

    whole: bool = True
    """May it be all of it?"""

    @property
    def meaning(self) -> str:
        return "from 0 to 1" if self.whole else "at least 0 and below 1"

    def fault(self, value: float) -> str:
        if 0 <= value < 1 or (self.whole and value == 1):
            return ""
        return f"= {value} must be {self.meaning}"


class Networks:
    """Addresses of networks."""

    meaning = "networks, as 10.0.0.0/8"

    def fault(self, value: Sequence[str]) -> str:
        for network in value:
            try:
                ip_network(network)
            except ValueError as error:
                return f': {error}; write networks, as "10.0.0.0/8"'
        return ""


class Origins:
    """Web sites, as browsers name them when a script asks."""

    meaning = "each a scheme and a host"

    def fault(self, value: Sequence[str]) -> str:
        for origin in value:
            if origin != "*" and not ORIGIN.fullmatch(origin):
                return (
                    f": {origin!r} is no web site as browsers name it; write the scheme and the "
                    'host, without a path or a slash at the end, as "https://example.org"'
                )
        return ""


class Pattern:
    """A regular expression."""

    meaning = "a regular expression"

    def fault(self, value: str) -> str:
        try:
            re.compile(value)
        except re.error as error:
            return (
                f"= {value!r} is no regular expression: {error}; "
                r"write \( for a bracket that is meant as one, and so with other signs"
            )
        return ""


class OneLine:
    """Text that can stand in a header."""

    meaning = "one line"

    def fault(self, value: str) -> str:
        if value.strip() and value.isprintable():
            return ""
        return f'= {value!r} must be one line of text, as "mybot (+https://example.org/bot)"'
