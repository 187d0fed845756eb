"""Shard process: indexes the pages of one shard, batch by batch, for the indexer."""

import socket
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from byway.app.processes.child_process import Send, run_child
from byway.app.processes.shard_channel import ChannelClosedError, receive_message, send_message
from byway.app.processes.tasks import ShardTask, read_task
from byway.app.storage.disk_generations import open_shard_writer
from byway.index.shard_writer import ShardBatch


def main(arguments: Mapping[str, Any], send: Send) -> None:
    """Write batches until the indexer closes the channel."""
    task = read_task(arguments, ShardTask)
    paths = Path(task.path), Path(task.documents), Path(task.index)
    with (
        closing(socket.socket(fileno=task.channel)) as channel,
        open_shard_writer(*paths, task.shard, task.settings.index) as writer,
    ):
        while True:
            try:
                batch = receive_message(channel, ShardBatch)
            except ChannelClosedError:
                return
            send_message(channel, writer.write(batch))


if __name__ == "__main__":
    run_child(main)
