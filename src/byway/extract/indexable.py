"""Robots permissions of a page (index, follow) from robots meta elements and X-Robots-Tag.

The decision is made once, when a page is read, and kept as `may_index` and `follow_links` in its
`ExtractionResult`. `robots.txt` decides earlier whether a page is fetched at all.
`formats/html/noindex_regions.py` handles noindex regions within a page.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from byway.core.model import ExtractionResult, Page

ROBOTS_AGENTS = ("robots", "byway")
"""User agents whose directives we obey."""

VALUED_DIRECTIVES = {"unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"}
"""X-Robots-Tag directives with a value after a colon; any other name before it is a user agent."""


@dataclass(frozen=True, slots=True)
class RobotsPermission:
    """Robots permissions of a page."""

    may_index: bool = True
    follow_links: bool = True


def with_robots_headers(page: Page, extracted: ExtractionResult) -> ExtractionResult:
    """The result, with its permissions further restricted by the X-Robots-Tag headers."""
    permission = robots_header_permission(page)
    if extracted.document is None or permission == RobotsPermission():
        return extracted
    return replace(
        extracted,
        may_index=extracted.may_index and permission.may_index,
        follow_links=extracted.follow_links and permission.follow_links,
    )


def robots_header_permission(page: Page) -> RobotsPermission:
    """The permissions in X-Robots-Tag headers; directives for other user agents are ignored."""
    directives: list[str] = []
    for key, value in page.headers:
        if key.lower() == "x-robots-tag":
            agent, colon, rest = value.partition(":")
            name = agent.strip().lower()
            if not colon or "," in agent or name in VALUED_DIRECTIVES:
                directives += value.split(",")
            elif name in ROBOTS_AGENTS:
                directives += rest.split(",")
    return _permission(directives)


def robots_meta_permission(meta: Iterable[tuple[str, str]]) -> RobotsPermission:
    """The permissions in robots meta elements (name and content); several are combined."""
    return _permission(
        directive
        for name, content in meta
        if name.strip().lower() in ROBOTS_AGENTS
        for directive in content.split(",")
    )


def _permission(directives: Iterable[str]) -> RobotsPermission:
    names = {directive.strip().lower() for directive in directives}
    return RobotsPermission(
        may_index=names.isdisjoint(("none", "noindex")),
        follow_links=names.isdisjoint(("none", "nofollow")),
    )
