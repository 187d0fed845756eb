"""Protocol between pool and worker: frames over a socket pair, and the result format.

It uses an asyncio transport: with asyncio streams, each result took three times as long.
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
"""Bytes of the length prefix of a frame."""

MAX_FRAME_BYTES = 256 * 1024 * 1024
"""Maximum size of a result; our own code never sends more."""

MAX_UNREAD_FRAMES = 64
"""Unread frames after which reading from the socket is paused."""


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


OUT_OF_MEMORY = Reason("out_of_memory")
OUT_OF_MEMORY_EXIT_CODE = 12
"""Exit code of a worker that has no memory left for a result: ENOMEM."""


def pack_result(extracted: ExtractionResult) -> bytes:
    """Pack a result into bytes. Links are sent as columns: one by one, they took twice as long."""
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
