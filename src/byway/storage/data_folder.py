"""Paths and write locks of the data folder.

byway.toml        settings
crawl.db          hosts, URLs with their states, page versions, links
pages/*.warc.gz   every page as fetched
documents.db      the document of each page (derived from pages/)
index/            tantivy and the forward index (derived from documents.db)
generation.json   names of the live documents and index after a rebuild
favicons/         favicons of hosts, if enabled
rank/             PageRank arrays and reverse links (derived from crawl.db)
accounts.db       accounts, sessions, API keys, history
judged/           judged queries: queries.jsonl and qrels.tsv, if any
sites/*.toml      site rules of the user, if any
vocabulary/*.toml product vocabulary of the user, if any
verticals/        verticals of the user (Python code), if any
"""

import fcntl
import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from byway.core.errors import DataError, DataLockedError, DataNotFoundError
from byway.core.model.message import Reason
from byway.storage import generations
from byway.storage.generations import Generation
from byway.storage.user_folder import UserFolder


@dataclass(frozen=True, slots=True)
class DataFolder(UserFolder):
    """The data folder: everything a user needs to back up or copy."""

    path: Path

    @property
    def crawl_db(self) -> Path:
        return self.path / "crawl.db"

    @property
    def live_generation(self) -> Generation:
        """The documents and index being searched; read this once, so that the two match."""
        return generations.live_generation(self.path)

    @property
    def building_generation(self) -> Generation | None:
        """The generation that a rebuild is writing, if any."""
        return generations.building_generation(self.path)

    @property
    def documents_db(self) -> Path:
        return self.live_generation.documents

    @property
    def accounts_db(self) -> Path:
        return self.path / "accounts.db"

    @property
    def pages(self) -> Path:
        return self.path / "pages"

    @property
    def index(self) -> Path:
        return self.live_generation.index

    @property
    def rank(self) -> Path:
        return self.path / "rank"

    @property
    def favicons(self) -> Path:
        """The favicon folder, used if the setting `crawl.favicons` is on."""
        return self.path / "favicons"

    def create_folders(self) -> None:
        """Create the data folder and its subfolders."""
        try:
            for path in (self.path, self.pages, self.rank):
                path.mkdir(parents=True, exist_ok=True)
            self.index.mkdir(exist_ok=True)
        except OSError as error:
            raise DataError(
                "storage.cannot_create", path=self.path, detail=error.strerror
            ) from error
        if not os.access(self.path, os.W_OK | os.X_OK):
            raise DataError("storage.may_not_write", path=self.path)

    def has_data(self) -> bool:
        return self.crawl_db.exists()

    def require_data(self) -> None:
        """Raise `DataError` if there is no data here or it is unreadable."""
        try:
            exists = self.has_data()
        except OSError as error:
            raise DataError("storage.cannot_read", path=self.path, detail=error.strerror) from error
        if not exists:
            raise DataNotFoundError("storage.no_data", path=self.path)
        if not os.access(self.crawl_db, os.R_OK):
            raise DataError("storage.may_not_read", path=self.crawl_db)

    @contextmanager
    def write_lock(self, resource: str) -> Iterator[None]:
        """Hold the write lock of `resource` ("crawl", "index"); a second writer is refused."""
        path = self.path / f"{resource}.lock"
        try:
            handle = path.open("a+")
        except OSError as error:
            raise DataError("storage.cannot_write", path=path, detail=error.strerror) from error
        with handle:
            if not _take_lock(handle):
                handle.seek(0)
                raise DataLockedError(
                    f"storage.{resource}_locked", path=self.path, pid=handle.read().strip() or "?"
                )
            handle.truncate(0)
            handle.write(str(os.getpid()))
            handle.flush()
            yield

    def set_paused(self, paused: bool, job: str = "") -> None:
        """Pause or resume the crawl in this folder, or only one of its jobs."""
        pause_file = self._pause_file(job)
        if paused:
            pause_file.touch()
        else:
            pause_file.unlink(missing_ok=True)

    def is_paused(self, job: str = "") -> bool:
        """Whether the crawl, or this job, is paused."""
        return self._pause_file(job).exists()

    def paused_jobs(self) -> frozenset[str]:
        """The names of paused jobs."""
        return frozenset(path.suffix[1:] for path in self.path.glob("crawl.paused.*"))

    def set_crawl_wait(self, reason: Reason, until: float) -> None:
        """Tell other processes why the crawl is idle, and until when; empty if it is not."""
        with suppress(OSError):  # a full disk must not end the crawl
            if reason:
                stored = {"until": until, "reason": reason.to_plain()}
                self._wait_file.write_text(json.dumps(stored), "utf-8")
            else:
                self._wait_file.unlink(missing_ok=True)

    def crawl_wait(self) -> tuple[Reason, float] | None:
        """Why the running crawl is idle, and until when; None if it is not."""
        try:
            stored = json.loads(self._wait_file.read_text("utf-8"))
            reason = Reason.from_plain(stored["reason"]["code"], stored["reason"]["params"])
            return (reason, float(stored["until"])) if self.crawler_pid() else None
        except (FileNotFoundError, ValueError, KeyError, TypeError):  # absent, or half written
            return None

    @property
    def _wait_file(self) -> Path:
        return self.path / "crawl.waiting"

    def _pause_file(self, job: str) -> Path:
        return self.path / (f"crawl.paused.{job}" if job else "crawl.paused")

    def writer_pid(self, resource: str) -> int | None:
        """The id of the process writing `resource`; None if there is none."""
        if not self.is_locked(resource):
            return None
        text = (self.path / f"{resource}.lock").read_text().strip()
        return int(text) if text.isdigit() else None

    def crawler_pid(self) -> int | None:
        """The process id of the crawl; a rebuild also holds both locks but does not crawl."""
        process = self.writer_pid("crawl")
        return None if process == self.writer_pid("index") else process

    def require_no_crawl(self) -> None:
        """Raise `DataLockedError` while a crawl is running."""
        if process := self.crawler_pid():
            raise DataLockedError("storage.crawl_running", path=self.path, pid=process)

    def require_unlocked(self, *resources: str) -> None:
        """Raise `DataLockedError` if another process is writing one of these resources."""
        for one in resources:
            with self.write_lock(one):
                pass

    def is_locked(self, resource: str) -> bool:
        """Whether a process is writing `resource` now."""
        try:
            with (self.path / f"{resource}.lock").open("rb") as handle:
                fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except FileNotFoundError:
            return False
        except OSError:
            return True
        return False


def _take_lock(handle: IO[str]) -> bool:
    """Take the lock; retry, because `is_locked` holds it briefly."""
    for _ in range(10):
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            time.sleep(0.03)
        else:
            return True
    return False
