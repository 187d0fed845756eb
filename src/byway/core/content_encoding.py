"""Decoders for Content-Encoding (gzip, deflate, br, zstd) with a size limit; image detection."""

from collections.abc import Callable, Iterator
from typing import Any

import brotli
import zstandard
from isal import isal_zlib

from byway.core.errors import RejectedContentError

DECODE_CHUNK_BYTES = 65_536
"""Input bytes per step: small enough to notice a decompression bomb early."""

ZSTD_CHUNK_BYTES = 64
"""Input bytes per step for zstd, whose output cannot be capped: four bytes can become 128 KiB."""

MAX_STREAMS = 1000
"""Maximum number of concatenated streams; an attacker could send half a million empty ones."""

DECODER_ERRORS: Any = (isal_zlib.error, brotli.error, zstandard.ZstdError, EOFError)
"""Errors that decoders raise. Typed as Any: isal's type stubs do not declare an exception class."""

ACCEPT_ENCODING = "gzip, deflate, br, zstd"

IMAGE_SIGNATURES = {
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"\x00\x00\x01\x00": "image/x-icon",
    b"GIF8": "image/gif",
    b"\xff\xd8\xff": "image/jpeg",
}
"""Magic bytes of image formats. SVG is left out because it can contain scripts."""


def image_media_type(body: bytes) -> str:
    """The media type of an image, detected from its first bytes; empty if unknown."""
    if body[:4] == b"RIFF" and body[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for start, kind in IMAGE_SIGNATURES.items() if body.startswith(start)), "")


def decode_body(body: bytes, encoding: str, max_bytes: int) -> bytes:
    """Decompress a body; raise `RejectedContentError` if it exceeds `max_bytes`."""
    names = [name.strip().lower() for name in encoding.split(",") if name.strip()]
    names = [name for name in names if name != "identity"]
    if len(names) > 2:
        raise RejectedContentError("encodings_nested", times=len(names), encoding=encoding[:60])
    for name in reversed(names):
        body = _decompress(body, name, max_bytes)
    return body


def _decompress(body: bytes, name: str, max_bytes: int) -> bytes:
    decoder = DECODERS.get(name)
    if decoder is None:
        raise RejectedContentError("encoding_unknown", encoding=name[:60])
    out = bytearray()
    try:
        for piece in decoder(body):
            out += piece
            if len(out) > max_bytes:
                raise RejectedContentError("decompressed_too_large", max_bytes=max_bytes)
    except DECODER_ERRORS as error:
        if not out:
            raise RejectedContentError(
                "encoding_damaged", encoding=name, detail=str(error)
            ) from error
        # Like browsers, use the part before the damage.
    return bytes(out)


def _gzip(body: bytes) -> Iterator[bytes]:
    return _zlib(body, 47)  # 47: gzip or zlib, detected from the header


def _deflate(body: bytes) -> Iterator[bytes]:
    has_zlib_header = len(body) > 1 and body[0] & 0x0F == 8 and (body[0] << 8 | body[1]) % 31 == 0
    return _zlib(body, 15 if has_zlib_header else -15)


def _zlib(body: bytes, window: int) -> Iterator[bytes]:
    """Decompress all concatenated gzip streams; ignore trailing bytes."""
    offset = 0
    for _ in range(MAX_STREAMS):
        inflater = isal_zlib.decompressobj(window)
        while offset < len(body) and not inflater.eof:
            data = body[offset : offset + DECODE_CHUNK_BYTES]
            yield inflater.decompress(data, DECODE_CHUNK_BYTES)
            offset += len(data) - len(inflater.unconsumed_tail) - len(inflater.unused_data)
        if not inflater.eof:
            yield inflater.flush()
        if body[offset : offset + 2] != b"\x1f\x8b":
            return


def _brotli(body: bytes) -> Iterator[bytes]:
    inflater = brotli.Decompressor()
    yield inflater.process(body, output_buffer_limit=DECODE_CHUNK_BYTES)
    while not inflater.is_finished():
        piece = inflater.process(b"", output_buffer_limit=DECODE_CHUNK_BYTES)
        if not piece:
            return
        yield piece


def _zstd(body: bytes) -> Iterator[bytes]:
    """Decompress all concatenated frames; ignore trailing bytes."""
    inflater = zstandard.ZstdDecompressor(max_window_size=8 << 20)
    offset = 0
    for _ in range(MAX_STREAMS):
        frame = inflater.decompressobj()
        while offset < len(body) and not frame.eof:
            data = body[offset : offset + ZSTD_CHUNK_BYTES]
            yield frame.decompress(data)
            offset += len(data) - len(frame.unused_data)
        if body[offset : offset + 4] != b"\x28\xb5\x2f\xfd":
            return


DECODERS: dict[str, Callable[[bytes], Iterator[bytes]]] = {
    "gzip": _gzip,
    "x-gzip": _gzip,
    "deflate": _deflate,
    "br": _brotli,
    "zstd": _zstd,
}
