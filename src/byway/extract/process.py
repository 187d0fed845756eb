"""One process that reads, as its parent sees it: started, fed, listened to, and killed in time."""

import asyncio
import pickle
import socket
import subprocess
import sys

from byway.errors import BywayError
from byway.extract.answer import NO_MEMORY, OUT_OF_MEMORY, unpacked
from byway.extract.sites.rule import Rule
from byway.model import Extracted, Page
from byway.products.vocabulary import Vocabulary
from byway.settings import ExtractSettings

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


class Reader:
    """One process that reads, replaced by a new one when it is lost or old."""

    def __init__(self, start: tuple[ExtractSettings, int, tuple[Rule, ...], Vocabulary]) -> None:
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
