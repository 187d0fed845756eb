"""The words of this program. Read this file first.

A link becomes a visit, a visit a page, a page a document, a document a hit:

    Link ──frontier──▶ Visit ──fetch──▶ Page ──extract──▶ Document ──index, rank, search──▶ Hit

All are plain frozen values. They know nothing of storage, HTTP or HTML.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum
from math import inf, isfinite, isinf
from typing import Literal, NamedTuple, NewType

from byway.core.media_types import document_type_of

Url = NewType("Url", str)
"""A URL in its one spelling; `url.normalize` makes them, and nothing else does."""

UrlId = NewType("UrlId", int)
"""The number a store gives a URL: dense, from 1 up, never reused. 0 means not stored."""

Sort = Literal["relevance", "date", "price", "-price", "rating"]
"""The last three are for goods: the cheapest, the dearest or the best first."""


class UrlState(StrEnum):
    """What became of a URL. Each comes with a reason that a person can read."""

    QUEUED = "queued"
    KEPT = "kept"
    LINKS_ONLY = "walked"
    REDIRECTED = "redirected"
    OUT_OF_SCOPE = "out_of_scope"
    FORBIDDEN = "forbidden"
    BLOCKED = "blocked"
    UNREACHABLE = "unreachable"
    MISSING = "missing"
    REJECTED = "unwanted"
    PAUSED = "paused"
    EXTRACT_FAILED = "extract_failed"
    REMOVED = "removed"


class Link(NamedTuple):
    """One hyperlink of a page. A tuple, because pages have hundreds and they cross processes."""

    target: Url
    anchor: str = ""
    nofollow: bool = False


class Neighbour(NamedTuple):
    """The page at the other end of a link, and what the link says."""

    id: UrlId
    anchor: str = ""
    nofollow: bool = False


class DiscoveredUrl(NamedTuple):
    """A URL we have come to know of, and what is to become of it."""

    url: Url
    depth: int = 0
    state: UrlState = UrlState.QUEUED
    reason: str = ""
    redirect_hops: int = 0
    """How many redirects in a row led here."""
    priority: int = 0
    """Where in its host's queue: the lowest first."""
    seed: bool = False
    """Was it named by a person? Seeds make the scope of a crawl."""
    job: str = ""
    """Which of the crawls in this folder found it; the main one has no name."""
    changed_at: float = 0.0
    """When its site says that it last changed; 0 if it does not say."""


@dataclass(frozen=True, slots=True)
class Visit:
    """A URL the frontier has handed out, to be finished exactly once."""

    url: Url
    id: UrlId = UrlId(0)
    depth: int = 0
    redirect_hops: int = 0
    attempts: int = 0
    seed: bool = False
    previous_fetch: "PreviousFetch | None" = None
    """What we have of it from an earlier visit."""
    job: str = ""


@dataclass(frozen=True, slots=True)
class Job:
    """One of several crawls that share a folder: a name, and how far it goes."""

    name: str = ""
    overrides: Mapping[str, object] = field(default_factory=dict)
    """The crawl settings that are its own; for all others it has the folder's."""
    seeds: tuple[Url, ...] = ()
    kept_pages: int = 0
    queued_urls: int = 0


class RobotsFile(NamedTuple):
    """A robots.txt, as it came."""

    fetched_at: float
    status: int
    body: bytes
    """Its text, unpacked."""


@dataclass(frozen=True, slots=True)
class PreviousFetch:
    """A page we have kept before: enough to ask whether it has changed since."""

    digest: bytes
    etag: str = ""
    last_modified: str = ""
    """Its Last-Modified header, as it came."""
    revisit_interval: float = 0.0
    """Seconds between our visits; shorter for pages that change often."""
    missing_count: int = 0
    """How often in a row it was not there."""
    reason: str = ""
    """What else there is to say of it."""
    checked_at: float = 0.0
    """When it was last seen, or, while it is missing, when it was missed first."""


@dataclass(frozen=True, slots=True)
class Page:
    """What came back, kept as it was, so that extraction can always be run again."""

    url: Url
    fetched_at: float
    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes
    """As it came over the wire: `content_encoding.decode_body` undoes its Content-Encoding."""
    id: UrlId = UrlId(0)

    def header(self, name: str) -> str:
        """The first header of that name, or nothing."""
        name = name.lower()
        for key, value in self.headers:
            if key.lower() == name:
                return value
        return ""

    @property
    def content_type(self) -> str:
        """The media type alone, in lower case: `text/html`."""
        return self.header("content-type").partition(";")[0].strip().lower()


