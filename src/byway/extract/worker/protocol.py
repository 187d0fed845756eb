"""The line to a reader: frames go out, and what comes back is cut into frames again.

Written on a transport of asyncio itself: its streams took three times the time for each answer.
"""

import asyncio
import pickle
import socket
from collections import deque
from io import BytesIO
from typing import Any, cast

from byway.core.model import ExtractionResult, Link
from byway.core.model.codec import pack
from byway.core.model.message import NO_REASON, Reason

FRAME_HEADER_BYTES = 4
"""Bytes that say how long a frame is."""

MAX_FRAME_BYTES = 256 * 1024 * 1024
"""Bytes of an answer; a larger one does not come from our own code."""

MAX_UNREAD_FRAMES = 64
"""Frames that may lie here unread; then whoever sends them has to wait."""


class Channel(asyncio.Protocol):
    """One end of a socket pair."""

    def __init__(self) -> None:
        self._transport: asyncio.Transport | None = None
        self._arrived = bytearray()
        self._frames: deque[bytes] = deque()
        self._waiter: asyncio.Future[None] | None = None
        self._nonsense = 0
        """The length of a frame that nobody of ours would send."""

    @classmethod
    async def connect(cls, sock: socket.socket) -> "Channel":
        """A line over this socket, which is the line's from now on."""
        loop = asyncio.get_running_loop()
        _, line = await loop.create_unix_connection(cls, sock=sock)
        return line

    def send(self, frame: bytes) -> None:
        """Send a frame. Nobody waits until it is sent: the other side may wait for us to listen."""
        if self._transport:
            self._transport.writelines((len(frame).to_bytes(FRAME_HEADER_BYTES, "big"), frame))

    async def receive_frame(self, seconds: float) -> bytes:
        """The next frame, if it comes in time: else `TimeoutError`, or `EOFError` if none will."""
        while not self._frames:
            if self._nonsense:
                raise ValueError(f"an answer of {self._nonsense:,} bytes")
            if self._transport is None:
                raise EOFError
            await self._something(seconds)
        if len(self._frames) == MAX_UNREAD_FRAMES and self._transport:
            self._transport.resume_reading()
        return self._frames.popleft()

    def close(self) -> None:
        """Close it at once."""
        if self._transport:
            self._transport.abort()

    # What the loop tells us.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)  # uvloop's has no such base

    def data_received(self, data: bytes) -> None:
        self._arrived += data
        while (frame := self._cut()) is not None:
            self._frames.append(frame)
        if self._transport and (self._nonsense or len(self._frames) >= MAX_UNREAD_FRAMES):
            self._transport.pause_reading()
        if self._frames or self._nonsense:  # a piece of a frame wins nobody more time
            self._wake()

    def connection_lost(self, error: Exception | None) -> None:
        self._transport = None
        self._wake()

    def _cut(self) -> bytes | None:
        """The first frame of what has arrived, if all of it has."""
        if len(self._arrived) < FRAME_HEADER_BYTES:
            return None
        size = int.from_bytes(self._arrived[:FRAME_HEADER_BYTES], "big")
        if size > MAX_FRAME_BYTES:
            self._nonsense = size
            return None
        if len(self._arrived) < FRAME_HEADER_BYTES + size:
            return None
        frame = bytes(self._arrived[FRAME_HEADER_BYTES : FRAME_HEADER_BYTES + size])
        del self._arrived[: FRAME_HEADER_BYTES + size]
        return frame

    async def _something(self, seconds: float) -> None:
        loop = asyncio.get_running_loop()
        waiter = self._waiter = loop.create_future()
        timer = loop.call_later(seconds, _too_late, waiter)
        try:
            await waiter
        finally:
            timer.cancel()
            self._waiter = None

    def _wake(self) -> None:
        if self._waiter and not self._waiter.done():
            self._waiter.set_result(None)


def _too_late(waiter: asyncio.Future[None]) -> None:
    if not waiter.done():
        waiter.set_exception(TimeoutError())


# What does a reader send back for a page? Bytes, of which nothing is believed but plain values.


OUT_OF_MEMORY = Reason("out_of_memory")
OUT_OF_MEMORY_EXIT_CODE = 12
"""The exit code that says the same when there is no memory left to say more: ENOMEM."""


def pack_result(extracted: ExtractionResult) -> bytes:
    """An answer as bytes. Links go as columns: one by one they took twice the time."""
    document = extracted.document
    links = list(zip(*extracted.links, strict=True))
    body = pack(document) if document else b""
    failure = (extracted.failure.code, extracted.failure.dump_params())
    flags = (failure, extracted.may_index, extracted.follow_links)
    rest = (extracted.digest, extracted.feeds, extracted.prefix_simhash)
    return pickle.dumps((flags, rest, links, body), 5)


def unpack_result(frame: bytes) -> ExtractionResult:
    """The answer in these bytes, which a captured reader may have chosen: plain values only."""
    (failed, keep, follow), rest, columns, body = _PlainUnpickler(BytesIO(frame)).load()
    links = tuple(map(Link, *columns)) if columns else ()
    failure = Reason.load(*failed) if failed[0] else NO_REASON
    return ExtractionResult(None, body, links, follow, keep, failure, *rest)


class _PlainUnpickler(pickle.Unpickler):
    """Unpickles numbers, texts and containers of them; nothing that could run."""

    def find_class(self, module: str, name: str) -> Any:
        raise pickle.UnpicklingError(f"a reader sent a {module}.{name}")
