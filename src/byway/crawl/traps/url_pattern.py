"""URL patterns and URL defects: the template of a URL, and signs of broken links.

>>> template_of(Url("http://example.org/calendar/2025/07?view=week&lang=en"))
'/calendar/{n}/{n}?lang&view'
"""

import re
from collections import Counter
from enum import Enum
from typing import NamedTuple

from byway.core.messages import NO_REASON, Reason
from byway.core.model import Url
from byway.core.url import path_of
from byway.crawl.url_cleanup import looks_random

#: Parts that vary between URLs of one template, longest first. Escapes such as %D0 stay.
VARIABLE_PART_PATTERN = re.compile(
    r"(?P<escape>%[0-9A-F]{2})"
    r"|(?P<date>(?<!\d)\d{4}-\d\d-\d\d(?!\d)|(?<!\d)(?:19|20)\d\d(?:0[1-9]|1[0-2])[0-3]\d(?!\d))"
    r"|(?P<id>(?<![0-9A-Za-z])(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{8,}(?![0-9A-Za-z]))"
    r"|(?P<n>\d+)"
)
NUMBER_PATTERN = re.compile(r"\d+")
MAX_PAGE_NUMBER_DIGITS = 9
"""Maximum digits of a page number; longer numbers are ids."""


class UrlPatternKind(Enum):
    """The kinds of URL patterns, from narrow to wide."""

    TEMPLATE = 1
    """Same path and parameter names; numbers and values may differ."""
    PARAMETERS = 2
    """One path with any parameters."""
    FOLDER = 3
    HOST = 4


class UrlPattern(NamedTuple):
    """A set of URLs of a host: `/calendar/{n}/{n}`, `/shop?*`, `/tag/*`, `/*`."""

    text: str
    kind: UrlPatternKind


def template_of(url: Url) -> str:
    """The URL with its variable parts replaced by placeholders.

    Numbers become {n}, dates {date}, digests and the like {id}; parameters are reduced to their
    sorted names; repeated segments are replaced by `…`.
    """
    path, _, query = path_of(url).partition("?")
    names = sorted({one.partition("=")[0] for one in query.split("&")}) if query else []
    return _collapse(path) + ("?" + "&".join(names) if names else "")


def patterns_of(url: Url) -> list[UrlPattern]:
    """The patterns that match a URL, from narrow to wide."""
    found = []
    template = template_of(url)
    path, mark, _ = path_of(url).partition("?")
    if mark or "{" in template or "…" in template:  # other templates match one URL only
        found.append(UrlPattern(template, UrlPatternKind.TEMPLATE))
    if mark:
        found.append(UrlPattern(f"{path}?*", UrlPatternKind.PARAMETERS))
    folder = _collapse(path.rstrip("/").rpartition("/")[0])
    if folder:
        found.append(UrlPattern(f"{folder}/*", UrlPatternKind.FOLDER))
    found.append(UrlPattern("/*", UrlPatternKind.HOST))
    return found


def last_number(url: Url) -> int:
    """The last number in the URL, probably its page number; -1 if there is none."""
    numbers = NUMBER_PATTERN.findall(path_of(url))
    return int(numbers[-1]) if numbers and len(numbers[-1]) <= MAX_PAGE_NUMBER_DIGITS else -1


def url_defect(url: Url, max_segments: int, max_parameters: int, max_repeats: int) -> Reason:
    """The defect in this URL's shape; empty if there is none.

    Defects are too many segments or parameters, and segments or parameters that repeat more than
    `max_repeats` times: they come from relative links resolved against the wrong folder, and from
    carts and filters that append to the URL.
    """
    path, _, query = path_of(url).partition("?")
    names = path.strip("/").split("/")
    if len(names) > max_segments:
        return Reason("too_many_segments", segments=len(names), limit=max_segments)
    if repeated := _repeated_segments(names, max_repeats):
        return Reason("repeated_segments", segments=repeated)
    parameters = [one for one in query.split("&") if one]
    if len(parameters) > max_parameters:
        return Reason("too_many_parameters", parameters=len(parameters), limit=max_parameters)
    if repeated := _repeated_parameter(parameters, max_repeats):
        return Reason("repeated_parameter", parameter=repeated)
    return NO_REASON


def _repeated_segments(names: list[str], repeats: int) -> str:
    """The first segments with over `repeats` consecutive repeats, or with too many in total."""
    for size in range(1, len(names) // (repeats + 1) + 1):
        for start in range(len(names) - size * (repeats + 1) + 1):
            block = names[start : start + size]
            after = names[start : start + size * (repeats + 1)]
            # Some sites number their images 1/1/1.
            if after == block * (repeats + 1) and not "".join(block).isdigit():
                return "/".join(block) or "//"
    counts = Counter(name for name in names if not name.isdigit())
    return next((name for name, count in counts.items() if count > 2 * repeats), "")


def _repeated_parameter(parameters: list[str], repeats: int) -> str:
    """The first `name=value` pair that occurs twice, or else the first name that occurs
    more than `repeats` times."""
    twice = next((one for one, count in Counter(parameters).items() if count > 1), "")
    counts = Counter(one.partition("=")[0] for one in parameters)
    return twice or next((name for name, count in counts.items() if count > repeats), "")


def _collapse(path: str) -> str:
    """The path with placeholders for variable parts, and without repeated segments."""
    names = [_generalize(name) for name in path.split("/")]
    numbers = ("", "{n}")  # a path may well have two numbers: a year and a month
    once = [name for at, name in enumerate(names) if name in numbers or name not in names[:at]]
    return "/".join(once).rstrip("/") + "/…" if len(once) < len(names) else "/".join(once)


def _generalize(name: str) -> str:
    if name.isalpha():
        return name
    stem, dot, ending = name.rpartition(".")
    if looks_random(stem or ending):
        return f"{{id}}{dot}{ending}" if stem else "{id}"
    return VARIABLE_PART_PATTERN.sub(_placeholder, name)


def _placeholder(found: re.Match[str]) -> str:
    return found.group() if found.lastgroup == "escape" else f"{{{found.lastgroup}}}"
