"""Removing and restoring pages and sites from the web interface.

`byway remove` does it in a separate process, so that the web server neither waits for the index
nor needs memory for it.
"""

import subprocess
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from byway.app.search import SearchSession
from byway.core.errors import DataLockedError, UsageError
from byway.core.model import Url
from byway.core.model.message import Reason
from byway.core.url import host_of, parse_typed_url
from byway.storage.data_folder import DataFolder

MAX_PAGES_LISTED = 1000
"""Pages that are listed; `byway remove --list` lists all."""
REMOVAL_TIMEOUT_SECONDS = 20.0
"""Seconds to wait for a removal; one that has more to index continues in the background."""

SpawnCommand = Callable[..., subprocess.Popen[bytes]]
FindRefusals = Callable[[Sequence[str]], list[Reason]]


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
    """The scope that was typed; an error unless it is either pages or a site."""
    typed = [url for url in urls if url.strip()]
    if bool(typed) == bool(site.strip()):
        raise UsageError("app.removal_scope")
    host = host_of(parse_typed_url(site)) if site.strip() else ""
    return RemovalScope(tuple(parse_typed_url(url) for url in typed), host)


class RemovalService:
    """Removes pages and sites from a data folder, and restores them. Thread-safe."""

    def __init__(
        self,
        folder: DataFolder,
        session: SearchSession,
        spawn: SpawnCommand,
        find_refusals: FindRefusals,
    ) -> None:
        """`spawn` starts a byway command on this folder; `find_refusals` returns why a crawl does
        not visit some of these hosts."""
        self._folder = folder
        self._session = session
        self._spawn = spawn
        self._find_refusals = find_refusals

    def list_removed(self) -> RemovedPages:
        """The removed sites and pages."""
        sites, urls, all = self._session.list_removed(MAX_PAGES_LISTED)
        return RemovedPages(tuple(sites), tuple(urls), all - len(urls))

    def preview(self, scope: RemovalScope, undo: bool = False) -> RemovalSummary:
        """The size of a removal; the error names any URL or site that is unknown or not removed."""
        return RemovalSummary(*self._session.count_removal_targets(scope.urls, scope.site, undo))

    def crawl_refusals(self, scope: RemovalScope) -> list[Reason]:
        """Reasons why a crawl would not fetch these URLs even after they are restored."""
        return self._find_refusals([*map(host_of, scope.urls), *filter(None, [scope.site])])

    def remove(self, scope: RemovalScope, undo: bool = False) -> RemovalSummary:
        """Remove pages or a site from the index; `undo`: let the next crawl visit them again."""
        summary = self.preview(scope, undo)
        if self._folder.crawler_pid():
            raise DataLockedError("app.crawl_running")
        if self._folder.is_locked("crawl"):
            raise DataLockedError("app.rebuild_running")
        flags = [*(["--undo"] if undo else []), *(["--site", scope.site] if scope.site else [])]
        process = self._spawn("remove", "--yes", *flags, "--", *scope.urls)
        try:
            exit_code = process.wait(REMOVAL_TIMEOUT_SECONDS)
        except subprocess.TimeoutExpired:
            # Waiting for a child keeps it from becoming a zombie.
            threading.Thread(target=process.wait, daemon=True).start()
            return replace(summary, is_complete=False)
        if exit_code:
            raise DataLockedError("app.removal_failed", detail=self._last_log_line())
        return summary

    def _last_log_line(self) -> str:
        text = (self._folder.path / "remove.log").read_text("utf-8", "replace").strip()
        return text.rpartition("\n")[2].removeprefix("byway: ")
