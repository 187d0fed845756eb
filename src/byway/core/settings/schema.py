"""Everything a user may change, with its default and what it means.

A setting is a field: its annotation says its type, in words what it does, and its limits. Parts
of the program are given their own section, never the whole. Where values come from, `load`
says.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Literal

from byway.core.media_types import default_media_types
from byway.core.settings.validators import (
    Fraction,
    Minimum,
    NetworkList,
    OriginList,
    Range,
    RegularExpression,
    SingleLine,
)


@dataclass(frozen=True, slots=True)
class CrawlSettings:
    """How we visit other people's machines."""

    user_agent: Annotated[
        str,
        "The name we give. Put a page or address in it where people can reach you.",
        SingleLine(),
    ] = "byway/0.1 (+https://byway.example/bot)"
    delay: Annotated[
        float,
        "Seconds between two requests to one host, unless its robots.txt asks for more.",
        Minimum(0),
    ] = 1.0
    max_delay: Annotated[
        float, "A robots.txt may ask for at most this many seconds between requests.", Minimum(0)
    ] = 300.0
    concurrency: Annotated[int, "Requests under way at once, over all hosts.", Minimum(1)] = 64
    scope: Annotated[
        Literal["host", "site", "any"],
        "How far links are followed: on the seeds' hosts, their sites (registrable domains), "
        "or anywhere.",
    ] = "host"
    host_pattern: Annotated[
        str,
        "A regular expression: links are followed to hosts that match, whatever the scope.",
        RegularExpression(),
    ] = ""
    path_pattern: Annotated[
        str,
        "A regular expression: links are followed to paths that match; seeds need not.",
        RegularExpression(),
    ] = ""
    keep_pattern: Annotated[
        str,
        "A regular expression: only paths that match are kept; others are walked for links.",
        RegularExpression(),
    ] = ""
    firewall: Annotated[
        bool, "Never follow a link from one seed's site to another's, though both are in scope."
    ] = False
    order: Annotated[
        Literal["breadth", "best"],
        "Which page of a host is next: the one nearest to a seed, or the one most linked to.",
    ] = "breadth"
    extra_tracking_parameters: Annotated[
        tuple[str, ...],
        "Further query parameters that say nothing about a page, as x_*; the usual ones "
        "(utm_*, gclid, session ids) are left out anyway.",
    ] = ()
    strip_tracking_parameters: Annotated[
        bool, "Leave the usual tracking parameters and session ids out of URLs."
    ] = True
    trap_threshold: Annotated[
        float,
        "Pause a pattern of URLs when this share of its pages says nothing new; 1 never.",
        Fraction(),
    ] = 0.9
    max_depth: Annotated[int, "Links followed from a seed before we stop.", Minimum(0)] = 20
    max_pages: Annotated[
        int, "Pages kept before the crawl stops; 0 means no limit.", Minimum(0)
    ] = 0
    max_urls_per_host: Annotated[
        int, "URLs of one host that are ever queued; 0 means no limit.", Minimum(0)
    ] = 0
    hosts_in_memory: Annotated[
        int, "Hosts that wait in memory, at about 3 KB each; the others wait on disk.", Minimum(100)
    ] = 50_000
    allow_private: Annotated[
        tuple[str, ...],
        'Networks that may be visited though they are private, as "127.0.0.0/8".',
        NetworkList(),
    ] = ()
    timeout: Annotated[float, "Seconds one request may take in all.", Minimum(0.1)] = 30.0
    max_bytes: Annotated[
        int, "Bytes of a response that we take, and take decompressed.", Minimum(1)
    ] = 8 * 1024 * 1024
    media_types: Annotated[tuple[str, ...], "Media types that are kept."] = field(
        default_factory=default_media_types
    )
    max_retries: Annotated[int, "How often a failed request is retried.", Minimum(0)] = 2
    retry_delay: Annotated[
        float,
        "Seconds before the second try; each further one waits four times longer.",
        Minimum(0),
    ] = 60.0
    sitemaps: Annotated[bool, "Take URLs from the sitemaps and feeds of a host."] = True
    favicons: Annotated[
        bool, "Ask each host once for its favicon, which is shown beside its hits."
    ] = False
    ignore_robots: Annotated[
        tuple[str, ...],
        "Hosts whose robots.txt is not asked for: your own, where you know what you do.",
    ] = ()
    min_revisit_days: Annotated[
        float, "Days before a page that keeps changing is seen again.", Minimum(0)
    ] = 1.0
    max_revisit_days: Annotated[float, "Days before a page that never changes is seen again."] = (
        60.0
    )
    min_free_disk_mb: Annotated[
        int,
        "Megabytes of disk that are left free; below, a crawl waits and no index is built anew.",
        Minimum(0),
    ] = 500


@dataclass(frozen=True, slots=True)
class ExtractSettings:
    """How pages are read."""

    workers: Annotated[
        int,
        "Processes that read pages; 0: as many as needed, one for each core at most.",
        Minimum(0),
    ] = 0
    timeout: Annotated[
        float, "How long one page may take before its reader is killed.", Minimum(0.1)
    ] = 5.0
    worker_memory_mb: Annotated[int, "Megabytes one reader may use.", Minimum(64)] = 1024
    max_links: Annotated[int, "Links taken from one page.", Minimum(0)] = 10_000
    max_text_chars: Annotated[int, "Characters of text kept of one page.", Minimum(1)] = 2_000_000
    skip_noindex_regions: Annotated[bool, "Leave out parts of a page that it marks noindex."] = True