class Heading(NamedTuple):
    """A heading of a document: `level` 1 to 6, and the `#anchor` that leads to it."""

    level: int
    text: str
    anchor: str = ""


class Image(NamedTuple):
    """A picture of a document, and what the page says of it."""

    url: Url
    text: str = ""


@dataclass(frozen=True, slots=True)
class Document:
    """What a page says, as text we can search, and how it says it."""

    url: Url
    id: UrlId = UrlId(0)
    title: str = ""
    text: str = ""
    """The main text, paragraphs apart by newlines."""
    description: str = ""
    keywords: str = ""
    headings: tuple[Heading, ...] = ()
    emphasis: tuple[str, ...] = ()
    capitals: tuple[str, ...] = ()
    """Words written in capitals, as `IMPORTANT` here would be."""
    link_text: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    """What it defines: terms of definition lists, and the ids that links may point at."""
    images: tuple[Image, ...] = ()
    content_type: str = "text/html"
    language: str = ""
    """Two letters, as `en`; nothing when we cannot tell."""
    published: str = ""
    modified: str = ""
    """Days as 2024-05-31."""
    canonical: str = ""
    """The URL the page itself calls its own."""
    author: str = ""
    """Who wrote it, as the page says; several are apart by commas."""
    breadcrumbs: tuple[str, ...] = ()
    """The way to it from the site's first page, as the page shows it."""
    attributes: Mapping[str, object] = field(default_factory=dict)
    """What a site's rules or its structured data say: price, brand, categories ..."""

    @property
    def document_type(self) -> str:
        """What it is, in a short word: `html`, `pdf`, `text` ..."""
        return document_type_of(self.content_type)

    @property
    def epoch_day(self) -> int:
        """When it was published, or else changed, in days from 1970; 0 when nobody knows."""
        return max(0, parse_epoch_day(self.published) or parse_epoch_day(self.modified) or 0)


DATE_PATTERN = re.compile(
    r"(\d{4})(?:[-./](\d{1,2})(?:[-./](\d{1,2}))?|(\d\d)(\d\d))?(?!\d)", re.ASCII
)
EPOCH_ORDINAL = date(1970, 1, 1).toordinal()


def parse_epoch_day(text: str) -> int | None:
    """The day that 2024, 2024-05, 2024-05-31 or 20240531 begins with, counted from 1970."""
    found = DATE_PATTERN.match(text.strip())
    if not found:
        return None
    year, *parted, month, day = found.groups()
    month, day = parted if month is None else (month, day)
    try:
        return date(int(year), int(month or 1), int(day or 1)).toordinal() - EPOCH_ORDINAL
    except ValueError:
        return None


@dataclass(frozen=True, slots=True)
class ExtractionResult:
    """All that one reading of a page gives."""

    document: Document | None = None
    packed_document: bytes = b""
    """The document as `codec.pack` writes it, when it comes from another process."""
    links: tuple[Link, ...] = ()
    follow_links: bool = True
    """False when the page asks robots not to follow its links."""
    may_index: bool = True
    """False when the page asks robots not to index it."""
    failure: str = ""
    """Why there is no document, in words a person can read."""
    digest: bytes = b""
    """SHA-256 of the page's content, however it was compressed on the way."""
    feeds: tuple[Url, ...] = ()
    """RSS and Atom feeds that the page names."""
    prefix_simhash: int = 0
    """What the text is like, numbers apart, where its URL looks like one of many; else 0."""

    @property
    def indexable_document(self) -> bytes:
        """The packed document if the page may be indexed (see `extract/indexable.py`)."""
        return self.packed_document if self.may_index else b""


@dataclass(frozen=True, slots=True)
class RecordLocation:
    """Where the bytes of a page are kept: a file, and the stretch of it that is theirs."""

    file: str
    offset: int
    length: int
    body_location: "RecordLocation | None" = None
    """Where the content is, when this only says that it was the same again."""


