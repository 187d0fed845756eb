"""Constraints on settings: minimum, range, fraction, networks, origins, patterns, one line.

They are part of the annotation of a setting. A violation is a message without the setting's name,
which `load` adds.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import ip_interface, ip_network
from typing import Any, Protocol

from byway.core.model.message import Message

ORIGIN_PATTERN = re.compile(r"https?://[^\s/?#@*A-Z]+")
NO_VIOLATION = Message()


class SettingConstraint(Protocol):
    """A constraint on the value of a setting."""

    @property
    def description(self) -> str:
        """The allowed values, in a few words for the reference page."""

    def violation(self, value: Any) -> Message:
        """The code and parameters of the error for a bad value; empty for a good one."""


@dataclass(frozen=True, slots=True)
class Minimum:
    """A number with a minimum."""

    minimum: float

    @property
    def description(self) -> str:
        return f"at least {self.minimum:g}"

    def violation(self, value: float) -> Message:
        if value >= self.minimum:
            return NO_VIOLATION
        return Message("core.too_small", value=value, minimum=self.minimum)


@dataclass(frozen=True, slots=True)
class Range:
    """A number with a minimum and a maximum."""

    minimum: float
    maximum: float

    @property
    def description(self) -> str:
        return f"from {self.minimum:g} to {self.maximum:g}"

    def violation(self, value: float) -> Message:
        if value > self.maximum:
            return Message("core.too_large", value=value, maximum=self.maximum)
        return Minimum(self.minimum).violation(value)


@dataclass(frozen=True, slots=True)
class Fraction:
    """A number from 0 to 1."""

    allow_one: bool = True

    @property
    def description(self) -> str:
        return "from 0 to 1" if self.allow_one else "at least 0 and below 1"

    def violation(self, value: float) -> Message:
        if 0 <= value < 1 or (self.allow_one and value == 1):
            return NO_VIOLATION
        code = "core.not_a_fraction" if self.allow_one else "core.not_below_one"
        return Message(code, value=value)


class NetworkList:
    """IP networks in CIDR notation."""

    description = "networks, as 10.0.0.0/8"

    def violation(self, value: Sequence[str]) -> Message:
        for text in value:
            try:
                network = ip_network(text, strict=False)
            except ValueError:
                return Message("core.not_a_network", network=text)
            if ip_interface(text).ip != network.network_address:
                return Message("core.host_bits_set", network=text, correct=str(network))
        return NO_VIOLATION


class OriginList:
    """Web origins, as browsers send them in the Origin header."""

    description = "each a scheme and a host"

    def violation(self, value: Sequence[str]) -> Message:
        for origin in value:
            if origin != "*" and not ORIGIN_PATTERN.fullmatch(origin):
                return Message("core.not_an_origin", origin=origin)
        return NO_VIOLATION


class RegularExpression:
    """A regular expression."""

    description = "a regular expression"

    def violation(self, value: str) -> Message:
        try:
            re.compile(value)
        except re.error as error:
            return Message("core.not_a_pattern", value=value, detail=str(error))
        return NO_VIOLATION


class SingleLine:
    """Text that fits into an HTTP header."""

    description = "one line"

    def violation(self, value: str) -> Message:
        if value.strip() and value.isprintable():
            return NO_VIOLATION
        return Message("core.not_one_line", value=value)
