"""Worker process as its parent sees it: frames over a socket pair, results, time limits.

The channel is an asyncio transport: with asyncio streams, each result took three times as long.
"""

import asyncio
import pickle
import socket
import subprocess
import sys
import time
from collections import deque
from io import BytesIO
from operator import attrgetter
from typing import Any, cast

from byway.core.errors import BywayError
from byway.core.messages import NO_REASON, Reason
from byway.core.model import ExtractionResult, Link, Page, ProcessState, RunState
from byway.core.model.document import pack
from byway.core.settings.schema import ExtractSettings
from byway.core.verticals import VerticalLoader
from byway.extract.site_rules.rule import SiteRule

PAGES_PER_WORKER = 10_000
"""Pages after which a worker is replaced to limit leaks. Starting one takes 0.2 s."""

START_TIMEOUT_SECONDS = 30.0
"""Seconds a worker may take to start: it loads modules, maybe from a slow disk."""

LATE_RESULT_SECONDS = 0.2
"""Grace period in seconds for a result that has arrived but is not read yet by the busy parent."""

PAGE_TUPLE_GETTER = attrgetter("url", "fetched_at", "status", "headers", "body", "id")
"""Turns a page into the tuple sent to the worker."""
FRAME_HEADER_BYTES = 4
"""Bytes of the length prefix of a frame."""
MAX_FRAME_BYTES = 256 * 1024 * 1024
"""Maximum size of a result; our own code never sends more."""
MAX_UNREAD_FRAMES = 64
"""Unread frames after which reading from the socket is paused."""
OUT_OF_MEMORY = Reason("out_of_memory")
OUT_OF_MEMORY_EXIT_CODE = 12
"""Exit code of a worker that has no memory left for a result: ENOMEM."""


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
    """Start a worker process in its own session, which Ctrl-C in the terminal does not reach."""
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


class Channel(asyncio.Protocol):
    """One end of a socket pair that sends and receives frames."""

    def __init__(self) -> None:
        self._transport: asyncio.Transport | None = None
        self._received = bytearray()
        self._frames: deque[bytes] = deque()
        self._waiter: asyncio.Future[None] | None = None
        self._oversize = 0
        """The length of an oversized frame."""

    @classmethod
    async def connect(cls, sock: socket.socket) -> "Channel":
        """A channel over this socket; it takes ownership."""
        loop = asyncio.get_running_loop()
        _, channel = await loop.create_unix_connection(cls, sock=sock)
        return channel

    def send(self, frame: bytes) -> None:
        """Send a frame without waiting: the other side may be waiting for us to read."""
        if self._transport:
            self._transport.writelines((len(frame).to_bytes(FRAME_HEADER_BYTES, "big"), frame))

    async def receive_frame(self, seconds: float) -> bytes:
        """The next frame; raises `TimeoutError` if late, `EOFError` if the channel is closed."""
        while not self._frames:
            if self._oversize:
                raise ValueError(f"an answer of {self._oversize:,} bytes")
            if self._transport is None:
                raise EOFError
            await self._wait_for_frame(seconds)
        if len(self._frames) == MAX_UNREAD_FRAMES and self._transport:
            self._transport.resume_reading()
        return self._frames.popleft()

    def close(self) -> None:
        """Close the channel at once."""
        if self._transport:
            self._transport.abort()

    # Event loop callbacks.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)  # uvloop's transport is not a subclass

    def data_received(self, data: bytes) -> None:
        self._received += data
        while (frame := self._next_frame()) is not None:
            self._frames.append(frame)
        if self._transport and (self._oversize or len(self._frames) >= MAX_UNREAD_FRAMES):
            self._transport.pause_reading()
        if self._frames or self._oversize:  # a partial frame does not extend the timeout
            self._wake()

    def connection_lost(self, error: Exception | None) -> None:
        self._transport = None
        self._wake()

    def _next_frame(self) -> bytes | None:
        """The first received frame, if it is complete."""
        if len(self._received) < FRAME_HEADER_BYTES:
            return None
        size = int.from_bytes(self._received[:FRAME_HEADER_BYTES], "big")
        if size > MAX_FRAME_BYTES:
            self._oversize = size
            return None
        if len(self._received) < FRAME_HEADER_BYTES + size:
            return None
        frame = bytes(self._received[FRAME_HEADER_BYTES : FRAME_HEADER_BYTES + size])
        del self._received[: FRAME_HEADER_BYTES + size]
        return frame

    async def _wait_for_frame(self, seconds: float) -> None:
        loop = asyncio.get_running_loop()
        waiter = self._waiter = loop.create_future()
        timer = loop.call_later(seconds, _time_out, waiter)
        try:
            await waiter
        finally:
            timer.cancel()
            self._waiter = None

    def _wake(self) -> None:
        if self._waiter and not self._waiter.done():
            self._waiter.set_result(None)


def _time_out(waiter: asyncio.Future[None]) -> None:
    if not waiter.done():
        waiter.set_exception(TimeoutError())


# Result format: a pickle of plain values, since a compromised worker is not trusted.


def pack_result(extracted: ExtractionResult) -> bytes:
    """Pack a result into bytes. Links are packed as columns, which takes half the time."""
    document = extracted.document
    links = list(zip(*extracted.links, strict=True))
    body = pack(document) if document else b""
    failure = (extracted.failure.code, extracted.failure.dump_params())
    flags = (failure, extracted.may_index, extracted.follow_links)
    other_values = (extracted.digest, extracted.feeds, extracted.prefix_simhash)
    return pickle.dumps((flags, other_values, links, body), 5)


def unpack_result(frame: bytes) -> ExtractionResult:
    """Unpack a result; only plain values, since a worker may be compromised."""
    (failed, keep, follow), other_values, columns, body = _PlainUnpickler(BytesIO(frame)).load()
    links = tuple(map(Link, *columns)) if columns else ()
    failure = Reason.load(*failed) if failed[0] else NO_REASON
    return ExtractionResult(None, body, links, follow, keep, failure, *other_values)


class _PlainUnpickler(pickle.Unpickler):
    """Unpickles only numbers, strings and containers of them, never code."""

    def find_class(self, module: str, name: str) -> Any:
        raise pickle.UnpicklingError(f"a reader sent a {module}.{name}")