@dataclass(frozen=True, slots=True)
class UnreadablePage:
    """A page that was kept and cannot be read any more."""

    id: UrlId
    file: str
    """Where it was."""
    reason: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a visit ended and everything it taught us; it is recorded whole or not at all."""

    visit: Visit
    state: UrlState
    reason: str = ""
    page: Page | None = None
    location: RecordLocation | None = None
    document: bytes = b""
    """Packed; nothing when there is none, or none that may be found."""
    links: tuple[Link, ...] = ()
    discovered_urls: tuple[DiscoveredUrl, ...] = ()
    retry_at: float | None = None
    """When to try again, if it did not come."""
    digest: bytes = b""
    revisit_interval: float = 0.0
    """Seconds until the page should be seen again."""
    is_gone: bool = False
    """The page was kept before and is no more: forget its document."""
    host_delay: float = 0.0
    """Seconds its host is left alone; remembered, so that starting again makes no burst."""


@dataclass(frozen=True, slots=True)
class HostRecord:
    """What the store knows of one host: how its URLs stand."""

    name: str
    delay: float
    """Seconds that it was last left alone between two requests; 0: it never was."""
    queued: int
    kept: int
    failed: int
    paused: int

    @property
    def status(self) -> Literal["waiting", "paused", "failing", "done", "known"]:
        """How it stands, in a word."""
        if self.queued:
            return "waiting"
        if self.paused:
            return "paused"
        if self.failed > self.kept:
            return "failing"
        return "done" if self.kept else "known"


@dataclass(frozen=True, slots=True)
class UrlRecord:
    """What the store knows of one URL."""

    url: Url
    id: UrlId
    depth: int
    state: UrlState
    reason: str
    seed: bool = False
    attempts: int = 0
    retry_at: float | None = None
    fetched_at: float | None = None

    @property
    def redirect_target(self) -> Url | None:
        """Where it redirects: its reason ends with that."""
        return redirect_target_from(self.reason) if self.state is UrlState.REDIRECTED else None


def redirect_target_from(reason: str) -> Url:
    """Where a redirect leads, by the reason of its state."""
    return Url(reason.rpartition(" ")[2])


@dataclass(frozen=True, slots=True)
class Boost:
    """What a host's pages are worth to who asks: a factor, and why in words."""

    factor: float
    sentence: str


@dataclass(frozen=True, slots=True)
class Query:
    """What was asked, as it was typed."""

    text: str
    max_hits: int = 10
    offset: int = 0
    filters: tuple[str, ...] = ()
    """More of what may be typed, as `site:example.org`; of those with one name, one must hold."""
    sort: Sort = "relevance"
    count_facets: bool = False
    """Count the hits by site, language, type and year too, and goods by what they are like?"""
    include_duplicates: bool = False
    """Show pages that say the same as another, too?"""
    product_search: bool = False
    """Look for goods? Then words that name an attribute become chips."""
    group_offers: bool = False
    """Of goods: show what several pages sell once, with all their offers?"""
    boosts: Mapping[str, Boost] = field(default_factory=dict)
    """What hosts are worth to who asks; those that are worth nothing are not shown."""


@dataclass(frozen=True, slots=True)
class Chip:
    """Words of a query that were understood as one attribute."""

    attribute: str
    value: str = ""
    minimum: float = -inf
    maximum: float = inf
    """Numbers between which the attribute must be, if it is one that is measured."""
    allow_title_match: bool = False
    """Do its words in a page's title do as well?"""
    currency: str = ""
    currency_assumed: bool = False
    """Was the currency not said, but guessed from the language?"""
    typed_text: str = ""
    label: str = ""
    """What it is called in the language of the query."""
    query_without: str = ""
    """The query without it."""

    @property
    def is_numeric(self) -> bool:
        """Is it a number, or a range of them?"""
        return not (isinf(self.minimum) and isinf(self.maximum))

    @property
    def filter_value(self) -> str:
        """What it asks for, as it can be typed behind the attribute's name and a colon."""
        if not self.is_numeric:
            return self.value
        if self.minimum == self.maximum:
            return f"{self.minimum:g}"
        ends = ("" if isinf(end) else f"{end:.10g}" for end in (self.minimum, self.maximum))
        return "..".join(ends)

    @property
    def filter(self) -> str:
        """The same as an operator: `colour:"dark blue"`."""
        return f'{self.attribute}:"{self.filter_value}"'


class Signal(NamedTuple):
    """One reason for a hit's place: its value for this page, its weight, and their product."""

    name: str
    value: float
    weight: float
    sentence: str = ""

    @property
    def score(self) -> float:
        """What it adds to the page's score."""
        return self.value * self.weight


