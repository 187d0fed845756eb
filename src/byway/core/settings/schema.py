"""Everything a user may change, with its default and what it means.

A setting is a field: its annotation says its type, in words what it does, and its limits. Parts
of the program are given their own section, never the whole. Where values come from, `load`
says.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Literal

from byway.core.settings.validators import Least, Networks, OneLine, Origins, Pattern, Range, Share


@dataclass(frozen=True, slots=True)
class CrawlSettings:
    """How we visit other people's machines."""

    user_agent: Annotated[
        str, "The name we give. Put a page or address in it where people can reach you.", OneLine()
    ] = "byway/0.1 (+https://byway.example/bot)"
    delay: Annotated[
        float,
        "Seconds between two requests to one host, unless its robots.txt asks for more.",
        Least(0),
    ] = 1.0
    longest_delay: Annotated[
        float, "A robots.txt may ask for at most this many seconds between requests.", Least(0)
    ] = 300.0
    concurrency: Annotated[int, "Requests under way at once, over all hosts.", Least(1)] = 64
    scope: Annotated[
        Literal["host", "site", "any"],
        "How far links are followed: on the seeds' hosts, their sites (registrable domains), "
        "or anywhere.",
    ] = "host"
    host_pattern: Annotated[
        str,
        "A regular expression: links are followed to hosts that match, whatever the scope.",
        Pattern(),
    ] = ""
    path_pattern: Annotated[
        str,
        "A regular expression: links are followed to paths that match; seeds need not.",
        Pattern(),
    ] = ""
    keep_pattern: Annotated[
        str,
        "A regular expression: only paths that match are kept; others are walked for links.",
        Pattern(),
    ] = ""
    firewall: Annotated[
        bool, "Never follow a link from one seed's site to another's, though both are in scope."
    ] = False
    order: Annotated[
        Literal["breadth", "best"],
        "Which page of a host is next: the one nearest to a seed, or the one most linked to.",
    ] = "breadth"
    tracking: Annotated[
        tuple[str, ...],
        "Further query parameters that say nothing about a page, as x_*; the usual ones "
        "(utm_*, gclid, session ids) are left out anyway.",
    ] = ()
    usual_tracking: Annotated[
        bool, "Leave the usual tracking parameters and session ids out of URLs."
    ] = True
    trap_share: Annotated[
        float,
        "Pause a pattern of URLs when this share of its pages says nothing new; 1 never.",
        Share(),
    ] = 0.9
    max_depth: Annotated[int, "Links followed from a seed before we stop.", Least(0)] = 20
    max_pages: Annotated[int, "Pages kept before the crawl stops; 0 means no limit.", Least(0)] = 0
    max_urls_per_host: Annotated[
        int, "URLs of one host that are ever queued; 0 means no limit.", Least(0)
    ] = 0
    hosts_in_memory: Annotated[
        int, "Hosts that wait in memory, at about 3 KB each; the others wait on disk.", Least(100)
    ] = 50_000
    allow_private: Annotated[
        tuple[str, ...],
        'Networks that may be visited though they are private, as "127.0.0.0/8".',
        Networks(),
    ] = ()
    timeout: Annotated[float, "Seconds one request may take in all.", Least(0.1)] = 30.0
    max_bytes: Annotated[
        int, "Bytes of a response that we take, and take decompressed.", Least(1)
    ] = 8 * 1024 * 1024
    types: Annotated[tuple[str, ...], "Media types that are kept."] = (
        "text/html",
        "application/xhtml+xml",
        "text/plain",
        "text/markdown",
        "application/pdf",
    )
    tries: Annotated[int, "How often a page that does not come is asked for.", Least(1)] = 3
    retry_after: Annotated[
        float, "Seconds before the second try; each further one waits four times longer.", Least(0)
    ] = 60.0
    sitemaps: Annotated[bool, "Take URLs from the sitemaps and feeds of a host."] = True
    favicons: Annotated[
        bool, "Ask each host once for its favicon, which is shown beside its hits."
    ] = False
    ignore_robots: Annotated[
        tuple[str, ...],
        "Hosts whose robots.txt is not asked for: your own, where you know what you do.",
    ] = ()
    again_least: Annotated[
        float, "Days before a page that keeps changing is seen again.", Least(0)
    ] = 1.0
    again_most: Annotated[float, "Days before a page that never changes is seen again."] = 60.0
    free_disk: Annotated[
        int,
        "Megabytes of disk that are left free; below, a crawl waits and no index is built anew.",
        Least(0),
    ] = 500


@dataclass(frozen=True, slots=True)
class ExtractSettings:
    """How pages are read."""

    workers: Annotated[
        int, "Processes that read pages; 0: as many as needed, one for each core at most.", Least(0)
    ] = 0
    seconds: Annotated[
        float, "How long one page may take before its reader is killed.", Least(0.1)
    ] = 5.0
    memory: Annotated[int, "Megabytes one reader may use.", Least(64)] = 1024
    max_links: Annotated[int, "Links taken from one page.", Least(0)] = 10_000
    max_text: Annotated[int, "Characters of text kept of one page.", Least(1)] = 2_000_000
    noindex_regions: Annotated[bool, "Leave out parts of a page that it marks noindex."] = True


