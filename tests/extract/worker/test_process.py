"""Frames between pool and worker, and results that are not trusted."""

import asyncio
import os
import pickle
import socket

import pytest

from byway.extract.worker.process import Channel, unpack_result


def test_a_result_with_code_is_rejected() -> None:
    with pytest.raises(pickle.UnpicklingError, match="system"):
        unpack_result(pickle.dumps(os.system))


def test_frames_are_reassembled_from_single_bytes() -> None:
    async def frames() -> list[bytes]:
        parent_socket, child_socket = socket.socketpair()
        channel = await Channel.connect(parent_socket)
        with child_socket:
            sent = b"".join(len(each).to_bytes(4, "big") + each for each in (b"one", b"", b"three"))
            for byte in sent:
                child_socket.send(bytes([byte]))
                await asyncio.sleep(0)
            return [await channel.receive_frame(1.0) for _ in range(3)]

    assert asyncio.run(frames()) == [b"one", b"", b"three"]


def test_partial_frames_do_not_extend_the_timeout() -> None:
    async def wait() -> None:
        parent_socket, child_socket = socket.socketpair()
        channel = await Channel.connect(parent_socket)
        with child_socket, pytest.raises(TimeoutError):
            waiting = asyncio.create_task(channel.receive_frame(0.2))
            for _ in range(8):
                await asyncio.sleep(0.05)
                child_socket.send(b"\0")
            await waiting
        channel.close()

    asyncio.run(wait())


def test_an_oversize_frame_is_rejected_at_once() -> None:
    async def wait() -> None:
        parent_socket, child_socket = socket.socketpair()
        channel = await Channel.connect(parent_socket)
        with child_socket, pytest.raises(ValueError, match="4,294,967,295 bytes"):
            child_socket.send(b"\xff" * 4)
            await channel.receive_frame(5.0)
        channel.close()

    asyncio.run(wait())
