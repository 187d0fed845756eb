"""Storage port: the stores of a collection, opened for readers or for the single writer."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

from byway.core.model import DiskSpace, FrontierOptions, ImportedPage
from byway.core.ports.account_store import AccountStore
from byway.core.ports.crawl_control import CrawlControl
from byway.core.ports.crawl_statistics import CrawlStatistics
from byway.core.ports.document_store import DocumentStore
from byway.core.ports.frontier import Frontier
from byway.core.ports.icon_store import IconStore
from byway.core.ports.link_graph import LinkGraph
from byway.core.ports.page_store import PageStore
from byway.core.ports.process_states import ProcessStates
from byway.core.ports.rank_store import RankStore
from byway.core.ports.url_catalog import UrlCatalog


class CrawlReader(Protocol):
    """Read-only access to crawl data, even during a crawl."""

    @property
    def catalog(self) -> UrlCatalog: ...
    @property
    def pages(self) -> PageStore: ...
    @property
    def graph(self) -> LinkGraph: ...
    @property
    def statistics(self) -> CrawlStatistics: ...


class CrawlWriter(Protocol):
    """The stores that a crawl writes to; the `crawl` lock must be held."""

    @property
    def frontier(self) -> Frontier: ...
    @property
    def pages(self) -> PageStore: ...
    @property
    def documents(self) -> DocumentStore: ...

    def add_pages(self, pages: Sequence[ImportedPage]) -> int:
        """Record imported pages as a crawl would; return how many.

        Pages, URL states, links and documents are durable when this returns. Skips removed URLs
        and pages that are not newer than the stored version.
        """


class UserFiles(Protocol):
    """The files that users write: settings, site rules, judged queries."""

    @property
    def path(self) -> Path:
        """The data folder."""

    @property
    def settings_file(self) -> Path: ...

    @property
    def site_rules(self) -> Path | None:
        """The folder of the user's site rules; None if there is none."""

    @property
    def judged_queries(self) -> Path:
        """The folder of judged queries, as `byway eval` reads them."""

    def log_file(self, command: str) -> Path:
        """The log file of a command running in the background."""


class Storage(CrawlControl, UserFiles, Protocol):
    """Everything stored for one collection; nothing is opened until it is needed."""

    def create(self) -> None:
        """Create the stores that do not exist yet."""

    def has_data(self) -> bool:
        """Whether the collection was created."""

    def require_data(self) -> None:
        """Raise `DataError`, which says what to do, if there is no data or it is unreadable."""

    def reader(self, snapshot: bool = False) -> AbstractContextManager[CrawlReader]:
        """The crawl data; with `snapshot`, as of a single point in time."""

    def frontier(self, options: FrontierOptions | None = None) -> AbstractContextManager[Frontier]:
        """The frontier; the caller must hold the `crawl` lock."""

    def writer(self, options: FrontierOptions | None = None) -> AbstractContextManager[CrawlWriter]:
        """The frontier, the pages and the live documents; the caller must hold the `crawl` lock.

        Repairs pages that a crash left half-written.
        """

    def ranks(self) -> RankStore: ...
    def icons(self) -> IconStore: ...
    def accounts(self) -> AccountStore: ...
    def process_states(self) -> ProcessStates: ...

    def scratch_folder(self) -> Path | None:
        """A folder for large temporary files; None for the system default."""

    def disk_space(self) -> DiskSpace: ...

    def bytes_by_part(self) -> Mapping[str, int]:
        """The size of each part of the stored data, by name."""