@dataclass(frozen=True, slots=True)
class IndexSettings:
    """How documents become findable."""

    memory: Annotated[int, "Megabytes for documents that are not on disk yet.", Least(15)] = 128
    threads: Annotated[int, "Threads that build the index.", Least(1)] = 1
    batch: Annotated[int, "Documents made findable at a time.", Least(1)] = 1000
    vocabulary: Annotated[
        int,
        "Words whose spelling is known, for slips of the typist, and phrases that are suggested.",
        Least(0),
    ] = 200_000
    numbers: Annotated[
        Literal["all", "years"],
        "Which numbers can be found: all, or only short ones and those that may be years.",
    ] = "all"


@dataclass(frozen=True, slots=True)
class RankSettings:
    """What links say about pages."""

    damping: Annotated[
        float, "How likely a reader is to follow a link rather than jump.", Share(whole=False)
    ] = 0.85
    tolerance: Annotated[float, "Stop when the ranks move less than this in all.", Least(0)] = 1e-10
    iterations: Annotated[int, "Stop after this many rounds in any case.", Least(1)] = 200
    nofollow: Annotated[bool, "Count links that are marked nofollow."] = False
    self_links: Annotated[bool, "Count links of a page to itself."] = False
    repeated_links: Annotated[
        bool, "Count a link as often as its page has it, and not only once."
    ] = False
    within_site: Annotated[
        float, "How much a link within a site counts; one to another site counts 1.", Least(0)
    ] = 1.0
    menus: Annotated[
        float,
        "How much a link counts that most pages of its host have; one of few counts 1.",
        Least(0),
    ] = 0.03
    trusted: Annotated[
        tuple[str, ...], "Hosts or sites (registrable domains) that jumps lead to more often."
    ] = ()
    topic: Annotated[str, "A query: jumps lead more often to the pages that match it best."] = ""
    bias: Annotated[
        float,
        "The share of jumps that leads to trusted sites and pages of the topic, where there are "
        "any; the others lead anywhere.",
        Share(),
    ] = 0.8
    memory: Annotated[
        int,
        "Megabytes that ranking may use; links that do not fit are kept on disk meanwhile.",
        Least(1),
    ] = 1024


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """How answers are found and ordered."""

    candidates: Annotated[int, "Pages that are ordered by all signals.", Least(10)] = 200
    snippet: Annotated[int, "Characters of the text shown under a title.", Least(20)] = 220
    in_a_row: Annotated[int, "Hits of one host in a row; 0 for as many as there are.", Least(0)] = 2
    slips: Annotated[bool, "Look for words that are spelt nearly like one that is not known."] = (
        True
    )
    weights: Annotated[
        Mapping[str, float], "How much each signal counts; `byway explain` shows them at work."
    ] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ServeSettings:
    """The search page."""

    host: Annotated[
        str, "The address to listen on; one that others can reach needs an admin account first."
    ] = "127.0.0.1"
    port: Annotated[int, "The port to listen on; 0 takes any free one.", Range(0, 65535)] = 8600
    title: Annotated[str, "The name at the top of the search page."] = "byway"
    names: Annotated[
        tuple[str, ...], "The host names it answers to, besides localhost, as search.example.org."
    ] = ()
    proxies: Annotated[
        tuple[str, ...],
        "Addresses or networks of reverse proxies that are believed when they say who is asking "
        "(X-Forwarded-For) and whether over https (X-Forwarded-Proto).",
        Networks(),
    ] = ()
    images: Annotated[
        bool, "Show pictures on the page of pictures; they are loaded from the sites they are on."
    ] = False
    private: Annotated[bool, "Only who is logged in may search."] = False
    registration: Annotated[
        Literal["closed", "invitation", "open"],
        "Who may make an account: nobody, who has an admin's invitation, or everybody.",
    ] = "closed"
    past_queries: Annotated[
        bool,
        "Who is logged in and is remembered is offered what they asked before while they type.",
    ] = False
    session_days: Annotated[float, "Days after which one must log in again.", Least(0.01)] = 30.0
    cors: Annotated[
        tuple[str, ...],
        "Web sites whose scripts may ask the API, as https://example.org; * means all of them.",
        Origins(),
    ] = ()
    searches: Annotated[int, "Searches worked on at once.", Least(1)] = 4
    waiting: Annotated[
        int, "Searches that may wait for their turn; all others are told to come back.", Least(0)
    ] = 16
    patience: Annotated[float, "Seconds a search waits for its turn at most.", Least(0.01)] = 0.5


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything a user may change."""

    crawl: CrawlSettings = field(default_factory=CrawlSettings)
    extract: ExtractSettings = field(default_factory=ExtractSettings)
    index: IndexSettings = field(default_factory=IndexSettings)
    rank: RankSettings = field(default_factory=RankSettings)
    search: SearchSettings = field(default_factory=SearchSettings)
    serve: ServeSettings = field(default_factory=ServeSettings)
