"""Readers that can be killed: pages are read in processes of their own, within limits.

No HTML parser is safe in the process that crawls: each hangs, or eats all memory, on some page.
Here such a page costs itself and its reader, and nothing else.
"""

import asyncio
import logging
import math
import os
import pickle
import socket
import subprocess
import sys
from collections import deque
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType

from byway.errors import BywayError
from byway.extract.reader import NO_MEMORY, OUT_OF_MEMORY, unpacked
from byway.extract.sites.found import load
from byway.extract.sites.rule import Rule
from byway.model import Extracted, Page
from byway.settings import ExtractSettings

log = logging.getLogger(__name__)

PAGES, BYTES = 16, 2 * 1024 * 1024
"""The most that one batch holds: enough to make the way there cheap, little to do over again."""

AHEAD = 4
"""With this few pages left, a reader gets its next batch, so that it never waits for us."""

RECYCLED = 10_000
"""Pages after which a reader is replaced, so that no leak grows old. Starting one takes 0.2 s."""

STARTING = 30.0
"""Seconds a reader may take to start: it loads modules, maybe from a slow disk."""

GRACE = 0.2
"""When time is up, an answer that lies here unread because we were busy ourselves still counts."""

LARGEST = 256 * 1024 * 1024
"""Bytes of an answer; a larger one does not come from our own code."""


class ReaderLost(BywayError):
    """A reader can read no more; the message is the reason for the page it had."""


@dataclass(slots=True)
class _Job:
    """A page that somebody waits for."""

    page: Page
    answer: asyncio.Future[Extracted] = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )

    def settle(self, extracted: Extracted) -> None:
        if not self.answer.done():
            self.answer.set_result(extracted)


class Readers:
    """Reads pages in other processes.

    async with Readers(settings.extract, settings.crawl.max_bytes) as readers:
        extracted = await readers.read(page)
    """

    def __init__(
        self, settings: ExtractSettings, max_bytes: int, rules: Path | None = None
    ) -> None:
        self._settings = settings
        self._start = (settings, max_bytes, load(rules))
        self._count = settings.workers or os.cpu_count() or 1
        self._waiting: deque[_Job] = deque()
        self._more = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []
        self._readers: list[_Reader] = []

    async def __aenter__(self) -> "Readers":
        self._readers = [_Reader(self._start) for _ in range(self._count)]
        try:
            await asyncio.gather(*(reader.start() for reader in self._readers))
        except BaseException:
            await self._stop()
            raise
        self._tasks = [asyncio.create_task(self._serve(reader)) for reader in self._readers]
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._stop()

    async def read(self, page: Page) -> Extracted:
        """What a page says, or why it could not be read."""
        job = _Job(page)
        self._waiting.append(job)
        self._more.set()
        return await job.answer

    @property
    def pids(self) -> list[int]:
        """The processes that read now."""
        return [reader.pid for reader in self._readers]

    async def _stop(self) -> None:
        await asyncio.gather(*(reader.stop() for reader in self._readers))
        for job in self._waiting:
            job.answer.cancel()
        self._waiting.clear()

    async def _serve(self, reader: "_Reader") -> None:
        """Keep one reader at work for as long as we are open."""
        under_way: deque[_Job] = deque()
        try:
            while True:
                try:
                    await self._read_one(reader, under_way)
                except ReaderLost as lost:
                    job = under_way.popleft()
                    log.warning("reader lost url=%s reason=%s", job.page.url, lost)
                    job.settle(Extracted(failed=str(lost)))
                except Exception:
                    log.exception("reading a batch failed; its pages are given up")
                    await reader.stop(wait=0)
                    while under_way:
                        under_way.popleft().settle(
                            Extracted(failed="could not be read: see the log")
                        )
        finally:
            for job in under_way:
                job.answer.cancel()

    async def _read_one(self, reader: "_Reader", under_way: deque[_Job]) -> None:
        """Have one page read. A lost reader costs the page it had; its successor gets the rest."""
        if not reader.holds:
            if not under_way:
                await self._some_waiting()
                under_way.extend(self._batch())
            await reader.send([job.page for job in under_way])
        elif reader.holds <= AHEAD and self._waiting and not reader.is_old:
            batch = self._batch()
            under_way.extend(batch)
            reader.send_ahead([job.page for job in batch])
        extracted = await reader.answer(self._settings.seconds)
        under_way.popleft().settle(extracted)
        if extracted.failed == OUT_OF_MEMORY:
            await reader.stop()

    async def _some_waiting(self) -> None:
        while not self._waiting:
            self._more.clear()
            await self._more.wait()

    def _batch(self) -> deque[_Job]:
        """What is waiting: an even share of it, and not more than a batch may hold."""
        share = min(PAGES, math.ceil(len(self._waiting) / self._count))
        batch = deque([self._waiting.popleft()])
        size = len(batch[0].page.body)
        while self._waiting and len(batch) < share:
            size += len(self._waiting[0].page.body)
            if size > BYTES:
                break
            batch.append(self._waiting.popleft())
        return batch


