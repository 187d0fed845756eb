"""What was taken out by hand, and how is more taken out from the web? Pages, sites, and back again.

It is done by `byway remove` in a process of its own: who answers searches does not wait for the
index, and needs no memory for it.
"""

import subprocess
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from byway.app.search import SearchSession
from byway.core.errors import DataLockedError, UsageError
from byway.core.model import Url
from byway.core.url import host_of, parse_typed_url
from byway.storage.data_folder import DataFolder

MAX_PAGES_LISTED = 1000
"""Pages that are listed; `byway remove --list` has all."""
REMOVAL_TIMEOUT_SECONDS = 20.0
"""Seconds in which a removal is waited for; one that has more to index first goes on alone."""

SpawnCommand = Callable[..., subprocess.Popen[bytes]]
FindRefusals = Callable[[Sequence[str]], list[str]]


@dataclass(frozen=True, slots=True)
class RemovalScope:
    """Pages, or a site: what is to be taken out, or let in again."""

    urls: tuple[Url, ...] = ()
    site: str = ""


@dataclass(frozen=True, slots=True)
class RemovedPages:
    """What is out: sites with all that is found of them, and pages that were named one by one."""

    sites: tuple[str, ...]
    urls: tuple[Url, ...]
    unlisted_count: int
    """Pages besides those."""


@dataclass(frozen=True, slots=True)
class RemovalSummary:
    """How many URLs are meant, how many pages of them there are, and is the index done?"""

    urls: int
    pages: int
    is_complete: bool = True


def parse_removal(urls: Sequence[str], site: str) -> RemovalScope:
    """What somebody means by these; an error if it is neither pages nor a site, or both."""
    typed = [url for url in urls if url.strip()]
    if bool(typed) == bool(site.strip()):
        raise UsageError("name pages, or a site, and not both")
    host = host_of(parse_typed_url(site)) if site.strip() else ""
    return RemovalScope(tuple(parse_typed_url(url) for url in typed), host)


class RemovalService:
    """Takes pages and sites of a data folder out, and lets them in again. Threads may share it."""

    def __init__(
        self,
        folder: DataFolder,
        session: SearchSession,
        spawn: SpawnCommand,
        find_refusals: FindRefusals,
    ) -> None:
        """`spawn` starts a command of ours on this folder; `find_refusals` says which hosts are not
        visited by a crawl from here, and why."""
        self._folder = folder
        self._reading = session
        self._spawn = spawn
        self._closed = find_refusals

    def list_removed(self) -> RemovedPages:
        """What is out now."""
        sites, urls, all = self._reading.list_removed(MAX_PAGES_LISTED)
        return RemovedPages(tuple(sites), tuple(urls), all - len(urls))

    def preview(self, scope: RemovalScope, undo: bool = False) -> RemovalSummary:
        """How much that would be; an error names what is not known, or not removed."""
        return RemovalSummary(*self._reading.count_removal_targets(scope.urls, scope.site, undo))

    def crawl_refusals(self, scope: RemovalScope) -> list[str]:
        """Why a crawl that is started here would not visit this, though it is let in."""
        return self._closed([*map(host_of, scope.urls), *filter(None, [scope.site])])

    def remove(self, scope: RemovalScope, undo: bool = False) -> RemovalSummary:
        """Take it out, so that nobody finds it any more; `undo`: let the next crawl visit it."""
        much = self.preview(scope, undo)
        if self._folder.crawler_pid():
            raise DataLockedError("a crawl is running; stop it first, or wait until it ends")
        if self._folder.is_locked("crawl"):
            raise DataLockedError("the index is being built anew; try again when that is done")
        words = [*(["--undo"] if undo else []), *(["--site", scope.site] if scope.site else [])]
        process = self._spawn("remove", "--yes", *words, "--", *scope.urls)
        try:
            ended = process.wait(REMOVAL_TIMEOUT_SECONDS)
        except subprocess.TimeoutExpired:
            # Somebody must ask how a child ended, or it stays as a zombie.
            threading.Thread(target=process.wait, daemon=True).start()
            return RemovalSummary(much.urls, much.pages, is_complete=False)
        if ended:
            raise DataLockedError(self._said())
        return much

    def _said(self) -> str:
        """Why it could not be done."""
        text = (self._folder.path / "remove.log").read_text("utf-8", "replace").strip()
        return text.rpartition("\n")[2].removeprefix("byway: ") or "it could not be removed"
