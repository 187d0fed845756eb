"""One process that reads, as its parent sees it: started, fed, listened to, and killed in time."""

import asyncio
import pickle
import socket
import subprocess
import sys
from operator import attrgetter

from byway.core.errors import BywayError
from byway.core.model import ExtractionResult, Page
from byway.core.model.message import Reason
from byway.core.settings.schema import ExtractSettings
from byway.extract.site_rules.rule import SiteRule
from byway.extract.worker.protocol import (
    OUT_OF_MEMORY,
    OUT_OF_MEMORY_EXIT_CODE,
    Channel,
    unpack_result,
)
from byway.products.vocabulary.lookup import ProductVocabulary

PAGES_PER_WORKER = 10_000
"""Pages after which a reader is replaced, so that no leak grows old. Starting one takes 0.2 s."""

START_TIMEOUT_SECONDS = 30.0
"""Seconds a reader may take to start: it loads modules, maybe from a slow disk."""

LATE_RESULT_SECONDS = 0.2
"""When time is up, an answer that lies here unread because we were busy ourselves still counts."""

PAGE_TUPLE_GETTER = attrgetter("url", "fetched_at", "status", "headers", "body", "id")
"""A page as it is handed over; the reader makes one of it again."""


class WorkerLost(BywayError):
    """A worker process is lost; `reason` is recorded for the page it had."""

    section = "reason"

    @property
    def reason(self) -> Reason:
        """What is recorded for the page."""
        return Reason(self.code, **self.params)


class Worker:
    """One process that reads, replaced by a new one when it is lost or old."""

    def __init__(
        self, start_message: tuple[ExtractSettings, int, tuple[SiteRule, ...], ProductVocabulary]
    ) -> None:
        self._start = start_message
        self._process: subprocess.Popen[bytes] | None = None
        self._line = Channel()
        self._read = 0
        self.pending_pages = 0
        """Pages it was sent and has not answered."""

    @property
    def pid(self) -> int:
        return self._process.pid if self._process else 0

    @property
    def needs_restart(self) -> bool:
        return self._read >= PAGES_PER_WORKER

    async def start(self) -> None:
        """Start the process and wait until it can read."""
        ours, theirs = socket.socketpair()
        with theirs:
            self._process = _spawned(theirs)
        self._line, self._read = await Channel.connect(ours), 0
        try:
            self._line.send(pickle.dumps(self._start))
            await self._line.receive_frame(START_TIMEOUT_SECONDS)
        except (TimeoutError, EOFError, ValueError) as error:
            await self.stop()
            raise WorkerLost("worker_not_started") from error

    async def send(self, pages: list[Page]) -> None:
        """Hand pages over to a reader that has none; one that is gone or old is replaced first."""
        if self.needs_restart or self._process is None or self._process.poll() is not None:
            await self.stop()
            await self.start()
        self.send_ahead(pages)

    def send_ahead(self, pages: list[Page]) -> None:
        """Hand more pages over to a reader that is at work."""
        # As tuples: what dataclasses do to be pickled takes as long as all the rest.
        self._line.send(pickle.dumps(list(map(PAGE_TUPLE_GETTER, pages)), 5))
        self.pending_pages += len(pages)

    async def receive_result(self, seconds: float) -> ExtractionResult:
        """The answer for the next page, if it comes in time."""
        try:
            frame = await self._frame(seconds)
            self._read += 1
            self.pending_pages -= 1
            return unpack_result(frame)
        except TimeoutError:
            await self.stop(wait=0)
            raise WorkerLost("extract_timeout", limit=seconds) from None
        except EOFError as error:
            raise await self._obituary() from error
        except (pickle.UnpicklingError, TypeError, ValueError, AttributeError) as error:
            await self.stop(wait=0)
            raise WorkerLost("worker_invalid_answer", detail=str(error)) from error

    async def stop(self, wait: float = 1.0) -> None:
        """Hang up, and kill the process unless it goes by itself in time."""
        process, self._process = self._process, None
        self.pending_pages = 0
        self._line.close()
        if process is not None:
            await asyncio.to_thread(_ended, process, wait)

    async def _frame(self, seconds: float) -> bytes:
        try:
            return await self._line.receive_frame(seconds)
        except TimeoutError:
            return await self._line.receive_frame(LATE_RESULT_SECONDS)

    async def _obituary(self) -> WorkerLost:
        """Why the process died, once it has."""
        process = self._process
        await self.stop()
        code = process.returncode if process else 0
        if code == OUT_OF_MEMORY_EXIT_CODE:
            return WorkerLost(OUT_OF_MEMORY.code)
        if code is not None and code < 0:
            return WorkerLost("worker_killed", signal=-code)
        return WorkerLost("worker_died", exit_code=code)


def _spawned(theirs: socket.socket) -> subprocess.Popen[bytes]:
    """A reader process. In a session of its own, Ctrl-C in our terminal does not reach it."""
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "byway.extract.worker.child"],
        stdin=theirs.fileno(),
        stdout=subprocess.DEVNULL,
        start_new_session=True,
    )


def _ended(process: subprocess.Popen[bytes], wait: float) -> None:
    try:
        process.wait(wait)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
