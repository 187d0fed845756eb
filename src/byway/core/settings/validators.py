"""Checks that msgspec constraints cannot express: networks, origins, patterns, single lines."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from ipaddress import ip_interface, ip_network
from typing import Any

from byway.core.messages import Message

ORIGIN_PATTERN = re.compile(r"https?://[^\s/?#@*A-Z]+")
NO_VIOLATION = Message()


@dataclass(frozen=True, slots=True)
class Check:
    """A check for a value, used in the annotation of a setting."""

    description: str
    """A short description of the allowed values, for the reference page."""
    violation: Callable[[Any], Message]
    """Returns the error message for a bad value; empty for a valid one."""


def _network_violation(networks: Sequence[str]) -> Message:
    for text in networks:
        try:
            network = ip_network(text, strict=False)
        except ValueError:
            return Message("core.not_a_network", network=text)
        if ip_interface(text).ip != network.network_address:
            return Message("core.host_bits_set", network=text, correct=str(network))
    return NO_VIOLATION


def _origin_violation(origins: Sequence[str]) -> Message:
    """The error for web origins that do not have the form of an Origin header."""
    for origin in origins:
        if origin != "*" and not ORIGIN_PATTERN.fullmatch(origin):
            return Message("core.not_an_origin", origin=origin)
    return NO_VIOLATION


def _pattern_violation(pattern: str) -> Message:
    try:
        re.compile(pattern)
    except re.error as error:
        return Message("core.not_a_pattern", value=pattern, detail=str(error))
    return NO_VIOLATION


def _line_violation(line: str) -> Message:
    """The error for a line that does not fit into an HTTP header."""
    if line.strip() and line.isprintable():
        return NO_VIOLATION
    return Message("core.not_one_line", value=line)


NETWORKS = Check("networks such as 10.0.0.0/8", _network_violation)
ORIGINS = Check("each with scheme and host", _origin_violation)
PATTERN = Check("a regular expression", _pattern_violation)
SINGLE_LINE = Check("a single line", _line_violation)
