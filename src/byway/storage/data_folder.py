"""Where is what in the data folder, and who may write to it?

byway.toml        settings
crawl.db          hosts, URLs with their states, page versions, links
pages/*.warc.gz   every page as it came
documents.db      what each page says (can be made anew from pages/)
index/            tantivy and the forward file (can be made anew from documents.db)
generation.json   which documents and index are asked, once they were built anew: see `built`
icons/            favicons of hosts, if they are wanted
rank/             PageRank arrays, links turned round (can be made anew from crawl.db)
accounts.db       who may log in, and what each has asked (nobody's, until somebody serves)
judged/           judged queries: queries.jsonl and qrels.tsv, if somebody judged any
sites/*.toml      rules for particular sites, if the user has written any
vocabulary/*.toml words for goods, if the user has written any
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

from byway.core.errors import DataError, DataLockedError, DataNotFoundError, SettingsError
from byway.core.model.message import Reason
from byway.index.disk import generations as built
from byway.index.disk.generations import Generation

MAX_VOCABULARY_BYTES = 1_000_000
"""Bytes of a file of words."""


@dataclass(frozen=True, slots=True)
class DataFolder:
    """The data folder: one of these is all that a user must keep or copy."""

    path: Path

    @property
    def settings_file(self) -> Path:
        return self.path / "byway.toml"

    @property
    def crawl_db(self) -> Path:
        return self.path / "crawl.db"

    @property
    def live_generation(self) -> Generation:
        """The documents and the index that are asked; ask once for both, to get a pair."""
        return built.live_generation(self.path)

    @property
    def building_generation(self) -> Generation | None:
        """Those that are being built to take their place, if any are."""
        return built.building_generation(self.path)

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
    def site_rules(self) -> Path:
        """Rules for particular sites that the user has written, if any."""
        return self.path / "sites"

    def read_vocabulary(self) -> dict[str, str]:
        """What goods are called, as far as the user has written it down: files by their names."""
        texts = {}
        for path in sorted((self.path / "vocabulary").glob("*.toml")):
            try:
                if path.stat().st_size > MAX_VOCABULARY_BYTES:
                    raise SettingsError(
                        f"{path} is larger than {MAX_VOCABULARY_BYTES:,} bytes; split it"
                    )
                texts[str(path)] = path.read_text("utf-8")
            except UnicodeDecodeError as error:
                raise SettingsError(f"{path} is not UTF-8; save the file as UTF-8") from error
            except OSError as error:
                raise SettingsError(f"{path} cannot be read: {error.strerror}") from error
        return texts

    @property
    def judged_queries(self) -> Path:
        """Queries whose answers somebody judged, if any, as `byway eval` reads them."""
        return self.path / "judged"

    @property
    def rank(self) -> Path:
        return self.path / "rank"

    @property
    def icons(self) -> Path:
        """The favicons of hosts, if the setting `crawl.favicons` is on."""
        return self.path / "icons"

    def create(self) -> None:
        """Make the folder and what is in it from the start."""
        try:
            for path in (self.path, self.pages, self.rank):
                path.mkdir(parents=True, exist_ok=True)
            self.index.mkdir(exist_ok=True)
        except OSError as error:
            raise DataError(f"cannot make the data folder {self.path}: {error.strerror}") from error
        if not os.access(self.path, os.W_OK | os.X_OK):
            raise DataError(f"cannot write to the data folder {self.path}: permission denied")

    def require_data(self) -> None:
        """Say what to do when there is no data here yet, or it may not be read."""
        try:
            known = self.crawl_db.exists()
        except OSError as error:
            raise DataError(f"cannot read the data folder {self.path}: {error.strerror}") from error
        if not known:
            raise DataNotFoundError(
                f"no data in {self.path}; start with `byway up URL`, or name the folder with --data"
            )
        if not os.access(self.crawl_db, os.R_OK):
            raise DataError(f"cannot read {self.crawl_db}: permission denied")

    @contextmanager
    def write_lock(self, resource: str) -> Iterator[None]:
        """Hold the right to write `resource` ("crawl", "index"); a second writer is refused."""
        path = self.path / f"{resource}.lock"
        try:
            handle = path.open("a+")
        except OSError as error:
            raise DataError(f"cannot write to {path}: {error.strerror}") from error
        with handle:
            if not _locked(handle):
                handle.seek(0)
                pid = handle.read().strip() or "unknown"
                raise DataLockedError(
                    f"another byway (process {pid}) is writing the {resource} in {self.path}; "
                    "wait for it or stop it, or use another folder with --data"
                )
            handle.truncate(0)
            handle.write(str(os.getpid()))
            handle.flush()
            yield

    def set_paused(self, paused: bool, job: str = "") -> None:
        """Have the crawl in this folder, or only one of its jobs, hold still or go on."""
        mark = self._mark(job)
        if paused:
            mark.touch()
        else:
            mark.unlink(missing_ok=True)

    def is_paused(self, job: str = "") -> bool:
        """Has somebody asked the crawl, or only this job, to hold still?"""
        return self._mark(job).exists()

    def paused_jobs(self) -> frozenset[str]:
        """The jobs that somebody has asked to hold still."""
        return frozenset(path.suffix[1:] for path in self.path.glob("crawl.paused.*"))

    def set_crawl_wait(self, reason: Reason, until: float) -> None:
        """Tell other processes why the crawl can do nothing until then; empty: it can."""
        with suppress(OSError):  # a disk that is full is no reason to end a crawl
            if reason:
                stored = {"until": until, "reason": reason.to_plain()}
                self._waiting.write_text(json.dumps(stored), "utf-8")
            else:
                self._waiting.unlink(missing_ok=True)

    def crawl_wait(self) -> tuple[Reason, float] | None:
        """Why the crawl that runs can do nothing, and until when; None if it can."""
        try:
            stored = json.loads(self._waiting.read_text("utf-8"))
            reason = Reason.from_plain(stored["reason"]["code"], stored["reason"]["params"])
            return (reason, float(stored["until"])) if self.crawler_pid() else None
        except (FileNotFoundError, ValueError, KeyError, TypeError):  # not there, or half written
            return None

    @property
    def _waiting(self) -> Path:
        return self.path / "crawl.waiting"

    def _mark(self, job: str) -> Path:
        return self.path / (f"crawl.paused.{job}" if job else "crawl.paused")

    def writer_pid(self, resource: str) -> int | None:
        """The process that is writing `resource`; None if there is none."""
        if not self.is_locked(resource):
            return None
        text = (self.path / f"{resource}.lock").read_text().strip()
        return int(text) if text.isdigit() else None

    def crawler_pid(self) -> int | None:
        """The process that crawls; who makes documents anew only keeps others from crawling."""
        process = self.writer_pid("crawl")
        return None if process == self.writer_pid("index") else process

    def require_no_crawl(self) -> None:
        """Refuse while a crawl runs, and say how to end it."""
        if process := self.crawler_pid():
            raise DataLockedError(
                f"a crawl (process {process}) is running in {self.path}; wait until it ends, or "
                f"stop it: `byway stop --data {self.path}`, or *Stop the crawl* on the admin page; "
                "`byway up` then serves on"
            )

    def require_unlocked(self, *resources: str) -> None:
        """Refuse at once when another process is writing one of these."""
        for one in resources:
            with self.write_lock(one):
                pass

    def is_locked(self, resource: str) -> bool:
        """Is some process writing `resource` right now?"""
        try:
            with (self.path / f"{resource}.lock").open("rb") as handle:
                fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except FileNotFoundError:
            return False
        except OSError:
            return True
        return False


def _locked(handle: IO[str]) -> bool:
    """Take the lock; who only looks whether it is taken has it for a moment, so ask twice."""
    for _ in range(10):
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            time.sleep(0.03)
        else:
            return True
    return False