@dataclass(frozen=True, slots=True)
class IndexSettings:
    """How documents become findable."""

    writer_memory_mb: Annotated[
        int, "Megabytes for documents that are not on disk yet.", Minimum(15)
    ] = 128
    threads: Annotated[int, "Threads that build the index.", Minimum(1)] = 1
    batch_size: Annotated[int, "Documents made findable at a time.", Minimum(1)] = 1000
    max_dictionary_words: Annotated[
        int,
        "Words whose spelling is known, for slips of the typist, and phrases that are suggested.",
        Minimum(0),
    ] = 200_000
    indexed_numbers: Annotated[
        Literal["all", "years"],
        "Which numbers can be found: all, or only short ones and those that may be years.",
    ] = "all"


@dataclass(frozen=True, slots=True)
class RankSettings:
    """What links say about pages."""

    damping: Annotated[
        float,
        "How likely a reader is to follow a link rather than jump.",
        Fraction(allow_one=False),
    ] = 0.85
    tolerance: Annotated[float, "Stop when the ranks move less than this in all.", Minimum(0)] = (
        1e-10
    )
    max_iterations: Annotated[int, "Stop after this many rounds in any case.", Minimum(1)] = 200
    count_nofollow: Annotated[bool, "Count links that are marked nofollow."] = False
    count_self_links: Annotated[bool, "Count links of a page to itself."] = False
    count_repeated_links: Annotated[
        bool, "Count a link as often as its page has it, and not only once."
    ] = False
    internal_link_weight: Annotated[
        float, "How much a link within a site counts; one to another site counts 1.", Minimum(0)
    ] = 1.0
    sitewide_link_weight: Annotated[
        float,
        "How much a link counts that most pages of its host have; one of few counts 1.",
        Minimum(0),
    ] = 0.03
    trusted_sites: Annotated[
        tuple[str, ...], "Hosts or sites (registrable domains) that jumps lead to more often."
    ] = ()
    topic_query: Annotated[
        str, "A query: jumps lead more often to the pages that match it best."
    ] = ""
    teleport_bias: Annotated[
        float,
        "The share of jumps that leads to trusted sites and pages of the topic, where there are "
        "any; the others lead anywhere.",
        Fraction(),
    ] = 0.8
    memory_mb: Annotated[
        int,
        "Megabytes that ranking may use; links that do not fit are kept on disk meanwhile.",
        Minimum(1),
    ] = 1024


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """How answers are found and ordered."""

    max_candidates: Annotated[int, "Pages that are ordered by all signals.", Minimum(10)] = 200
    snippet_chars: Annotated[int, "Characters of the text shown under a title.", Minimum(20)] = 220
    max_per_host: Annotated[
        int, "Hits of one host in a row; 0 for as many as there are.", Minimum(0)
    ] = 2
    typo_tolerance: Annotated[
        bool, "Look for words that are spelt nearly like one that is not known."
    ] = True
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
    allowed_hosts: Annotated[
        tuple[str, ...], "The host names it answers to, besides localhost, as search.example.org."
    ] = ()
    trusted_proxies: Annotated[
        tuple[str, ...],
        "Addresses or networks of reverse proxies that are believed when they say who is asking "
        "(X-Forwarded-For) and whether over https (X-Forwarded-Proto).",
        NetworkList(),
    ] = ()
    show_images: Annotated[
        bool, "Show pictures on the page of pictures; they are loaded from the sites they are on."
    ] = False
    require_login: Annotated[bool, "Only who is logged in may search."] = False
    registration: Annotated[
        Literal["closed", "invitation", "open"],
        "Who may make an account: nobody, who has an admin's invitation, or everybody.",
    ] = "closed"
    suggest_past_queries: Annotated[
        bool,
        "Who is logged in and is remembered is offered what they asked before while they type.",
    ] = False
    session_days: Annotated[float, "Days after which one must log in again.", Minimum(0.01)] = 30.0
    cors_origins: Annotated[
        tuple[str, ...],
        "Web sites whose scripts may ask the API, as https://example.org; * means all of them.",
        OriginList(),
    ] = ()
    max_concurrent_searches: Annotated[int, "Searches worked on at once.", Minimum(1)] = 4
    queue_size: Annotated[
        int, "Searches that may wait for their turn; all others are told to come back.", Minimum(0)
    ] = 16
    queue_timeout: Annotated[
        float, "Seconds a search waits for its turn at most.", Minimum(0.01)
    ] = 0.5


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything a user may change."""

    crawl: CrawlSettings = field(default_factory=CrawlSettings)
    extract: ExtractSettings = field(default_factory=ExtractSettings)
    index: IndexSettings = field(default_factory=IndexSettings)
    rank: RankSettings = field(default_factory=RankSettings)
    search: SearchSettings = field(default_factory=SearchSettings)
    serve: ServeSettings = field(default_factory=ServeSettings)
