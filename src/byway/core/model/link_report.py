"""Link reports: broken links, redirects, orphans, neighbours, top pages and hosts.

Each report has a total and its first entries.
"""

from dataclasses import dataclass

from byway.core.messages import Reason
from byway.core.model.url_state import Url, UrlState


@dataclass(frozen=True, slots=True)
class LinkSource:
    """A page that links to a given URL, and the anchor text of the link."""

    url: Url
    anchor_text: str
    nofollow: bool


@dataclass(frozen=True, slots=True)
class NeighbourPage:
    """A page at the other end of a link, with its state and the anchor text."""

    url: Url
    state: UrlState
    reason: Reason
    anchor_text: str
    nofollow: bool
    rank: float


@dataclass(frozen=True, slots=True)
class PageNeighbours:
    """A page with its inlinks and outlinks."""

    url: Url
    state: UrlState
    reason: Reason
    rank: float
    inlink_count: int
    """Number of pages that link to it."""
    outlink_count: int
    """Number of pages it links to."""
    inlinks: tuple[NeighbourPage, ...]
    outlinks: tuple[NeighbourPage, ...]


@dataclass(frozen=True, slots=True)
class BrokenUrl:
    """A missing or unreachable URL that pages link to."""

    url: Url
    state: UrlState
    reason: Reason
    redirects: tuple[Url, ...]
    """The redirects that lead to the failure; usually empty."""
    is_loop: bool
    source_count: int
    """Number of pages that link to it."""
    sources: tuple[LinkSource, ...]
    """The first few of these pages."""


@dataclass(frozen=True, slots=True)
class BrokenLinks:
    """Broken URLs: the total, and the first few."""

    total: int
    links: int
    """Number of links to them."""
    urls: tuple[BrokenUrl, ...]


@dataclass(frozen=True, slots=True)
class RedirectChain:
    """A redirecting URL, with all hops to the final target."""

    url: Url
    redirects: tuple[Url, ...]
    """The hops in order; the last is the final target."""
    state: UrlState
    """The state of the last hop; `redirected` for a loop."""
    reason: Reason
    is_loop: bool
    source_count: int
    """Number of pages that link to it."""
    sources: tuple[LinkSource, ...]
    """The first few of these pages."""


@dataclass(frozen=True, slots=True)
class Redirects:
    """Redirects of a crawl: the total, and the first few."""

    total: int
    chains: tuple[RedirectChain, ...]


@dataclass(frozen=True, slots=True)
class Orphan:
    """A kept page without inlinks."""

    url: Url
    is_seed: bool
    """Whether it is a seed or the redirect target of one."""


@dataclass(frozen=True, slots=True)
class Orphans:
    """Orphans: the total, and the first few."""

    total: int
    pages: tuple[Orphan, ...]


@dataclass(frozen=True, slots=True)
class TopPage:
    """A page, its rank (1 is the average), and the number of pages that link to it."""

    url: Url
    state: UrlState
    rank: float
    inlink_count: int


@dataclass(frozen=True, slots=True)
class TopHost:
    """A host, its rank (1 is the average), and its inlinks from other hosts."""

    host: str
    rank: float
    url_count: int
    """Number of known URLs on it."""
    inlink_count: int
    """Number of links from other hosts."""
    linking_host_count: int
    """Number of other hosts that link to it."""


@dataclass(frozen=True, slots=True)
class TopPages:
    """The pages with the highest rank, highest first."""

    pages: tuple[TopPage, ...]


@dataclass(frozen=True, slots=True)
class TopHosts:
    """The hosts with the highest rank, highest first."""

    hosts: tuple[TopHost, ...]


@dataclass(frozen=True, slots=True)
class SimilarHost:
    """A host, and the number of inlinks it shares with a given site."""

    host: str
    similarity: float
    """Cosine of the inlinks: 1 if the same pages link to both, 0 if no page links to both."""
    shared_inlink_count: int
    """Number of pages that link to both."""
    inlink_count: int
    """Number of pages on other hosts that link to it."""


@dataclass(frozen=True, slots=True)
class SimilarHosts:
    """The hosts most similar to a site, and the number of pages that link to the site."""

    site: str
    inlink_count: int
    total: int
    """Number of hosts that share at least one inlink with it."""
    hosts: tuple[SimilarHost, ...]


LinkReport = PageNeighbours | BrokenLinks | Redirects | Orphans | TopPages | TopHosts | SimilarHosts
