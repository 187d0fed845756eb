"""Settings schema: every setting with its type, description, constraints and default.

A setting is a field; its annotation holds the type, the description, and msgspec constraints or a
check from `validators`. Each stage only receives its own section. `load` reads the values.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Literal

from msgspec import Meta

from byway.core.media_types import default_media_types
from byway.core.settings.validators import NETWORKS, ORIGINS, PATTERN, SINGLE_LINE


@dataclass(frozen=True, slots=True)
class CrawlSettings:
    """Fetching pages from other servers."""

    user_agent: Annotated[
        str,
        "The User-Agent header. Include a URL or an e-mail address for site owners.",
        SINGLE_LINE,
    ] = "byway/0.1 (+https://byway.example/bot)"
    delay: Annotated[
        float,
        "Seconds between requests to the same host, unless its robots.txt asks for more.",
        Meta(ge=0),
    ] = 1.0
    max_delay: Annotated[
        float, "Upper limit for the Crawl-delay in a robots.txt, in seconds.", Meta(ge=0)
    ] = 300.0
    concurrency: Annotated[
        int, "Maximum number of concurrent requests across all hosts.", Meta(ge=1)
    ] = 64
    scope: Annotated[
        Literal["host", "site", "any"],
        "Which links to follow: those on the hosts of the seeds, on their sites (registrable "
        "domains), or anywhere.",
    ] = "host"
    host_pattern: Annotated[
        str,
        "A regular expression: follow only links to hosts that match; crawl.scope is ignored.",
        PATTERN,
    ] = ""
    path_pattern: Annotated[
        str,
        "A regular expression: follow only links to paths that match; seeds need not match.",
        PATTERN,
    ] = ""
    keep_pattern: Annotated[
        str,
        "A regular expression: keep only pages whose path matches; from others, only follow links.",
        PATTERN,
    ] = ""
    firewall: Annotated[bool, "Never follow links from one seed's site to another seed's site."] = (
        False
    )
    order: Annotated[
        Literal["breadth", "best"],
        "Crawl order within a host: pages nearest to a seed first, or most linked pages first.",
    ] = "breadth"
    extra_tracking_parameters: Annotated[
        tuple[str, ...],
        "Additional tracking parameters to remove from URLs, such as x_*; common ones "
        "(utm_*, gclid, session ids) are removed by default.",
    ] = ()
    strip_tracking_parameters: Annotated[
        bool, "Remove common tracking parameters and session ids from URLs."
    ] = True
    trap_threshold: Annotated[
        float,
        "Pause a URL pattern when this share of its pages has no new content; 1 never pauses.",
        Meta(ge=0, le=1),
    ] = 0.9
    max_depth: Annotated[int, "Maximum number of links between a seed and a page.", Meta(ge=0)] = 20
    max_pages: Annotated[int, "Maximum number of pages to keep; 0 means no limit.", Meta(ge=0)] = 0
    max_urls_per_host: Annotated[
        int, "Maximum number of URLs to queue per host; 0 means no limit.", Meta(ge=0)
    ] = 0
    hosts_in_memory: Annotated[
        int,
        "Maximum number of queued hosts held in memory (about 3 KB each); the rest stay on disk.",
        Meta(ge=100),
    ] = 50_000
    allow_private: Annotated[
        tuple[str, ...], 'Private networks that may be crawled, such as "127.0.0.0/8".', NETWORKS
    ] = ()
    timeout: Annotated[float, "Timeout of a request, in seconds.", Meta(ge=0.1)] = 30.0
    max_bytes: Annotated[
        int, "Maximum size of a response in bytes, both as sent and decompressed.", Meta(ge=1)
    ] = 8 * 1024 * 1024
    media_types: Annotated[tuple[str, ...], "Media types to keep."] = field(
        default_factory=default_media_types
    )
    max_retries: Annotated[int, "Number of retries after a failed request.", Meta(ge=0)] = 2
    retry_delay: Annotated[
        float,
        "Seconds before the first retry; each further retry waits four times as long.",
        Meta(ge=0),
    ] = 60.0
    sitemaps: Annotated[bool, "Discover URLs in the sitemaps and feeds of a host."] = True
    favicons: Annotated[
        bool, "Fetch the favicon of each host once, to show it next to its results."
    ] = False
    ignore_robots: Annotated[
        tuple[str, ...], "Hosts whose robots.txt is ignored. List only hosts that you own."
    ] = ()
    min_revisit_days: Annotated[
        float, "Minimum number of days between visits to a page that changes often.", Meta(ge=0)
    ] = 1.0
    max_revisit_days: Annotated[
        float, "Maximum number of days between visits to a page that never changes."
    ] = 60.0
    min_free_disk_mb: Annotated[
        int,
        "Minimum free disk space in megabytes. If less is free, crawls pause and the index is not "
        "rebuilt.",
        Meta(ge=0),
    ] = 500


@dataclass(frozen=True, slots=True)
class ExtractSettings:
    """Extraction of text and links from pages."""

    workers: Annotated[
        int,
        "Number of extraction processes; 0 means as many as needed, at most one per core.",
        Meta(ge=0),
    ] = 0
    timeout: Annotated[
        float, "Time limit per page, in seconds; after that, the worker is killed.", Meta(ge=0.1)
    ] = 5.0
    worker_memory_mb: Annotated[int, "Memory limit per worker, in megabytes.", Meta(ge=64)] = 1024
    max_links: Annotated[int, "Maximum number of links per page.", Meta(ge=0)] = 10_000
    max_text_chars: Annotated[int, "Maximum number of characters of text per page.", Meta(ge=1)] = (
        2_000_000
    )
    skip_noindex_regions: Annotated[
        bool, "Leave out the parts of a page that are marked noindex."
    ] = True


@dataclass(frozen=True, slots=True)
class IndexSettings:
    """Indexing of documents."""

    writer_memory_mb: Annotated[int, "Memory for the index writer in megabytes.", Meta(ge=15)] = 128
    shards: Annotated[
        int,
        "Number of index shards, which are indexed in parallel; 0 chooses by size and cores. "
        "Results do not depend on it.",
        Meta(ge=0, le=64),
    ] = 0
    threads: Annotated[int, "Number of indexing threads per shard.", Meta(ge=1)] = 1
    batch_size: Annotated[int, "Documents per commit.", Meta(ge=1)] = 1000
    max_dictionary_words: Annotated[
        int,
        "Maximum number of words for spelling correction and of phrases for autocomplete.",
        Meta(ge=0),
    ] = 200_000
    indexed_numbers: Annotated[
        Literal["all", "years"],
        "Numbers to index: all, or only short numbers and numbers that could be years.",
    ] = "all"


@dataclass(frozen=True, slots=True)
class RankSettings:
    """PageRank: ranking pages by their links."""

    damping: Annotated[
        float,
        "Damping factor: the probability of following a link instead of teleporting.",
        Meta(ge=0, lt=1),
    ] = 0.85
    tolerance: Annotated[
        float, "Stop when the ranks change by less than this in total (L1 norm).", Meta(ge=0)
    ] = 1e-10
    max_iterations: Annotated[int, "Maximum number of iterations.", Meta(ge=1)] = 200
    count_nofollow: Annotated[bool, "Count links that are marked nofollow."] = False
    count_self_links: Annotated[bool, "Count links from a page to itself."] = False
    count_repeated_links: Annotated[
        bool, "Count repeated links from a page to the same target separately."
    ] = False
    internal_link_weight: Annotated[
        float, "Weight of a link within a site; a link to another site has weight 1.", Meta(ge=0)
    ] = 1.0
    sitewide_link_weight: Annotated[
        float,
        "Weight of a link that is on most pages of its host, such as a menu link; other links have "
        "weight 1.",
        Meta(ge=0),
    ] = 0.03
    trusted_sites: Annotated[
        tuple[str, ...], "Hosts or sites (registrable domains) preferred as teleport targets."
    ] = ()
    topic_query: Annotated[str, "A query whose best matches are preferred as teleport targets."] = (
        ""
    )
    teleport_bias: Annotated[
        float,
        "Share of teleports that go to trusted sites and topic pages, if there are any; the "
        "rest go anywhere.",
        Meta(ge=0, le=1),
    ] = 0.8
    memory_mb: Annotated[
        int,
        "Memory limit for ranking, in megabytes; links that do not fit are read from disk.",
        Meta(ge=1),
    ] = 1024


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """Retrieval, ranking and presentation of results."""

    max_candidates: Annotated[
        int, "Maximum number of candidates that are ranked by all signals.", Meta(ge=10)
    ] = 200
    snippet_chars: Annotated[int, "Length of a snippet in characters.", Meta(ge=20)] = 220
    max_per_host: Annotated[
        int, "Maximum number of hits in a row from the same host; 0 means no limit.", Meta(ge=0)
    ] = 2
    typo_tolerance: Annotated[bool, "Match similarly spelled words when a word is unknown."] = True
    weights: Annotated[
        Mapping[str, float], "Weights of the ranking signals; `byway explain` shows their effect."
    ] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ServeSettings:
    """The web server: search pages, API and accounts."""

    host: Annotated[
        str,
        "The IP address to listen on; one that other machines can reach requires an admin account.",
    ] = "127.0.0.1"
    port: Annotated[int, "The port to listen on; 0 means any free port.", Meta(ge=0, le=65535)] = (
        8600
    )
    workers: Annotated[
        int,
        "Number of web server processes, which share the port and all limits; 0 means one per "
        "core.",
        Meta(ge=0, le=256),
    ] = 0
    title: Annotated[str, "The title of the search page."] = "byway"
    allowed_hosts: Annotated[
        tuple[str, ...],
        "Host names that the server accepts, such as search.example.org; localhost always works.",
    ] = ()
    trusted_proxies: Annotated[
        tuple[str, ...],
        "Addresses or networks of reverse proxies whose X-Forwarded-For and X-Forwarded-Proto "
        "headers are trusted.",
        NETWORKS,
    ] = ()
    show_images: Annotated[
        bool, "Show images in image search; the browser loads them from the original sites."
    ] = False
    require_login: Annotated[bool, "Require users to log in before they can search."] = False
    registration: Annotated[
        Literal["closed", "invitation", "open"],
        "Who may create an account: no one, people with an invitation, or everyone.",
    ] = "closed"
    suggest_past_queries: Annotated[
        bool, "Suggest their own past queries to logged-in users whose history is on."
    ] = False
    session_days: Annotated[float, "Days until a session expires.", Meta(ge=0.01)] = 30.0
    cors_origins: Annotated[
        tuple[str, ...],
        "Origins whose scripts may use the API (CORS), such as https://example.org; * means all.",
        ORIGINS,
    ] = ()
    max_concurrent_searches: Annotated[
        int, "Maximum number of concurrent searches.", Meta(ge=1)
    ] = 4
    queue_size: Annotated[
        int, "Maximum number of queued searches; further searches get HTTP 503.", Meta(ge=0)
    ] = 16
    queue_timeout: Annotated[
        float, "Maximum time a search waits in the queue, in seconds.", Meta(ge=0.01)
    ] = 0.5


@dataclass(frozen=True, slots=True)
class StorageSettings:
    """Where everything is stored."""

    database: Annotated[
        Literal["sqlite", "memory"],
        "Where URLs, pages and documents are stored: in files in the data folder, or in the memory "
        "of one process, where they are lost when it ends.",
    ] = "sqlite"


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings, by section."""

    crawl: CrawlSettings = field(default_factory=CrawlSettings)
    extract: ExtractSettings = field(default_factory=ExtractSettings)
    index: IndexSettings = field(default_factory=IndexSettings)
    rank: RankSettings = field(default_factory=RankSettings)
    search: SearchSettings = field(default_factory=SearchSettings)
    serve: ServeSettings = field(default_factory=ServeSettings)
    storage: StorageSettings = field(default_factory=StorageSettings)
