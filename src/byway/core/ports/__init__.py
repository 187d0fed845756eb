"""What a backend must be able to do. Stages speak to these and to nothing else.

Each port is cut at the verbs of the domain, not at those of a database, so that a backend is
free to use what its engine is good at. `storage/memory/stores.py` fills all of them in the plainest
way; `tests/contract` says what each must do, and runs on every backend.
"""

from collections.abc import Collection, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from byway.core.model import (
    DiscoveredUrl,
    Document,
    Job,
    Neighbour,
    Outcome,
    Page,
    RecordLocation,
    RobotsFile,
    Sort,
    UnreadablePage,
    Url,
    UrlId,
    UrlRecord,
    UrlState,
    Visit,
)
from byway.core.model.account import (
    Account,
    AccountId,
    ApiKey,
    ApiKeyScope,
    History,
    HostPreference,
    Invitation,
    Preferences,
    Role,
    Session,
)
from byway.core.model.candidates import Candidates, Ids, empty_ids
from byway.core.model.query import ParsedQuery


class Frontier(Protocol):
    """The URLs we know of, and when each host may next be asked."""

    def add(self, urls: Iterable[DiscoveredUrl]) -> int:
        """Remember these URLs; return how many were new."""

    def lease(self, limit: int, now: float) -> list[Visit]:
        """Hand out URLs that are due, at most one for each host that is free."""

    def release(self, visit: Visit, free_at: float) -> None:
        """The request is over: its host may be asked again at `free_at`."""

    def requeue_visit(self, visit: Visit, free_at: float) -> None:
        """The visit was not made: hand it out again, not before `free_at`."""

    def finish(self, outcomes: Sequence[Outcome]) -> list[int]:
        """Record these outcomes, all or none; return the sequence numbers of the pages in them.

        A page has one if it came (it has a place) or is gone. When this returns, a power cut
        loses nothing of it.
        """

    def count_kept(self) -> int:
        """How many pages we have, those among them that are queued to be seen again."""

    def requeue_unreachable(self) -> int:
        """Give what could not be had, or was at a blocked address, another chance; how many?"""

    def queue_revisits(self, now: float, job: str = "") -> int:
        """Queue the kept pages, of one job or of all, that are due by now; return how many."""

    def requeue_unreadable(self, pages: Sequence[UnreadablePage]) -> int:
        """Queue pages that cannot be read any more as if they had never been kept; how many?"""

    def requeue_redirecting_seeds(self) -> int:
        """Queue the seeds that lead somewhere else each time they are asked; return how many."""

    def traps(self) -> list[tuple[object, ...]]:
        """What `save_traps` was last given."""

    def save_traps(self, rows: Iterable[tuple[object, ...]]) -> None:
        """Keep what is known of traps, in place of what was kept before."""

    def robots(self, host: str) -> RobotsFile | None:
        """What `save_robots` was last given for this host."""

    def save_robots(self, host: str, file: RobotsFile) -> None:
        """Keep a robots.txt; it may be lost if nothing is finished after it."""

    def urls_with_digest(self, digest: bytes) -> list[Url]:
        """Some of the URLs at which this very content was kept."""

    def next_lease_at(self) -> float | None:
        """When to try `lease` again, perhaps too early; None when nothing is left to do."""

    def next_retry(self, by: float) -> UrlRecord | None:
        """A URL that failed before and is tried again by then, or waits for its host; if any."""

    def hosts_awaiting_retry(self) -> list[str]:
        """The hosts of URLs that failed and are tried again, each once."""

    def advance_retries(self, latest: float) -> None:
        """Try what was put off by then at the latest."""

    def jobs(self) -> list[Job]:
        """The crawls that share this frontier, each with its seeds and how far it has come.

        The main one, which has no name, comes first and is always there.
        """

    def save_job(self, job: Job) -> None:
        """Remember a job's name and reach."""

    def set_paused_jobs(self, jobs: Collection[str], full_jobs: Collection[str] = ()) -> None:
        """Hand out no URLs of these jobs, and of the `full_jobs` ones only pages that we have."""

    def seeds(self) -> list[Url]:
        """The URLs people named, and where those redirected to."""

    def find_url(self, url: Url) -> UrlRecord | None:
        """What became of this URL; None if we never heard of it."""

    def queue_lengths(self) -> list[tuple[str, int]]:
        """The hosts of which URLs wait, and how many, the longest queue first."""

    def state_counts(self) -> Mapping[UrlState, int]:
        """How many URLs are in each state."""


