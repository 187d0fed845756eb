"""What shape has a URL? Pages that one program makes share one; a crooked one leads nowhere.

>>> template_of(Url("http://example.org/calendar/2025/07?view=week&lang=en"))
'/calendar/{n}/{n}?lang&view'
"""

import re
from collections import Counter
from enum import Enum
from typing import NamedTuple

from byway.core.model import Url
from byway.core.model.message import NO_REASON, Reason
from byway.core.url import path_of
from byway.crawl.url_cleanup import looks_random

#: What differs between the pages of one program, longest first. Escapes as %D0 stay as they are.
VARIABLE_PART_PATTERN = re.compile(
    r"(?P<escape>%[0-9A-F]{2})"
    r"|(?P<date>(?<!\d)\d{4}-\d\d-\d\d(?!\d)|(?<!\d)(?:19|20)\d\d(?:0[1-9]|1[0-2])[0-3]\d(?!\d))"
    r"|(?P<id>(?<![0-9A-Za-z])(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{8,}(?![0-9A-Za-z]))"
    r"|(?P<n>\d+)"
)
NUMBER_PATTERN = re.compile(r"\d+")
MAX_PAGE_NUMBER_DIGITS = 9
"""Digits of a number that may count pages; longer ones are names of things."""


class UrlPatternKind(Enum):
    """How wide a pattern is."""

    TEMPLATE = 1
    """One program's pages: the same path and parameters, but for numbers and values."""
    PARAMETERS = 2
    """One path, whatever its parameters."""
    FOLDER = 3
    HOST = 4


class UrlPattern(NamedTuple):
    """Part of a host, as people read it: `/calendar/{n}/{n}`, `/shop?*`, `/tag/*`, `/*`."""

    text: str
    kind: UrlPatternKind


def template_of(url: Url) -> str:
    """The URL with everything left out that may differ between pages of one program.

    Numbers are {n}, dates {date}, digests and the like {id}; parameters have their names alone,
    in order; of segments that come again, `…` is left.
    """
    path, _, query = path_of(url).partition("?")
    names = sorted({one.partition("=")[0] for one in query.split("&")}) if query else []
    return _collapsed(path) + ("?" + "&".join(names) if names else "")


def patterns_of(url: Url) -> list[UrlPattern]:
    """The parts of its host that a URL belongs to, from narrow to wide."""
    found = []
    template = template_of(url)
    path, mark, _ = path_of(url).partition("?")
    if mark or "{" in template or "…" in template:  # others are the only ones of their kind
        found.append(UrlPattern(template, UrlPatternKind.TEMPLATE))
    if mark:
        found.append(UrlPattern(f"{path}?*", UrlPatternKind.PARAMETERS))
    folder = _collapsed(path.rstrip("/").rpartition("/")[0])
    if folder:
        found.append(UrlPattern(f"{folder}/*", UrlPatternKind.FOLDER))
    found.append(UrlPattern("/*", UrlPatternKind.HOST))
    return found


def last_number(url: Url) -> int:
    """The last number in the URL, which counts pages if anything does; -1 when there is none."""
    numbers = NUMBER_PATTERN.findall(path_of(url))
    return int(numbers[-1]) if numbers and len(numbers[-1]) <= MAX_PAGE_NUMBER_DIGITS else -1


def url_defect(url: Url, max_segments: int, max_parameters: int, max_repeats: int) -> Reason:
    """What is wrong with the shape of this URL; empty if nothing is.

    Wrong are more segments or parameters than these, and the same ones more often than
    `max_repeats`
    times: relative links that are followed from the wrong folder make them, and carts and filters
    that add to a URL what is in it already.
    """
    path, _, query = path_of(url).partition("?")
    names = path.strip("/").split("/")
    if len(names) > max_segments:
        return Reason("too_many_segments", segments=len(names), limit=max_segments)
    if stuttered := _stuttered(names, max_repeats):
        return Reason("repeated_segments", segments=stuttered)
    asked = [one for one in query.split("&") if one]
    if len(asked) > max_parameters:
        return Reason("too_many_parameters", parameters=len(asked), limit=max_parameters)
    if query:
        twice = next((one for one, count in Counter(asked).items() if count > 1), "")
        often = Counter(one.partition("=")[0] for one in asked)
        name = twice or next((name for name, count in often.items() if count > max_repeats), "")
        if name:
            return Reason("repeated_parameter", parameter=name)
    return NO_REASON


def _stuttered(names: list[str], repeats: int) -> str:
    """The first names that follow themselves more than `repeats` times, or come all too often."""
    for size in range(1, len(names) // (repeats + 1) + 1):
        for start in range(len(names) - size * (repeats + 1) + 1):
            block = names[start : start + size]
            after = names[start : start + size * (repeats + 1)]
            # 1/1/1 is how some number their pictures.
            if after == block * (repeats + 1) and not "".join(block).isdigit():
                return "/".join(block) or "//"
    often = Counter(name for name in names if not name.isdigit())
    return next((name for name, count in often.items() if count > 2 * repeats), "")


def _collapsed(path: str) -> str:
    """The path with what changes in braces, and each of its segments once."""
    names = [_general(name) for name in path.split("/")]
    numbers = ("", "{n}")  # a path may well have two numbers: a year and a month
    once = [name for at, name in enumerate(names) if name in numbers or name not in names[:at]]
    return "/".join(once).rstrip("/") + "/…" if len(once) < len(names) else "/".join(once)


def _general(name: str) -> str:
    if name.isalpha():
        return name
    stem, dot, ending = name.rpartition(".")
    if looks_random(stem or ending):
        return f"{{id}}{dot}{ending}" if stem else "{id}"
    return VARIABLE_PART_PATTERN.sub(_braces, name)


def _braces(found: re.Match[str]) -> str:
    return found.group() if found.lastgroup == "escape" else f"{{{found.lastgroup}}}"
