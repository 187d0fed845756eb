"""Parent side of a worker process: starts it, sends pages, receives results, kills it in time."""

import asyncio
import pickle
import socket
import subprocess
import sys
import time
from operator import attrgetter

from byway.core.errors import BywayError
from byway.core.model import ExtractionResult, Page, ProcessState, RunState
from byway.core.model.message import Reason
from byway.core.settings.schema import ExtractSettings
from byway.core.verticals import VerticalLoader
from byway.extract.site_rules.rule import SiteRule
from byway.extract.worker.protocol import (
    OUT_OF_MEMORY,
    OUT_OF_MEMORY_EXIT_CODE,
    Channel,
    unpack_result,
)

PAGES_PER_WORKER = 10_000
"""Pages after which a worker is replaced to limit leaks. Starting one takes 0.2 s."""

START_TIMEOUT_SECONDS = 30.0
"""Seconds a worker may take to start: it loads modules, maybe from a slow disk."""

LATE_RESULT_SECONDS = 0.2
"""Grace period in seconds for a result that arrived but was not yet read by the busy parent."""

PAGE_TUPLE_GETTER = attrgetter("url", "fetched_at", "status", "headers", "body", "id")
"""Turns a page into the tuple sent to the worker."""


class WorkerLost(BywayError):
    """A worker process was lost; `reason` is recorded for its page."""

    section = "reason"

    @property
    def reason(self) -> Reason:
        """The reason recorded for the page."""
        return Reason(self.code, **self.params)


class Worker:
    """One worker process, replaced by a new one when it is lost or old."""

    def __init__(
        self, start_message: tuple[ExtractSettings, int, tuple[SiteRule, ...], VerticalLoader]
    ) -> None:
        self._start_message = start_message
        self._process: subprocess.Popen[bytes] | None = None
        self._channel = Channel()
        self._result_count = 0
        self._running_since = 0.0
        self._losses = 0
        self._exit_code: int | None = None
        self.pending_pages = 0
        """Pages sent that have no result yet."""

    @property
    def pid(self) -> int:
        return self._process.pid if self._process else 0

    @property
    def needs_restart(self) -> bool:
        return self._result_count >= PAGES_PER_WORKER

    @property
    def has_died(self) -> bool:
        return self._process is not None and self._process.poll() is not None

    def state(self, name: str) -> ProcessState:
        """The state of the process; only the replacement of a lost one counts as a restart."""
        running = RunState.RUNNING if self._process else RunState.RESTARTING
        return ProcessState(
            name, running, self.pid, self._running_since, self._losses, self._exit_code
        )

    async def start(self) -> None:
        """Start the process and wait until it is ready."""
        parent_socket, child_socket = socket.socketpair()
        with child_socket:
            self._process = _spawn(child_socket)
        self._channel, self._result_count = await Channel.connect(parent_socket), 0
        self._running_since = time.time()
        try:
            self._channel.send(pickle.dumps(self._start_message))
            await self._channel.receive_frame(START_TIMEOUT_SECONDS)
        except (TimeoutError, EOFError, ValueError) as error:
            await self.stop()
            raise WorkerLost("worker_not_started") from error

    async def send(self, pages: list[Page]) -> None:
        """Send pages to an idle worker; a dead or old process is replaced first."""
        if self.needs_restart or self._process is None or self.has_died:
            await self.stop()
            await self.start()
        self.send_ahead(pages)

    def send_ahead(self, pages: list[Page]) -> None:
        """Send more pages to a busy worker."""
        # As tuples: pickling dataclasses takes as long as everything else.
        self._channel.send(pickle.dumps(list(map(PAGE_TUPLE_GETTER, pages)), 5))
        self.pending_pages += len(pages)

    async def receive_result(self, seconds: float) -> ExtractionResult:
        """The result for the next page, if it arrives in time."""
        try:
            frame = await self._receive_frame(seconds)
            self._result_count += 1
            self.pending_pages -= 1
            return unpack_result(frame)
        except TimeoutError:
            await self.stop(wait=0)
            raise WorkerLost("extract_timeout", limit=seconds) from None
        except EOFError as error:
            raise await self._death_error() from error
        except (pickle.UnpicklingError, TypeError, ValueError, AttributeError) as error:
            await self.stop(wait=0)
            raise WorkerLost("worker_invalid_answer", detail=str(error)) from error

    async def stop(self, wait: float = 1.0) -> None:
        """Close the channel, and kill the process unless it ends in time."""
        process, self._process = self._process, None
        self.pending_pages = 0
        self._channel.close()
        if process is not None:
            is_lost = process.poll() is not None or wait == 0
            await asyncio.to_thread(_wait_or_kill, process, wait)
            if is_lost or process.returncode:
                self._losses += 1
                self._exit_code = process.returncode

    async def _receive_frame(self, seconds: float) -> bytes:
        try:
            return await self._channel.receive_frame(seconds)
        except TimeoutError:
            return await self._channel.receive_frame(LATE_RESULT_SECONDS)

    async def _death_error(self) -> WorkerLost:
        """The error for a dead process, once it has ended."""
        process = self._process
        await self.stop()
        code = process.returncode if process else 0
        if code == OUT_OF_MEMORY_EXIT_CODE:
            return WorkerLost(OUT_OF_MEMORY.code)
        if code is not None and code < 0:
            return WorkerLost("worker_killed", signal=-code)
        return WorkerLost("worker_died", exit_code=code)


def _spawn(child_socket: socket.socket) -> subprocess.Popen[bytes]:
    """A worker process in its own session, out of reach of Ctrl-C in the terminal."""
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "byway.extract.worker.child"],
        stdin=child_socket.fileno(),
        stdout=subprocess.DEVNULL,
        start_new_session=True,
    )


def _wait_or_kill(process: subprocess.Popen[bytes], wait: float) -> None:
    try:
        process.wait(wait)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