class PageStore(Protocol):
    """The pages as they were fetched, version after version."""

    def append(self, pages: Sequence[tuple[Page, bytes]]) -> list[RecordLocation]:
        """Write these pages, each with its digest, down for good, a content only once.

        Nobody sees them until `Frontier.finish` says so.
        """

    def get(self, id: UrlId) -> Page | None:
        """The newest version of a page."""

    def changes_since(
        self, sequence: int
    ) -> Generator[tuple[int, UrlId, Page | UnreadablePage | None], None, None]:
        """The newest version of each page, if it is newer than that sequence number; oldest first.

        None: it was taken down.
        """

    def last_sequence(self) -> int:
        """The sequence number of the newest version; 0 when there is none."""


class DocumentStore(Protocol):
    """What pages say: the newest document of each. Derived from the pages, so it may be lost."""

    def put(self, documents: Iterable[tuple[int, UrlId, bytes]]) -> None:
        """Keep these, packed, under their pages' sequence numbers; no bytes: no longer a page."""

    def get(self, id: UrlId) -> Document | None: ...

    def changes_since(self, sequence: int, limit: int) -> list[tuple[int, UrlId, Document | None]]:
        """Documents put after that sequence number, oldest first."""

    def last_sequence(self) -> int:
        """The highest sequence number put; 0 when there is none."""


class LinkGraph(Protocol):
    """Who links to whom, as numbers, and what the numbers stand for."""

    def edges(
        self, nofollow: bool = False
    ) -> Iterator[tuple[NDArray[np.int32], NDArray[np.int32]]]:
        """Sources and targets of the links, in chunks; with `nofollow`, of those too.

        All of a page's are in one chunk.
        """

    def size(self) -> int:
        """One more than the highest URL number."""

    def host_ids(self) -> NDArray[np.int32]:
        """The host's number of every URL, by URL number; 0 where there is no URL."""

    def outlinks(self, id: UrlId) -> list[Neighbour]:
        """The pages that a page links to, in the order of its links."""

    def inlinks(self, id: UrlId) -> Iterator[Neighbour]:
        """The pages that link to a page, in the order of their numbers."""

    def edges_to(self, ids: Ids) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Sources and targets of every link to one of these, nofollow or not."""

    def edges_from(self, ids: Ids) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Sources and targets of the links on these pages, but for nofollow."""

    def redirect_targets(self) -> NDArray[np.int32]:
        """Where each URL leads in the end, by URL number: to itself, or along its redirects.

        Redirects that never arrive, or where we have not been, lead to themselves.
        """

    def in_degrees(self) -> NDArray[np.int32]:
        """How many pages link to each URL, nofollow or not, by URL number."""

    def all_outlinks(self) -> Iterator[tuple[UrlId, list[Neighbour]]]:
        """Every page that has links, with them, in the order of the pages' numbers."""

    def url_records(self, ids: Iterable[UrlId]) -> Mapping[UrlId, UrlRecord]:
        """What is known of these URLs, but for when they were fetched."""

    def ids_in_state(self, *states: UrlState, among: Ids | None = None) -> Ids:
        """The numbers of the URLs (of all, or of those) in one of these states, in order."""

    def find_url(self, url: Url) -> UrlRecord | None:
        """What became of this URL; None if we never heard of it."""

    def host_names(self) -> Mapping[int, str]:
        """The name of every host, port included, by host number."""


@dataclass(frozen=True, slots=True)
class HostCitations:
    """How many links, pages and hosts from elsewhere lead to each host, by host number."""

    links: Ids = field(default_factory=empty_ids)
    pages: Ids = field(default_factory=empty_ids)
    hosts: Ids = field(default_factory=empty_ids)


@dataclass(frozen=True, slots=True)
class Ranks:
    """How much links say for each page, its host and its site, by URL number; 1 is the average."""

    pages: NDArray[np.float32]
    hosts: NDArray[np.float32]
    sites: NDArray[np.float32] = field(default_factory=lambda: np.zeros(0, np.float32))
    citations: HostCitations = field(default_factory=HostCitations)


