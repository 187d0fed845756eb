"""What was taken out by hand, and how is more taken out from the web? Pages, sites, and back again.

It is done by `byway remove` in a process of its own: who answers searches does not wait for the
index, and needs no memory for it.
"""

import subprocess
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from byway.app.search import Reading
from byway.core.errors import Locked, UsageError
from byway.core.model import Url
from byway.core.url import guess, host_of
from byway.storage.data_folder import Folder

SHOWN = 1000
"""Pages that are listed; `byway remove --list` has all."""
PATIENCE = 20.0
"""Seconds in which a removal is waited for; one that has more to index first goes on alone."""

Spawn = Callable[..., subprocess.Popen[bytes]]
Closed = Callable[[Sequence[str]], list[str]]


@dataclass(frozen=True, slots=True)
class Named:
    """Pages, or a site: what is to be taken out, or let in again."""

    urls: tuple[Url, ...] = ()
    site: str = ""


@dataclass(frozen=True, slots=True)
class Removed:
    """What is out: sites with all that is found of them, and pages that were named one by one."""

    sites: tuple[str, ...]
    urls: tuple[Url, ...]
    more: int
    """Pages besides those."""


@dataclass(frozen=True, slots=True)
class Much:
    """How many URLs are meant, how many pages of them there are, and is the index done?"""

    urls: int
    pages: int
    done: bool = True


def named(urls: Sequence[str], site: str) -> Named:
    """What somebody means by these; an error if it is neither pages nor a site, or both."""
    typed = [url for url in urls if url.strip()]
    if bool(typed) == bool(site.strip()):
        raise UsageError("name pages, or a site, and not both")
    host = host_of(guess(site)) if site.strip() else ""
    return Named(tuple(guess(url) for url in typed), host)


class Removing:
    """Takes pages and sites of a data folder out, and lets them in again. Threads may share it."""

    def __init__(self, folder: Folder, reading: Reading, spawn: Spawn, closed: Closed) -> None:
        """`spawn` starts a command of ours on this folder; `closed` says which hosts are not
        visited by a crawl from here, and why."""
        self._folder = folder
        self._reading = reading
        self._spawn = spawn
        self._closed = closed

    def removed(self) -> Removed:
        """What is out now."""
        sites, urls, all = self._reading.removed_by_hand(SHOWN)
        return Removed(tuple(sites), tuple(urls), all - len(urls))

    def much(self, what: Named, undo: bool = False) -> Much:
        """How much that would be; an error names what is not known, or not removed."""
        return Much(*self._reading.to_remove(what.urls, what.site, undo))

    def closed(self, what: Named) -> list[str]:
        """Why a crawl that is started here would not visit this, though it is let in."""
        return self._closed([*map(host_of, what.urls), *filter(None, [what.site])])

    def remove(self, what: Named, undo: bool = False) -> Much:
        """Take it out, so that nobody finds it any more; `undo`: let the next crawl visit it."""
        much = self.much(what, undo)
        if self._folder.crawler():
            raise Locked("a crawl is running; stop it first, or wait until it ends")
        if self._folder.is_writing("crawl"):
            raise Locked("the index is being built anew; try again when that is done")
        words = [*(["--undo"] if undo else []), *(["--site", what.site] if what.site else [])]
        process = self._spawn("remove", "--yes", *words, "--", *what.urls)
        try:
            ended = process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            # Somebody must ask how a child ended, or it stays as a zombie.
            threading.Thread(target=process.wait, daemon=True).start()
            return Much(much.urls, much.pages, done=False)
        if ended:
            raise Locked(self._said())
        return much

    def _said(self) -> str:
        """Why it could not be done."""
        text = (self._folder.path / "remove.log").read_text("utf-8", "replace").strip()
        return text.rpartition("\n")[2].removeprefix("byway: ") or "it could not be removed"
