"""Removing and restoring pages and sites from the web interface.

A separate process does the work, so that the web server neither waits for the index nor needs
memory for it.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace

from byway.app.processes.task_call import wait_for_message
from byway.app.processes.tasks import RemovalTask, process_spec
from byway.app.search import SearchSession
from byway.core.errors import DataLockedError, UsageError
from byway.core.messages import Reason
from byway.core.model import Url
from byway.core.ports import Runner, Storage
from byway.core.settings.schema import Settings
from byway.core.url import host_of, parse_typed_url

MAX_PAGES_LISTED = 1000
"""Maximum number of pages listed; `byway remove --list` lists all."""
REMOVAL_TIMEOUT_SECONDS = 20.0
"""Seconds to wait for a removal; a longer one continues in the background."""


@dataclass(frozen=True, slots=True)
class RemovalScope:
    """The pages, or the site, to remove or restore."""

    urls: tuple[Url, ...] = ()
    site: str = ""


@dataclass(frozen=True, slots=True)
class RemovedPages:
    """The removed sites, and the individually removed pages."""

    sites: tuple[str, ...]
    urls: tuple[Url, ...]
    unlisted_count: int
    """Number of removed pages that are not listed."""


@dataclass(frozen=True, slots=True)
class RemovalSummary:
    """Number of affected URLs and pages, and whether the index is up to date."""

    urls: int
    pages: int
    is_complete: bool = True


def parse_removal(urls: Sequence[str], site: str) -> RemovalScope:
    """The typed scope; raises an error unless it is either pages or a site."""
    typed = [url for url in urls if url.strip()]
    if bool(typed) == bool(site.strip()):
        raise UsageError("app.removal_scope")
    host = host_of(parse_typed_url(site)) if site.strip() else ""
    return RemovalScope(tuple(parse_typed_url(url) for url in typed), host)


def crawl_refusals(scope: RemovalScope, settings: Settings) -> list[Reason]:
    """Reasons why a crawl would not fetch these pages even after they are restored."""
    from byway.crawl.http.ssrf_guard import refusals  # late: it loads the HTTP client

    hosts = [*map(host_of, scope.urls), *filter(None, [scope.site])]
    return refusals(hosts, settings.crawl.allow_private)


def require_no_writer(storage: Storage) -> None:
    """Raise `DataLockedError` while a crawl or a rebuild is running."""
    if storage.crawler_pid():
        raise DataLockedError("app.crawl_running")
    if storage.is_locked("crawl"):
        raise DataLockedError("app.rebuild_running")


class RemovalService:
    """Removes pages and sites from a data folder, and restores them. Thread-safe."""

    def __init__(
        self,
        storage: Storage,
        settings: Settings,
        session: SearchSession,
        runner: Runner,
    ) -> None:
        self._storage = storage
        self._settings = settings
        self._session = session
        self._runner = runner
        self._numbers = itertools.count(1)

    def list_removed(self) -> RemovedPages:
        """The removed sites and pages."""
        catalog = self._session.catalog
        urls, total = catalog.removed_pages(MAX_PAGES_LISTED)
        sites = tuple(sorted(catalog.removed_sites()))
        return RemovedPages(sites, tuple(urls), total - len(urls))

    def preview(self, scope: RemovalScope, undo: bool = False) -> RemovalSummary:
        """The size of a removal; raises an error for anything unknown or not removed."""
        return RemovalSummary(
            *self._session.catalog.count_removal_targets(scope.urls, scope.site, undo)
        )

    def crawl_refusals(self, scope: RemovalScope) -> list[Reason]:
        """Reasons why a crawl would not fetch these pages even after they are restored."""
        return crawl_refusals(scope, self._settings)

    def remove(self, scope: RemovalScope, undo: bool = False) -> RemovalSummary:
        """Remove pages or a site from the index; `undo`: let the next crawl visit them again."""
        summary = self.preview(scope, undo)
        require_no_writer(self._storage)
        number = next(self._numbers)
        task = RemovalTask(
            path=str(self._storage.path),
            settings=self._settings,
            urls=scope.urls,
            site=scope.site,
            undo=undo,
        )
        log_path = str(self._storage.log_file("remove"))
        process = process_spec(f"removal-{number}", task, is_detached=True, log_path=log_path)
        try:
            done = wait_for_message(self._runner, process, "result", REMOVAL_TIMEOUT_SECONDS)
        except TimeoutError:
            done = False
        return replace(summary, is_complete=done)