class IconStore(Protocol):
    """The little pictures of hosts; nothing is one, too, of a host that has none."""

    def has(self, host: str) -> bool:
        """Was this host asked?"""

    def put(self, host: str, image: bytes) -> None: ...
    def get(self, host: str) -> bytes: ...


class RankStore(Protocol):
    """The last ranking, swapped whole."""

    def save(self, ranks: Ranks) -> None: ...
    def load(self) -> Ranks: ...


@dataclass(frozen=True, slots=True)
class PageLinks:
    """What links say of a page: those that lead to it, and where its own lead."""

    anchors: tuple[tuple[str, int], ...] = ()
    """What other pages call it, and how often, the most frequent first."""
    target_ids: tuple[int, ...] = ()


Facets = Mapping[str, tuple[tuple[str, int], ...]]


class SearchIndex(Protocol):
    """Documents, found by their words."""

    def add(
        self, documents: Iterable[Document], page_links: Mapping[UrlId, PageLinks] | None = None
    ) -> None:
        """Make these findable, in place of what stood under their numbers."""

    def remove(self, ids: Iterable[UrlId]) -> None: ...

    def commit(self, sequence: int) -> None:
        """Show everything added so far; remember that the index is up to date until there."""

    def documents_to_reindex(self, limit: int) -> list[UrlId]:
        """Some of the documents that would be found faster if they were added again."""

    def committed_sequence(self) -> int:
        """The sequence number of the last commit."""

    def count(self) -> int:
        """How many documents can be found."""

    def candidates(
        self,
        query: ParsedQuery,
        limit: int,
        only_id: UrlId | None = None,
        sort: Sort = "relevance",
    ) -> Candidates:
        """The most promising pages, best first; with `only_id`, that page if it matches at all."""

    def top_ids(self, query: ParsedQuery, limit: int) -> Ids:
        """The most promising pages, best first, for those who ask nothing else about them."""

    def facets(self, query: ParsedQuery, limit: int) -> Facets:
        """How many matching pages each site, language, type and year has, the most first."""

    def languages(self) -> tuple[str, ...]:
        """The languages that documents are in, the most frequent first."""

    def attributes(self) -> frozenset[str]:
        """The names of the attributes that documents have."""

    def document_frequency(self, terms: Sequence[str]) -> int:
        """About how many documents have the rarest of these terms."""

    def languages_with(self, terms: Sequence[str]) -> int:
        """The bits, as in `text.BITS`, of all languages in which documents have these terms.

        There may be more of them than that, but never fewer.
        """

    def document_frequency_in(self, language: int, terms: Sequence[str]) -> int:
        """Bits for the documents in this language that have these terms, or for groups of them.

        Where the bits of several words have none in common, no document has all of those.
        """

    def fuzzy_matches(self, word: str, max_distance: int) -> list[tuple[str, int, int]]:
        """Words of the documents that are spelt like this one, but for `max_distance` letters.

        Each comes with its distance and with how many documents have it, the nearest first.
        """

    def prefix_matches(self, prefix: str, limit: int) -> list[str]:
        """Words of the documents that begin like this, the most frequent first."""

    def expand_prefix(self, prefix: str, limit: int) -> list[str]:
        """The same, soon; documents that had some of them may be gone."""

    def fuzzy_prefix_matches(self, prefix: str, limit: int) -> list[str]:
        """Words that begin like this, but for one slip behind the first letter."""

    def surface_form(self, word: str) -> str:
        """One of these words as most documents write it, in small letters, with its accents."""

    def complete_title(self, prefix: str, limit: int) -> list[str]:
        """What pages are called, where a word and what follows begins like this; best first."""

    def fuzzy_complete_title(self, prefix: str, limit: int) -> list[str]:
        """The same, but for one slip."""


