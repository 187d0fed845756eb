"""URL catalog port: read-only queries on URLs, hosts, jobs, failures and removals."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from byway.core.messages import Reason
from byway.core.model import HostRecord, Job, Url, UrlRecord, UrlState, Visit


class UrlCatalog(Protocol):
    """All known URLs, as of the last transaction."""

    def find_url(self, url: Url) -> UrlRecord | None:
        """The record of this URL; None if it is unknown."""

    def state_counts(self) -> Mapping[UrlState, int]:
        """The number of URLs in each state, without empty states."""

    def seeds(self) -> list[Url]:
        """The seeds, and the targets of their redirects."""

    def jobs(self) -> list[Job]:
        """The jobs that share the frontier, each with its seeds and progress.

        The main job, which has no name, always exists and comes first.
        """

    def traps(self) -> list[tuple[object, ...]]:
        """The rows last stored by `Frontier.save_traps`."""

    def due_revisits(self, by: float) -> list[Visit]:
        """Visits of the kept pages that are due by this time."""

    def next_revisit_at(self) -> float | None:
        """When the next revisit is due; None if there is none."""

    def queue_lengths(self) -> list[tuple[str, int]]:
        """Hosts and their queue lengths, longest first."""

    def hosts(self, limit: int, name_contains: str = "") -> list[HostRecord]:
        """The records of hosts whose name contains this text, longest queue first."""

    def host_count(self, name_contains: str = "") -> int:
        """The number of known hosts whose name contains this text."""

    def failure_reasons(self) -> Mapping[Reason, int]:
        """Failure reasons of URLs, with counts."""

    def removal_reason(self, url: Url) -> Reason:
        """The reason if a URL was removed by hand or belongs to a removed site; otherwise empty."""

    def removed_sites(self) -> frozenset[str]:
        """The hosts removed with all their subdomains."""

    def removed_pages(self, limit: int) -> tuple[list[Url], int]:
        """Individually removed pages and their total number; all if `limit` is -1."""

    def count_removal_targets(
        self, urls: Sequence[Url], site: str = "", undo: bool = False
    ) -> tuple[int, int]:
        """The number of URLs that `Frontier.remove` would change, and how many are stored pages.

        Raises `UsageError` for an unknown URL or site, and for restoring one that is not removed.
        """

    def stored_files(self, urls: Sequence[Url], site: str = "") -> list[str]:
        """The names of the files that hold content of these URLs or of a site."""
