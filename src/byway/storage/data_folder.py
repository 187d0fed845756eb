"""Paths, write locks, generations and favicons of the data folder.

byway.toml        settings
crawl.db          hosts, URLs with their states, page versions, links
pages/*.warc.gz   every page as fetched
documents.db      the document of each page (derived from pages/)
index/            tantivy and the forward index (derived from documents.db)
generation.json   after a rebuild: the names of the live document store and index
favicons/         favicons of hosts, if enabled
rank/             PageRank arrays and reverse links (derived from crawl.db)
accounts.db       accounts, sessions, API keys, history
judged/           judged queries: queries.jsonl and qrels.tsv, if any
sites/*.toml      site rules of the user, if any
vocabulary/*.toml product vocabulary of the user, if any
verticals/        verticals of the user (Python code), if any

A generation is a document store and its index. Without generation.json, documents.db and index/
are live; next_generation.json names the generation that is being built. A new generation gets names
that were never used before and keeps them. When it is complete, next_generation.json is renamed to
generation.json. So a reader that has the old generation open never sees a part of the new one, and
a crash leaves one of the two live.
"""

import fcntl
import json
import os
import re
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from secrets import token_hex
from typing import IO

from byway.core.errors import DataError, DataLockedError, DataNotFoundError
from byway.core.files import atomic_write, sync_folder
from byway.core.messages import Damage, Message, Reason
from byway.storage.user_folder import UserFolder

LIVE_MARKER_FILE, BUILDING_MARKER_FILE = "generation.json", "next_generation.json"
FORMER_LIVE_MARKER_FILE = "built.json"
"""The former name of the live marker. A folder that has it is refused: the default names would be
taken as live, and the generation it names would be deleted as unused."""
GENERATION_FILE_PATTERN = re.compile(
    r"(documents(-[0-9a-f]{8})?\.db|index(-[0-9a-f]{8})?)(-wal|-shm)?"
)
"""Names of document stores and indexes, with the -wal and -shm files of SQLite."""


@dataclass(frozen=True, slots=True)
class Generation:
    """A document store and the index of its documents."""

    documents: Path
    index: Path


@dataclass(frozen=True, slots=True)
class DataFolder(UserFolder):
    """The data folder: everything a user needs to back up or copy."""

    path: Path

    @property
    def crawl_db(self) -> Path:
        return self.path / "crawl.db"

    @property
    def live_generation(self) -> Generation:
        """The documents and index being searched; read this only once, so that they match."""
        if generation := _read_marker(self.path / LIVE_MARKER_FILE):
            return generation
        former = self.path / FORMER_LIVE_MARKER_FILE
        if former.exists():
            raise _damaged_marker(former, Damage("older_version"))
        return Generation(self.path / "documents.db", self.path / "index")

    @property
    def building_generation(self) -> Generation | None:
        """The generation being built, perhaps by a process that was killed."""
        return _read_marker(self.path / BUILDING_MARKER_FILE)

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

    def icons(self) -> "FileIconStore":
        """The favicons, stored if the setting `crawl.favicons` is on."""
        return FileIconStore(self.path / "favicons")

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

    def begin_generation(self, new_documents: bool) -> Generation:
        """Begin a new index, and with `new_documents` a new document store, beside the live ones.

        A generation begun earlier is abandoned. This and the methods below need the `index` lock,
        and with `new_documents` the `crawl` lock too.
        """
        suffix, documents = token_hex(4), self.documents_db
        if new_documents:
            documents = self.path / f"documents-{suffix}.db"
        generation = Generation(documents, self.path / f"index-{suffix}")
        generation.index.mkdir()
        names = {"documents": generation.documents.name, "index": generation.index.name}
        with atomic_write(self.path / BUILDING_MARKER_FILE) as file:
            file.write(json.dumps(names).encode())
        self.delete_unused_generations()
        return generation

    def promote_generation(self) -> None:
        """Make the completed generation live, and delete the old one."""
        (self.path / BUILDING_MARKER_FILE).replace(self.path / LIVE_MARKER_FILE)
        sync_folder(self.path)  # before the old generation is deleted
        self.delete_unused_generations()

    def abandon_generation(self) -> None:
        """Delete the generation that is being built."""
        (self.path / BUILDING_MARKER_FILE).unlink(missing_ok=True)
        self.delete_unused_generations()

    def delete_unused_generations(self) -> None:
        """Delete generations left by a killed process: neither live nor being built."""
        generations = filter(None, (self.live_generation, self.building_generation))
        used = {path.name for each in generations for path in (each.documents, each.index)}
        for path in self.path.iterdir():
            if (match := GENERATION_FILE_PATTERN.fullmatch(path.name)) and match[1] not in used:
                if path.is_dir():
                    shutil.rmtree(path)
                else:
                    path.unlink(missing_ok=True)  # SQLite deletes -wal and -shm by itself on close

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
        """Publish why and until when the crawl is idle; an empty reason means that it is not."""
        with suppress(OSError):  # a full disk must not end the crawl
            if reason:
                stored = {"until": until, "reason": reason.to_plain()}
                self._wait_file.write_text(json.dumps(stored), "utf-8")
            else:
                self._wait_file.unlink(missing_ok=True)

    def crawl_wait(self) -> tuple[Reason, float] | None:
        """Why the running crawl is idle, and until when; None if it is not idle."""
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


class FileIconStore:
    """favicons/: one file per host; empty if the host has no favicon."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def has(self, host: str) -> bool:
        return self._path(host).exists()

    def put(self, host: str, image: bytes) -> None:
        self._folder.mkdir(exist_ok=True)
        temporary = self._path(host).with_suffix(f".{os.getpid()}.tmp")
        temporary.write_bytes(image)
        temporary.replace(self._path(host))

    def get(self, host: str) -> bytes:
        try:
            return self._path(host).read_bytes()
        except FileNotFoundError:
            return b""

    def has_image(self, host: str) -> bool:
        """Whether this host has a favicon."""
        try:
            return self._path(host).stat().st_size > 0
        except FileNotFoundError:
            return False

    def _path(self, host: str) -> Path:
        # Hashed, because a host name may not be a valid file name.
        return self._folder / blake2b(host.encode("utf-8", "replace"), digest_size=16).hexdigest()


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


def _read_marker(path: Path) -> Generation | None:
    try:
        names_by_part = json.loads(path.read_text())
        names = str(names_by_part["documents"]), str(names_by_part["index"])
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError) as error:
        raise _damaged_marker(path, str(error)) from error
    if not all(map(GENERATION_FILE_PATTERN.fullmatch, names)):
        raise _damaged_marker(path, Damage("unknown_names"))
    return Generation(path.parent / names[0], path.parent / names[1])


def _damaged_marker(path: Path, damage: Message | str) -> DataError:
    return DataError("index.damaged_generation_file", path=path, damage=damage)
