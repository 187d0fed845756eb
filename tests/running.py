"""`byway up` as a process of its own, with everything it starts, to be killed at any moment."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar
from urllib.request import urlopen

from pace import WAIT_TIMEOUT_SECONDS

from byway.storage.sqlite.crawl_db.schema import open_to_read


class UpProcess:
    """One run of `byway up`."""

    command = "up"

    def __init__(self, data: Path, *options: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "byway", self.command, "--data", data, "--port", "0", *options],
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        assert self._process.stderr
        line = self._process.stderr.readline()
        assert line.startswith("Search at "), line
        self.url = line.split()[2]

    def status(self) -> dict[str, Any]:
        """What the search page's server says of the crawl."""
        with urlopen(f"{self.url}api/v1/status", timeout=WAIT_TIMEOUT_SECONDS) as reply:
            status: dict[str, Any] = json.load(reply)
        return status

    def health(self) -> dict[str, Any]:
        """What its health check says."""
        with urlopen(f"{self.url}healthz", timeout=WAIT_TIMEOUT_SECONDS) as reply:
            health: dict[str, Any] = json.load(reply)
        return health

    def invitation(self) -> str:
        """The path of the page where the first admin registers, which the second line names."""
        assert self._process.stderr
        return "/" + self._process.stderr.readline().split()[-1].removeprefix(self.url)

    def search(self, text: str) -> dict[str, Any]:
        """What it answers."""
        with urlopen(
            f"{self.url}api/v1/search?q={text}&limit=100", timeout=WAIT_TIMEOUT_SECONDS
        ) as reply:
            results: dict[str, Any] = json.load(reply)
        return results

    def wait_until_done(self) -> dict[str, Any]:
        """Return when the crawl is over."""
        end = time.monotonic() + WAIT_TIMEOUT_SECONDS
        while time.monotonic() < end:
            status = self.status()
            if status["pages"] and not status["crawling"]:
                return status
            time.sleep(0.1)
        raise TimeoutError(f"still not done: {self.status()}")

    def wait_until_indexed(self) -> None:
        """Return when all that was kept can be found."""
        pages = self.wait_until_done()["pages"]
        end = time.monotonic() + WAIT_TIMEOUT_SECONDS
        while (indexed := self.status()["indexed"]) < pages:
            assert time.monotonic() < end, f"{indexed} of {pages} pages are findable"
            time.sleep(0.1)

    def kill_all(self) -> None:
        """kill -9 for the process and all it has started, as near to one moment as can be."""
        for pid in [self._process.pid, *_descendants(self._process.pid)]:
            _kill(pid)
        self._end()

    def child_pids(self) -> list[int]:
        """The numbers of the processes that it has started."""
        return _descendants(self._process.pid)

    def kill_parent(self) -> list[int]:
        """kill -9 for the first process alone; return the others' numbers."""
        others = self.child_pids()
        _kill(self._process.pid)
        self._end()
        return others

    def interrupt(self) -> int:
        """Ctrl-C: the whole process group gets the signal; return the exit code."""
        os.killpg(self._process.pid, signal.SIGINT)
        return self._end()

    def send_signal(self, number: int) -> None:
        """This signal, for the first process alone."""
        self._process.send_signal(number)

    def _end(self) -> int:
        code = self._process.wait(WAIT_TIMEOUT_SECONDS)
        assert self._process.stderr
        self._process.stderr.close()
        return code


class ServeProcess(UpProcess):
    """One run of `byway serve`."""

    command = "serve"


@contextmanager
def run_up(data: Path, *options: str) -> Iterator[UpProcess]:
    """`byway up`, gone at the end of the block whatever happens in it."""
    with _killed_at_end(UpProcess(data, *options)) as run:
        yield run


@contextmanager
def run_serve(data: Path, *options: str) -> Iterator[ServeProcess]:
    """`byway serve`, gone at the end of the block whatever happens in it."""
    with _killed_at_end(ServeProcess(data, *options)) as run:
        yield run


Run = TypeVar("Run", bound=UpProcess)


@contextmanager
def _killed_at_end(run: Run) -> Iterator[Run]:
    try:
        yield run
    finally:
        if run._process.poll() is None:
            run.kill_all()


def recorded_pages(data: Path) -> list[tuple[int, str]]:
    """The pages that crawl.db has: their sequence numbers and URLs."""
    with closing(open_to_read(data / "crawl.db")) as db:
        return query_rows(db, "select sequence, url from page_version join url on id = url_id")


def query_rows(db: sqlite3.Connection, sql: str) -> list[Any]:
    """All rows of a query."""
    return db.execute(sql).fetchall()


def is_alive(pid: int) -> bool:
    """Is this process still there, and more than a zombie?"""
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except FileNotFoundError:
        return False


def _descendants(pid: int) -> list[int]:
    children = [
        int(child)
        for task in Path(f"/proc/{pid}/task").glob("*/children")
        for child in task.read_text().split()
    ]
    return children + [deeper for child in children for deeper in _descendants(child)]


def _kill(pid: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