class AnchorStore(Protocol):
    """What links say of pages, by the page they lead to. Derived from the link graph."""

    def update_sources(
        self, sequence: int, sources: Iterable[UrlId], removed: Iterable[UrlId] = ()
    ) -> None:
        """Take in the links of these pages, in place of what they were; those of others are gone.

        Unless it was done up to that sequence number.
        """

    def anchors_for(self, ids: Sequence[UrlId]) -> Mapping[UrlId, PageLinks]:
        """What is known of these pages."""

    def mark_indexed(self, page_links: Mapping[UrlId, PageLinks]) -> None:
        """These pages can be found by this now."""

    def commit_changes(self) -> None:
        """Give what links call a redirect to the page it leads to, as far as that is known."""

    def pages_with_changed_anchors(self, limit: int) -> list[UrlId]:
        """Indexed pages that others call otherwise than they did then."""


class AccountStore(Protocol):
    """Who may log in, and what is theirs. Secrets come in as hashes and never leave."""

    def close(self) -> None:
        """Give back what it holds."""

    def add(self, name: str, role: Role, password: str, now: float) -> Account | None:
        """Make an account; None if the name is taken. `password` is its hash."""

    def account(self, name: str) -> tuple[Account, str] | None:
        """The account of that name, and the hash of its password."""

    def accounts(self) -> list[Account]:
        """Everybody, by name."""

    def set_password(self, id: AccountId, password: str) -> None:
        """Replace the hash of a password."""

    def set_role(self, id: AccountId, role: Role) -> bool:
        """Change what somebody may do; False if no admin would be left."""

    def set_records_history(self, id: AccountId, records_history: bool) -> None:
        """Whether what somebody does is written down from now on."""

    def remove(self, id: AccountId) -> bool:
        """Forget an account and all that is its; False if no admin would be left."""

    def start_session(self, session: Session, hash: bytes) -> None:
        """Remember a session; its own `id` is not looked at."""

    def session(self, hash: bytes, now: float) -> tuple[Session, Account] | None:
        """Whose session this is, unless it is over."""

    def touch_session(self, session: int, now: float) -> None:
        """The session was used."""

    def sessions(self, id: AccountId, now: float) -> list[Session]:
        """Where somebody is logged in, the latest first."""

    def end_sessions(
        self, id: AccountId, session: int | None = None, except_session: int | None = None
    ) -> None:
        """End one of somebody's sessions, or all, or all but one."""

    def add_invitation(self, role: Role, hash: bytes, now: float, expires_at: float) -> None:
        """Remember an invitation; there is at most one that makes a first admin."""

    def invitation_role(self, hash: bytes, now: float) -> Role | None:
        """What an invitation makes of who has it; None if it is used up or too old."""

    def accept_invitation(
        self, hash: bytes, name: str, password: str, now: float
    ) -> Account | None:
        """Make an account by invitation and use that up, both or neither; None if one is taken."""

    def invitations(self, now: float) -> list[Invitation]:
        """Those that can still be used."""

    def revoke_invitation(self, id: int) -> None:
        """Take an invitation back."""

    def add_key(
        self, id: AccountId, name: str, scope: ApiKeyScope, hash: bytes, now: float
    ) -> bool:
        """Remember a key; False when somebody has too many."""

    def key(self, hash: bytes, now: float) -> tuple[ApiKey, Account] | None:
        """Whose key this is."""

    def keys(self, id: AccountId) -> list[ApiKey]:
        """Somebody's keys."""

    def remove_key(self, id: AccountId, key: int) -> None:
        """The key opens nothing any more."""

    def record_query(self, id: AccountId, text: str, now: float) -> None:
        """Write down a question."""

    def record_click(self, id: AccountId, url: str, query: str, now: float) -> None:
        """Write down a result that was opened."""

    def set_host_preference(
        self, id: AccountId, host: str, preference: HostPreference | None
    ) -> bool:
        """What somebody wants of a host, or nothing special; False when there are too many."""

    def history(self, id: AccountId) -> History:
        """What somebody did and wants."""

    def recent_queries(self, id: AccountId, limit: int) -> list[str]:
        """What somebody asked, each question once, the latest first; quickly."""

    def preferences(self, id: AccountId) -> Preferences:
        """What somebody's results depend on; quickly, for every search of theirs needs it."""

    def set_boost_strength(self, id: AccountId, strength: float) -> None:
        """How much somebody's habits count."""

    def delete_history(self, id: AccountId, entry_id: int | None = None) -> None:
        """Delete what somebody asked and opened, or one of these; wishes stay."""
