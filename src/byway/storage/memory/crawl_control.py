"""Reference crawl control in memory, for the threads of one process."""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from byway.core.errors import DataLockedError
from byway.core.messages import Reason


class MemoryCrawlControl:
    """Locks and pause marks in dicts; a lock belongs to the thread that took it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._holders: dict[str, int] = {}
        self._taking = threading.Lock()
        self._paused: set[str] = set()
        self._wait: tuple[Reason, float] | None = None

    @contextmanager
    def write_lock(self, resource: str) -> Iterator[None]:
        with self._taking:
            if resource in self._holders:
                raise DataLockedError(f"storage.{resource}_locked", path=self.path, pid=os.getpid())
            self._holders[resource] = threading.get_ident()
        try:
            yield
        finally:
            del self._holders[resource]

    def is_locked(self, resource: str) -> bool:
        return resource in self._holders

    def require_unlocked(self, *resources: str) -> None:
        for one in resources:
            with self.write_lock(one):
                pass

    def writer_pid(self, resource: str) -> int | None:
        return os.getpid() if self.is_locked(resource) else None

    def crawler_pid(self) -> int | None:
        holder = self._holders.get("crawl")
        is_rebuild = holder is not None and holder == self._holders.get("index")
        return None if is_rebuild else self.writer_pid("crawl")

    def require_no_crawl(self) -> None:
        if process := self.crawler_pid():
            raise DataLockedError("storage.crawl_running", path=self.path, pid=process)

    def set_paused(self, paused: bool, job: str = "") -> None:
        (self._paused.add if paused else self._paused.discard)(job)

    def is_paused(self, job: str = "") -> bool:
        return job in self._paused

    def paused_jobs(self) -> frozenset[str]:
        return frozenset(self._paused - {""})

    def set_crawl_wait(self, reason: Reason, until: float) -> None:
        self._wait = (reason, until) if reason else None

    def crawl_wait(self) -> tuple[Reason, float] | None:
        return self._wait if self.crawler_pid() else None
