"""The words of this program. Read this file first.

A link becomes a visit, a visit a page, a page a document, a document a hit:

    Link ──frontier──▶ Visit ──fetch──▶ Page ──extract──▶ Document ──index, rank, search──▶ Hit

All are plain frozen values. They know nothing of storage, HTTP or HTML.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple, NewType

Url = NewType("Url", str)
"""A URL in its one spelling; `url.normalise` makes them, and nothing else does."""

UrlId = NewType("UrlId", int)
"""The number a store gives a URL: dense, from 1 up, never reused. 0 means not stored."""


class State(StrEnum):
    """What became of a URL. Each comes with a reason that a person can read."""

    QUEUED = "queued"
    KEPT = "kept"
    WALKED = "walked"
    REDIRECTED = "redirected"
    OUT_OF_SCOPE = "out_of_scope"
    FORBIDDEN = "forbidden"
    BLOCKED = "blocked"
    UNREACHABLE = "unreachable"
    MISSING = "missing"
    UNWANTED = "unwanted"
    PAUSED = "paused"
    EXTRACT_FAILED = "extract_failed"


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


@dataclass(frozen=True, slots=True)
class Found:
    """A URL we have come to know of, and what is to become of it."""

    url: Url
    depth: int = 0
    state: State = State.QUEUED
    reason: str = ""
    hops: int = 0
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
    hops: int = 0
    tries: int = 0
    seed: bool = False
    known: "Known | None" = None
    """What we have of it from an earlier visit."""
    job: str = ""


@dataclass(frozen=True, slots=True)
class Job:
    """One of several crawls that share a folder: a name, and how far it goes."""

    name: str = ""
    reach: Mapping[str, object] = field(default_factory=dict)
    """The crawl settings that are its own; for all others it has the folder's."""
    seeds: tuple[Url, ...] = ()
    kept: int = 0
    queued: int = 0


@dataclass(frozen=True, slots=True)
class Known:
    """A page we have kept before: enough to ask whether it has changed since."""

    digest: bytes
    etag: str = ""
    modified: str = ""
    """Its Last-Modified header, as it came."""
    interval: float = 0.0
    """Seconds between our visits; shorter for pages that change often."""
    missing: int = 0
    """How often in a row it was not there."""
    reason: str = ""
    """What else there is to say of it."""


@dataclass(frozen=True, slots=True)
class Page:
    """What came back, kept as it was, so that extraction can always be run again."""

    url: Url
    fetched_at: float
    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes
    """As it came over the wire: `body.decoded` undoes its Content-Encoding."""
    id: UrlId = UrlId(0)

    def header(self, name: str) -> str:
        """The first header of that name, or nothing."""
        name = name.lower()
        return next((value for key, value in self.headers if key.lower() == name), "")

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


@dataclass(frozen=True, slots=True)
class Extracted:
    """All that one reading of a page gives."""

    document: Document | None = None
    packed: bytes = b""
    """The document as `packed.pack` writes it, when it comes from another process."""
    links: tuple[Link, ...] = ()
    follow: bool = True
    """False when the page asks robots not to follow its links."""
    keep: bool = True
    """False when the page asks robots not to index it."""
    failed: str = ""
    """Why there is no document, in words a person can read."""
    digest: bytes = b""
    """SHA-256 of the page's content, however it was compressed on the way."""
    feeds: tuple[Url, ...] = ()
    """RSS and Atom feeds that the page names."""
    sketch: int = 0
    """What the text is like, numbers apart, where its URL looks like one of many; else 0."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where the bytes of a page are kept: a file, and the stretch of it that is theirs."""

    file: str
    offset: int
    length: int
    body: "Place | None" = None
    """Where the content is, when this only says that it was the same again."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a visit ended and everything it taught us; it is recorded whole or not at all."""

    visit: Visit
    state: State
    reason: str = ""
    page: Page | None = None
    place: Place | None = None
    document: bytes = b""
    """Packed; nothing when there is none, or none that may be found."""
    links: tuple[Link, ...] = ()
    found: tuple[Found, ...] = ()
    due: float | None = None
    """When to try again, if it did not come."""
    digest: bytes = b""
    interval: float = 0.0
    """Seconds until the page should be seen again."""
    gone: bool = False
    """The page was kept before and is no more: forget its document."""
    rest: float = 0.0
    """Seconds its host is left alone; remembered, so that starting again makes no burst."""


@dataclass(frozen=True, slots=True)
class UrlRecord:
    """What the store knows of one URL."""

    url: Url
    id: UrlId
    depth: int
    state: State
    reason: str
    seed: bool = False
    tries: int = 0
    due: float | None = None
    fetched_at: float | None = None

    @property
    def leads_to(self) -> Url | None:
        """Where it redirects: its reason ends with that."""
        return Url(self.reason.rpartition(" ")[2]) if self.state is State.REDIRECTED else None


@dataclass(frozen=True, slots=True)
class Query:
    """What was asked, as it was typed."""

    text: str
    limit: int = 10
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Word:
    """A word that should occur; `term` is what it is called in the index."""

    text: str
    term: str


@dataclass(frozen=True, slots=True)
class Phrase:
    """Terms that must follow one another."""

    text: str
    terms: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Question:
    """A query, understood."""

    words: tuple[Word, ...] = ()
    phrases: tuple[Phrase, ...] = ()
    without: tuple[Word | Phrase, ...] = ()
    hosts: tuple[str, ...] = ()
    """Only pages of these hosts, or of hosts below them."""

    @property
    def terms(self) -> tuple[str, ...]:
        """Every term that counts towards a page, once each, in the order they were typed."""
        terms = [word.term for word in self.words]
        terms += [term for phrase in self.phrases for term in phrase.terms]
        return tuple(dict.fromkeys(terms))

    def __bool__(self) -> bool:
        return bool(self.words or self.phrases or self.hosts)


@dataclass(frozen=True, slots=True)
class Signal:
    """One reason for a hit's place: its value for this page, its weight, and their product."""

    name: str
    value: float
    weight: float
    sentence: str = ""

    @property
    def score(self) -> float:
        """What it adds to the page's score."""
        return self.value * self.weight


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


@dataclass(frozen=True, slots=True)
class Results:
    """The answer to a query: the best hits, how many there were in all, and what it took."""

    query: Query
    hits: tuple[Hit, ...]
    total: int
    seconds: float = 0.0


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
    states: Mapping[State, int] = field(default_factory=dict)
    paused: bool = False
