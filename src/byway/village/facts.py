"""Expected results for the village, loaded from `facts.toml`."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FACTS_PATH = Path(__file__).parent / "facts.toml"


@dataclass(frozen=True, slots=True)
class BrokenLinkFact:
    """A broken link, and the page it is on."""

    path: str
    on: str
    status: int = 404
    by: str = ""
    """The target of the link, if that redirects to the missing path."""


@dataclass(frozen=True, slots=True)
class RedirectFact:
    """A redirecting path; `to` is a path, or a full URL on another site."""

    path: str
    to: str
    status: int


@dataclass(frozen=True, slots=True)
class FailingPathFact:
    """A path that responds with a server error."""

    path: str
    status: int


@dataclass(frozen=True, slots=True)
class SiteFacts:
    """The results a correct crawler must produce for one site. All paths are unquoted."""

    kept: tuple[str, ...] = ()
    """Pages that can be reached, extracted and kept."""
    forbidden: tuple[str, ...] = ()
    """Pages that exist and are linked, but are forbidden by robots.txt."""
    broken: tuple[BrokenLinkFact, ...] = ()
    redirects: tuple[RedirectFact, ...] = ()
    loops: tuple[str, ...] = ()
    """Paths whose redirects never end."""
    failing: tuple[FailingPathFact, ...] = ()
    duplicates: tuple[tuple[str, ...], ...] = ()
    """Groups of kept pages with identical text."""
    noindex: tuple[str, ...] = ()
    """Pages that may be visited but are marked noindex."""
    nofollow: tuple[str, ...] = ()
    """Pages that only have nofollow links."""
    unwanted: tuple[str, ...] = ()
    """Files of media types that are not kept."""
    sitemap_only: tuple[str, ...] = ()
    """Kept pages that are in a sitemap but not linked."""
    endless: tuple[str, ...] = ()
    """Path prefixes with endlessly many pages."""
    multiplied: tuple[str, ...] = ()
    """Kept pages with many versions, one for each combination of query parameters."""


@dataclass(frozen=True, slots=True)
class ExpectedRanking:
    """A query and its expected best pages in order, as (site, path)."""

    query: str
    expected_pages: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class VillageFacts:
    """The facts of all sites, and the expected rankings."""

    sites: Mapping[str, SiteFacts]
    queries: tuple[ExpectedRanking, ...]


def load_facts() -> VillageFacts:
    """Read facts.toml."""
    toml = tomllib.loads(FACTS_PATH.read_text(encoding="utf-8"))
    sites = {name: _site(values) for name, values in toml["sites"].items()}
    queries = (
        ExpectedRanking(item["query"], tuple(map(_page, item["first"]))) for item in toml["queries"]
    )
    return VillageFacts(sites, tuple(queries))


def _page(page: str) -> tuple[str, str]:
    site, _, path = page.partition("/")

    return site, "/" + path


def _site(values: dict[str, list[Any]]) -> SiteFacts:
    fields: dict[str, Any] = {name: tuple(items) for name, items in values.items()}
    for name, fact in (
        ("broken", BrokenLinkFact),
        ("redirects", RedirectFact),
        ("failing", FailingPathFact),
    ):
        fields[name] = tuple(fact(**item) for item in values.get(name, ()))
    fields["duplicates"] = tuple(tuple(group) for group in values.get("duplicates", ()))
    return SiteFacts(**fields)
