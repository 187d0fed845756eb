"""What is inside a response body?"""

import gzip
import tracemalloc
import zlib
from collections.abc import Callable

import brotli
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st
from vectors import vector_path

from byway.core.content_encoding import DECODE_CHUNK_BYTES, MAX_STREAMS, decode_body
from byway.core.errors import RejectedContentError

MOST = 1_000_000


def raw_deflate(data: bytes) -> bytes:
    """What some servers call deflate: without the two bytes that RFC 9110 wants before it."""
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(data) + packer.flush()


ENCODERS: dict[str, tuple[str, Callable[[bytes], bytes]]] = {
    "gzip": ("gzip", gzip.compress),
    "x-gzip": ("x-gzip", gzip.compress),
    "deflate": ("deflate", zlib.compress),
    "raw deflate": ("deflate", raw_deflate),
    "br": ("br", lambda data: bytes(brotli.compress(data, quality=3))),
    "zstd": ("zstd", zstandard.compress),
}
every_encoding = pytest.mark.parametrize(("name", "encode"), ENCODERS.values(), ids=list(ENCODERS))
LONG = b"".join(b"<p>line %d of a page</p>\n" % number for number in range(20_000))


def bodies() -> st.SearchStrategy[bytes]:
    """Pages: what repeats, what does not, and nothing."""
    piece = st.binary(max_size=50) | st.sampled_from([b"<p>", b"hello ", b"\0" * 1000])
    return st.lists(piece, max_size=30).map(b"".join)


@every_encoding
def test_compressed_bodies_are_decoded(name: str, encode: Callable[[bytes], bytes]) -> None:
    @given(bodies())
    def comes_back(body: bytes) -> None:
        assert decode_body(encode(body), name, MOST) == body

    comes_back()
    assert decode_body(encode(LONG), name, MOST) == LONG


@given(bodies(), st.sampled_from(list(ENCODERS)), st.sampled_from(list(ENCODERS)))
def test_two_encodings_are_decoded_from_the_last_to_the_first(
    body: bytes, first: str, second: str
) -> None:
    (inner, pack), (outer, pack_again) = ENCODERS[first], ENCODERS[second]
    sent = pack_again(pack(body))
    assert decode_body(sent, f"{inner}, {outer.upper()} ,identity", MOST) == body


@pytest.mark.parametrize("encoding", ["", "identity", " , "])
def test_an_uncompressed_body_is_unchanged(encoding: str) -> None:
    assert decode_body(b"\x1f\x8b not really", encoding, 5) == b"\x1f\x8b not really"


def test_three_encodings_are_rejected() -> None:
    with pytest.raises(RejectedContentError, match="3 layers of compression"):
        decode_body(b"", "gzip, gzip, gzip", MOST)


def test_an_unknown_encoding_is_rejected_by_name() -> None:
    with pytest.raises(RejectedContentError, match="unknown Content-Encoding: compress"):
        decode_body(b"x", "compress", MOST)


@every_encoding
def test_a_decompression_bomb_is_stopped_early(name: str, encode: Callable[[bytes], bytes]) -> None:
    bomb = encode(bytes(50_000_000))
    tracemalloc.start()
    try:
        with pytest.raises(RejectedContentError, match="more than 1,000,000 bytes"):
            decode_body(bomb, name, MOST)
        assert tracemalloc.get_traced_memory()[1] < 5 * MOST
    finally:
        tracemalloc.stop()


def test_a_nested_decompression_bomb_is_stopped() -> None:
    with pytest.raises(RejectedContentError, match="more than"):
        decode_body(gzip.compress(gzip.compress(bytes(50_000_000))), "gzip, gzip", MOST)


def test_a_frame_with_a_huge_window_is_rejected() -> None:
    parameters = zstandard.ZstdCompressionParameters(window_log=27)
    packer = zstandard.ZstdCompressor(compression_params=parameters).compressobj()
    with pytest.raises(RejectedContentError, match="zstd"):
        decode_body(packer.compress(b"small") + packer.flush(), "zstd", MOST)


@every_encoding
def test_a_truncated_body_is_decoded_up_to_its_end(
    name: str, encode: Callable[[bytes], bytes]
) -> None:
    sent = encode(LONG)

    @given(st.integers(0, len(sent)))
    def is_a_beginning(length: int) -> None:
        came = decode_body(sent[:length], name, MOST)
        assert LONG.startswith(came)

    is_a_beginning()
    assert len(decode_body(sent[:-10], name, MOST)) > len(LONG) - 4 * DECODE_CHUNK_BYTES


@every_encoding
def test_a_damaged_body_is_decoded_up_to_the_damage_or_rejected(
    name: str, encode: Callable[[bytes], bytes]
) -> None:
    sent = encode(LONG)

    @given(st.integers(0, len(sent) - 1), st.integers(1, 255))
    def is_survived(place: int, change: int) -> None:
        damaged = bytearray(sent)
        damaged[place] ^= change
        try:
            decode_body(bytes(damaged), name, MOST)
        except RejectedContentError as refused:
            assert "damaged" in str(refused) or "more than" in str(refused)

    is_survived()


def test_concatenated_gzip_streams_are_all_decoded() -> None:
    joined = gzip.compress(b"one ") + gzip.compress(b"") + gzip.compress(b"two")
    assert decode_body(joined, "gzip", MOST) == b"one two"
    assert decode_body(zstandard.compress(b"one ") + zstandard.compress(b"two"), "zstd", MOST) == (
        b"one two"
    )


@pytest.mark.parametrize("empty", [gzip.compress(b""), zstandard.compress(b"")], ids=["gz", "zst"])
def test_the_number_of_empty_streams_is_limited(empty: bytes) -> None:
    name = "gzip" if empty.startswith(b"\x1f") else "zstd"
    assert decode_body(empty * (8_000_000 // len(empty)), name, MOST) == b""
    last = gzip.compress(b"end") if name == "gzip" else zstandard.compress(b"end")
    assert decode_body(empty * (MAX_STREAMS - 1) + last, name, MOST) == b"end"


@pytest.mark.parametrize("kind", ["gzip", "deflate", "raw deflate", "zstd"])
def test_trailing_garbage_is_ignored(kind: str) -> None:
    name, encode = ENCODERS[kind]
    assert decode_body(encode(b"<p>hello") + b"GARBAGE" * 10, name, MOST) == b"<p>hello"


def test_a_body_with_the_wrong_encoding_is_rejected() -> None:
    for name, _ in ENCODERS.values():
        with pytest.raises(RejectedContentError, match=f"damaged {name} data"):
            decode_body(b"<!doctype html><p>hello", name, MOST)


def test_hostile_files_raise_only_expected_errors() -> None:
    folder = vector_path("hostile/compressed")
    assert decode_body((folder / "trailing_garbage.gz").read_bytes(), "gzip", MOST) == b"<p>NEEDLE"
    assert decode_body((folder / "zlib_deflate.bin").read_bytes(), "deflate", MOST) == b"<p>NEEDLE"
    with pytest.raises(RejectedContentError, match="damaged gzip data"):
        decode_body((folder / "bad_crc.gz").read_bytes(), "gzip", MOST)