def score_shares(signals: Sequence[Signal]) -> list[float]:
    """The part of the score that each signal is, from -1 to 1; 0 where it is no finite number."""
    scores = [signal.score if isfinite(signal.score) else 0.0 for signal in signals]
    whole = sum(map(abs, scores)) or 1.0
    return [score / whole for score in scores]


@dataclass(frozen=True, slots=True)
class Offer:
    """A page that sells the same as a hit, itself among them."""

    url: Url
    price: float | None = None
    currency: str = ""
    availability: str = ""


@dataclass(frozen=True, slots=True)
class Hit:
    """One answer, and why it is one."""

    url: Url
    id: UrlId
    title: str
    score: float
    snippet: tuple[tuple[str, bool], ...] = ()
    """Pieces of text in order; True marks the words that were asked for."""
    content_type: str = "text/html"
    language: str = ""
    published: str = ""
    signals: tuple[Signal, ...] = ()
    more_from_host: int = 0
    """How many hits of the same host would have stood here, and were put off for others."""
    headings: tuple[Heading, ...] = ()
    """Headings of the page that have words which were asked for, and an anchor."""
    match_counts: tuple[tuple[str, int], ...] = ()
    """How often the words occur in each part of the page: `title`, `headings`, `text` ..."""
    match_positions: tuple[float, ...] = ()
    """Where in the text they occur, from 0, its beginning, to 1."""
    duplicate_of: Url | None = None
    """The better hit that says nearly the same, where duplicates are asked for."""
    product: Mapping[str, object] = field(default_factory=dict)
    """What is for sale there, as its document keeps it."""
    offers: tuple[Offer, ...] = ()
    """Who sells it, where several do and that is asked for; the cheapest of a currency first."""
    modified: str = ""

    @property
    def iso_date(self) -> str:
        """When it was published, or else changed, as 2024-05-31; empty when nobody knows."""
        counted = parse_epoch_day(self.published) or parse_epoch_day(self.modified)
        return date.fromordinal(EPOCH_ORDINAL + counted).isoformat() if counted else ""


NO_RESULTS_MESSAGES: Mapping[str, str] = {
    "language": "No page here is in {}",
    "type": "No page here is of type {}",
    "site": "No page here is of {}",
    "day": "No page here has a date in {}",
    "day_older": "No page here is older than {}",
    "day_newer": "No page here is newer than {}",
    "title": "No title here has {}",
    "url": "No URL here has {}",
    "title_elsewhere": "No title here has {}",
    "url_elsewhere": "No URL here has {}",
    "link": "No other page here links to {}",
    "related": "No other page here has the words that {} is about",
    "language_beside": "No page in {} has the rest",
    "type_beside": "No page of type {} has the rest",
    "site_beside": "No page of {} has the rest",
    "day_beside": "No page with a date in {} has the rest",
    "day_undated": "No page here has a date, so none is in {}",
    "day_beside_undated": "No page with a date in {} has the rest, as those that do have none",
    "link_unknown": "{} is not known here, so no page links to it",
    "related_unknown": "{} is not known here, so nobody knows what is like it",
    "related_unkept": "{} is not kept here, so nobody knows what is like it",
}
"""What is said of something absent, by its name and why."""


@dataclass(frozen=True, slots=True)
class NoResultsReason:
    """What was asked of pages that none is: a language, type, site or day, or beside which page."""

    name: str
    """`language`, `type`, `site`, `day`, `link`, `related`, `title` or `url`"""
    value: str
    available: tuple[str, ...] = ()
    """Those that there are: most pages have them, or they are spelt like it."""
    has_more: bool = False
    """Are there others?"""
    cause: str = ""
    """`beside`: there are such pages, but none answers the rest of the question; `undated`,
    `beside_undated`, `unknown` or `unkept`; `older` or `newer`: all pages with a date are of later
    years, or of earlier ones; `elsewhere_count`: pages have it, but not there; nothing where no
    page here
    is so."""
    elsewhere_count: int = 0
    """How many pages have elsewhere what no title or no URL has."""

    @property
    def message_key(self) -> str:
        """What this is called where there is a sentence for each."""
        return f"{self.name}_{self.cause}" if self.cause else self.name

    @property
    def sentence(self) -> str:
        """The same for people, and what there is instead."""
        if self.cause in ("older", "newer"):
            end = self.available[0 if self.cause == "older" else -1]
            return f"{NO_RESULTS_MESSAGES[self.message_key].format(end)}."
        others = " and others" if self.has_more else ""
        between = " to " if self.name == "day" else ", "
        verb = "those that do:" if self.cause == "beside" else "there are"
        verb = "those that have one are of" if self.message_key == "day" else verb
        there = f"; {verb} {between.join(self.available)}{others}" if self.available else ""
        if self.elsewhere_count:
            pages = "page has" if self.elsewhere_count == 1 else "pages have"
            there = f"; {self.elsewhere_count:,} {pages} it elsewhere"
        return f"{NO_RESULTS_MESSAGES[self.message_key].format(self.value)}{there}."


