"""Shard processes of the indexer: one per shard, each with a channel."""

import socket
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

from byway.app.processes.local_runner import LocalRunner
from byway.app.processes.shard_channel import ChannelClosedError, receive_message, send_message
from byway.app.processes.tasks import ShardTask, process_spec
from byway.core.errors import DataError, error_from_plain
from byway.core.settings.schema import Settings
from byway.index.shard_writer import ShardBatch, ShardBatchResult

EXIT_TIMEOUT_SECONDS = 5.0
"""Seconds to wait for the error of a process that has closed its channel."""


class ShardProcesses:
    """The writers of all shards."""

    def __init__(
        self,
        channels: Sequence[socket.socket],
        messages: "SimpleQueue[Mapping[str, Any]]",
    ) -> None:
        self._channels = channels
        self._messages = messages

    def send(self, batches: Sequence[ShardBatch]) -> None:
        """Send each shard its batch."""
        with self._report_death():
            for channel, batch in zip(self._channels, batches, strict=True):
                send_message(channel, batch)

    def receive(self) -> list[ShardBatchResult]:
        """The results of the oldest batches that were sent."""
        with self._report_death():
            return [receive_message(channel, ShardBatchResult) for channel in self._channels]

    @contextmanager
    def _report_death(self) -> Iterator[None]:
        """Raise the error of a process that has ended."""
        try:
            yield
        except ChannelClosedError:
            pass
        else:
            return
        with suppress(Empty):
            while True:  # its error, if it had time for one, comes before its exit code
                message = self._messages.get(timeout=EXIT_TIMEOUT_SECONDS)
                if "error" in message:
                    raise error_from_plain(message["error"])
                if "exit_code" in message:
                    break
        raise DataError("index.shard_process_died")


@contextmanager
def start_shard_processes(
    runner: LocalRunner, path: Path, documents: Path, index: Path, shards: int, settings: Settings
) -> Iterator[ShardProcesses]:
    """Start a process for each shard of an index; their channels are closed after the block."""
    paths = {"path": str(path), "documents": str(documents), "index": str(index)}
    messages: SimpleQueue[Mapping[str, Any]] = SimpleQueue()
    with ExitStack() as stack:
        channels: list[socket.socket] = []
        for shard in range(shards):
            ours, theirs = socket.socketpair()
            stack.callback(ours.close)
            task = ShardTask(**paths, settings=settings, shard=shard, channel=theirs.fileno())
            spec = process_spec(f"shard-{shard}", task, file_descriptors=(theirs.fileno(),))
            runner.start(spec, messages.put)
            theirs.close()
            channels.append(ours)
        yield ShardProcesses(channels, messages)
        for channel in channels:
            channel.shutdown(socket.SHUT_RDWR)  # the process ends by itself, and closes its files
