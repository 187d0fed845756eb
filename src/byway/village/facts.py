"""What is true of the village? `facts.toml`, read into values that tests can ask."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FACTS_PATH = Path(__file__).parent / "facts.toml"


@dataclass(frozen=True, slots=True)
class BrokenLinkFact:
    """A link that leads nowhere, and the page it is on."""

    path: str
    on: str
    status: int = 404
    by: str = ""
    """What the link says, when that redirects to where nothing is."""


@dataclass(frozen=True, slots=True)
class RedirectFact:
    """A path that sends people elsewhere; `to` is a path, or a whole URL on another site."""

    path: str
    to: str
    status: int


@dataclass(frozen=True, slots=True)
class FailingPathFact:
    """A path whose server is not well."""

    path: str
    status: int


@dataclass(frozen=True, slots=True)
class SiteFacts:
    """What a good crawler must find on one site. All are paths as people read them."""

    kept: tuple[str, ...] = ()
    """Pages that can be reached, read and kept."""
    forbidden: tuple[str, ...] = ()
    """Pages that exist and are linked, which robots.txt closes to us."""
    broken: tuple[BrokenLinkFact, ...] = ()
    redirects: tuple[RedirectFact, ...] = ()
    loops: tuple[str, ...] = ()
    """Paths whose redirects never end."""
    failing: tuple[FailingPathFact, ...] = ()
    duplicates: tuple[tuple[str, ...], ...] = ()
    """Groups of kept pages that say the same, word for word."""
    noindex: tuple[str, ...] = ()
    """Pages that may be visited but ask not to be found."""
    nofollow: tuple[str, ...] = ()
    """Pages that only links marked nofollow lead to."""
    unwanted: tuple[str, ...] = ()
    """Files of kinds that are not kept."""
    sitemap_only: tuple[str, ...] = ()
    """Kept pages that no link leads to, only a sitemap."""
    endless: tuple[str, ...] = ()
    """Beginnings of paths under which there is no end of pages."""
    multiplied: tuple[str, ...] = ()
    """Kept pages that come in many versions, one for each choice of query parameters."""


@dataclass(frozen=True, slots=True)
class ExpectedRanking:
    """A query, and the pages that must come first, best first: each as (site, path)."""

    query: str
    expected_pages: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class VillageFacts:
    """The whole truth."""

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


def _page(place: str) -> tuple[str, str]:
    site, _, path = place.partition("/")
    return site, "/" + path


def _site(values: dict[str, list[Any]]) -> SiteFacts:
    made: dict[str, Any] = {name: tuple(items) for name, items in values.items()}
    for name, kind in (
        ("broken", BrokenLinkFact),
        ("redirects", RedirectFact),
        ("failing", FailingPathFact),
    ):
        made[name] = tuple(kind(**item) for item in values.get(name, ()))
    made["duplicates"] = tuple(tuple(group) for group in values.get("duplicates", ()))
    return SiteFacts(**made)