class _Reader:
    """One process that reads, replaced by a new one when it is lost or old."""

    def __init__(self, start: tuple[ExtractSettings, int, tuple[Rule, ...]]) -> None:
        self._start = start
        self._process: subprocess.Popen[bytes] | None = None
        self._inbox = asyncio.StreamReader()
        self._outbox: asyncio.StreamWriter | None = None
        self._size: int | None = None
        self._read = 0
        self.holds = 0
        """Pages it was sent and has not answered."""

    @property
    def pid(self) -> int:
        return self._process.pid if self._process else 0

    @property
    def is_old(self) -> bool:
        return self._read >= RECYCLED

    async def start(self) -> None:
        """Start the process and wait until it can read."""
        ours, theirs = socket.socketpair()
        with theirs:
            self._process = _spawned(theirs)
        self._inbox, self._outbox = await asyncio.open_unix_connection(sock=ours, limit=1 << 20)
        self._size, self._read = None, 0
        try:
            await self._write(pickle.dumps(self._start))
            await self._frame(STARTING)
        except (TimeoutError, OSError, EOFError, ValueError) as error:
            await self.stop()
            raise ReaderLost("its reader did not start; is extract.memory large enough?") from error

    async def send(self, pages: list[Page]) -> None:
        """Hand pages over to a reader that has none; one that is gone or old is replaced first."""
        if self.is_old or self._process is None or self._process.poll() is not None:
            await self.stop()
            await self.start()
        try:
            await self._write(pickle.dumps(pages, 5))
        except OSError as error:
            raise ReaderLost(await self._obituary()) from error
        self.holds = len(pages)

    def send_ahead(self, pages: list[Page]) -> None:
        """Hand more pages over. Nobody waits until they are sent: it may wait for us to listen."""
        assert self._outbox is not None
        frame = pickle.dumps(pages, 5)
        self._outbox.writelines((len(frame).to_bytes(4, "big"), frame))
        self.holds += len(pages)

    async def answer(self, seconds: float) -> Extracted:
        """The answer for the next page, if it comes in time."""
        try:
            frame = await self._frame(seconds)
            self._read += 1
            self.holds -= 1
            return unpacked(frame)
        except TimeoutError:
            await self.stop(wait=0)
            raise ReaderLost(f"reading it took longer than {seconds:g} s") from None
        except (OSError, EOFError) as error:
            raise ReaderLost(await self._obituary()) from error
        except (pickle.UnpicklingError, TypeError, ValueError, AttributeError) as error:
            await self.stop(wait=0)
            raise ReaderLost(f"its reader sent nonsense: {error}") from error

    async def stop(self, wait: float = 1.0) -> None:
        """Hang up, and kill the process unless it goes by itself in time."""
        process, self._process = self._process, None
        self.holds = 0
        if self._outbox is not None:
            self._outbox.transport.abort()
            self._outbox = None
        if process is not None:
            await asyncio.to_thread(_ended, process, wait)

    async def _write(self, frame: bytes) -> None:
        assert self._outbox is not None
        self._outbox.writelines((len(frame).to_bytes(4, "big"), frame))
        await self._outbox.drain()

    async def _frame(self, seconds: float) -> bytes:
        try:
            async with asyncio.timeout(seconds):
                return await self._next_frame()
        except TimeoutError:
            async with asyncio.timeout(GRACE):
                return await self._next_frame()

    async def _next_frame(self) -> bytes:
        """The next frame; called again after a timeout, it goes on where it was."""
        if self._size is None:
            self._size = int.from_bytes(await self._inbox.readexactly(4), "big")
            if self._size > LARGEST:
                raise ValueError(f"an answer of {self._size:,} bytes")
        frame = await self._inbox.readexactly(self._size)
        self._size = None
        return frame

    async def _obituary(self) -> str:
        """Why the process died, once it has."""
        process = self._process
        await self.stop()
        code = process.returncode if process else 0
        if code == NO_MEMORY:
            return OUT_OF_MEMORY
        if code is not None and code < 0:
            return f"its reader died (signal {-code})"
        return f"its reader died (exit code {code})"


def _spawned(theirs: socket.socket) -> subprocess.Popen[bytes]:
    """A reader process. In a session of its own, Ctrl-C in our terminal does not reach it."""
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "byway.extract.reader"],
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
