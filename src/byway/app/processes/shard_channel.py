"""Message channel between the indexer and a shard process: a socket pair and MessagePack."""

import socket
from struct import calcsize, pack, unpack
from typing import Any, TypeVar

import msgspec

LENGTH_FORMAT = "<Q"
LENGTH_BYTES = calcsize(LENGTH_FORMAT)
T = TypeVar("T")


class ChannelClosedError(Exception):
    """The process at the other end is gone."""


def send_message(channel: socket.socket, message: Any) -> None:
    """Send a message; raise `ChannelClosedError` if nobody can receive it."""
    body = msgspec.msgpack.encode(message)
    try:
        channel.sendall(pack(LENGTH_FORMAT, len(body)) + body)
    except OSError as error:
        raise ChannelClosedError from error


def receive_message(channel: socket.socket, message_type: type[T]) -> T:
    """The next message; raise `ChannelClosedError` if there will be none."""
    (length,) = unpack(LENGTH_FORMAT, _read(channel, LENGTH_BYTES))
    return msgspec.msgpack.decode(_read(channel, length), type=message_type)


def _read(channel: socket.socket, length: int) -> bytes:
    content = bytearray()
    while len(content) < length:
        try:
            part = channel.recv(min(1 << 20, length - len(content)))
        except OSError as error:
            raise ChannelClosedError from error
        if not part:
            raise ChannelClosedError
        content += part
    return bytes(content)