@dataclass(frozen=True, slots=True)
class OperatorTypo:
    """Something with a colon that was typed and is not read as it was likely meant."""

    typed: str
    correction: str = ""
    """How it is spelt that likely was meant; nothing where it should be a day."""

    @property
    def sentence(self) -> str:
        """The same for people, and what helps."""
        if self.correction:
            return f"{self.typed} is read as words: did you mean {self.correction}?"
        return f"{self.typed} is no day: use 2024-05-31, 2024-05 or 2024."


@dataclass(frozen=True, slots=True)
class SplitWord:
    """A word that no page has, and the words it is made of, which pages have."""

    word: str
    parts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Results:
    """The answer to a query: the best hits, how many there were in all, and what it took."""

    query: Query
    hits: tuple[Hit, ...]
    total: int
    seconds: float = 0.0
    did_you_mean: str = ""
    """A likelier spelling of the query: did you mean this?"""
    facets: Mapping[str, tuple[tuple[str, int], ...]] = field(default_factory=dict)
    """How many hits there are of each site, language, type and year, the most first."""
    stage_seconds: Mapping[str, float] = field(default_factory=dict)
    """Seconds that each step of answering took."""
    chips: tuple[Chip, ...] = ()
    """What was understood of a query for goods."""
    partial_match: bool = False
    """Is no page all that was asked for, so that these only come near?"""
    currencies: tuple[str, ...] = ()
    """Goods by price: the currencies in their order; prices are compared within each alone."""
    blocked_sites: int = 0
    """Sites with hits that are not shown, because they are worth nothing to who asks."""
    related_searches: tuple[str, ...] = ()
    """Other searches that are near to this one, the likeliest first."""
    no_results_reasons: tuple[NoResultsReason, ...] = ()
    """Where nothing is found: what was asked for that no page here is."""
    split_words: tuple[SplitWord, ...] = ()
    """Words that no page has and that were looked for by their parts."""
    nothing_to_match: bool = False
    """Is there nothing in the query that pages should have? `-word` only leaves pages out."""
    total_is_estimate: bool = False
    """Is the total only near? Then some of those that nobody looked at may say the same."""
    did_you_mean_total: int = 0
    """How many pages `did_you_mean` finds, where that was looked up; those that say the same among
    them."""
    operator_typos: tuple[OperatorTypo, ...] = ()
    """What was typed with a colon and likely meant otherwise; a day that is none is left out."""


@dataclass(frozen=True, slots=True)
class ResultPosition:
    """Where a page stands among the answers to a query."""

    position: int
    """From 1 on; 0 where it is not among the first thousand."""
    total: int
    duplicate_of: Url | None
    """The page that is shown instead of it, as both say the same."""


@dataclass(frozen=True, slots=True)
class RebuildProgress:
    """An index that is built beside the one that is asked, and will take its place."""

    progress: float
    """How much of it is done, from 0 to 1."""
    is_running: bool
    """False: it was interrupted, and the next `byway index` goes on with it."""


@dataclass(frozen=True, slots=True)
class CrawlWait:
    """A crawl that can do nothing for now: only hosts that did not answer are left."""

    reason: str
    """The host that is tried next, and what failed there."""
    seconds: float
    """How long it is until then."""


@dataclass(frozen=True, slots=True)
class Status:
    """How things stand."""

    pages: int = 0
    """Pages kept."""
    queued: int = 0
    """URLs that wait for their visit."""
    indexed: int = 0
    """Documents that can be found."""
    crawling: bool = False
    seeds: tuple[str, ...] = ()
    states: Mapping[UrlState, int] = field(default_factory=dict)
    paused: bool = False
    has_products: bool = False
    """Is something for sale on some page?"""
    rebuild: RebuildProgress | None = None
    """The index that is being built anew, if one is."""
    crawl_wait: CrawlWait | None = None
    """What the crawl waits for, if it can do nothing before."""
