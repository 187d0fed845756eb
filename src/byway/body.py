"""What is inside a response body? Its Content-Encoding undone in small steps, up to a cap."""

import zlib
from collections.abc import Callable, Iterator

import brotli
import zstandard

from byway.errors import Unwanted

STEP = 65_536
"""Bytes taken in at a time, so that a bomb is noticed long before it has gone off."""

ACCEPTED = "gzip, deflate, br, zstd"


def decoded(body: bytes, encoding: str, most: int) -> bytes:
    """The body as the server meant it, or `Unwanted` when that is more than `most` bytes."""
    names = [name.strip().lower() for name in encoding.split(",") if name.strip()]
    names = [name for name in names if name != "identity"]
    if len(names) > 2:
        raise Unwanted(f"compressed {len(names)} times over: {encoding[:60]}")
    for name in reversed(names):
        body = _undone(body, name, most)
    return body


def _undone(body: bytes, name: str, most: int) -> bytes:
    inflate = DECODERS.get(name)
    if inflate is None:
        raise Unwanted(f"unknown Content-Encoding: {name[:60]}")
    out = bytearray()
    try:
        for piece in inflate(body):
            out += piece
            if len(out) > most:
                raise Unwanted(f"larger than {most:,} bytes once decompressed")
    except (zlib.error, brotli.error, zstandard.ZstdError, EOFError) as error:
        if not out:
            raise Unwanted(f"damaged {name} data: {error}") from error
        # What came before the damage is still worth reading, as browsers think too.
    return bytes(out)


def _gzip(body: bytes) -> Iterator[bytes]:
    return _zlib(body, 47)  # 47: gzip or zlib, whichever the header says


def _deflate(body: bytes) -> Iterator[bytes]:
    wrapped = len(body) > 1 and body[0] & 0x0F == 8 and (body[0] << 8 | body[1]) % 31 == 0
    return _zlib(body, 15 if wrapped else -15)


def _zlib(body: bytes, window: int) -> Iterator[bytes]:
    while body:
        inflater = zlib.decompressobj(window)
        data = body
        while data and not inflater.eof:
            yield inflater.decompress(data, STEP)
            data = inflater.unconsumed_tail
        yield inflater.flush(STEP) if not inflater.eof else b""
        body = inflater.unused_data if inflater.unused_data[:2] == b"\x1f\x8b" else b""


def _brotli(body: bytes) -> Iterator[bytes]:
    inflater = brotli.Decompressor()
    yield inflater.process(body, output_buffer_limit=STEP)
    while not inflater.is_finished():
        piece = inflater.process(b"", output_buffer_limit=STEP)
        if not piece:
            return
        yield piece


def _zstd(body: bytes) -> Iterator[bytes]:
    reader = zstandard.ZstdDecompressor(max_window_size=8 << 20).stream_reader(
        body, read_across_frames=True
    )
    while piece := reader.read(STEP):
        yield piece


DECODERS: dict[str, Callable[[bytes], Iterator[bytes]]] = {
    "gzip": _gzip,
    "x-gzip": _gzip,
    "deflate": _deflate,
    "br": _brotli,
    "zstd": _zstd,
}
