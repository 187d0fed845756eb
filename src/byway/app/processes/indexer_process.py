"""Indexer process: follows a crawl until it is stopped or the crawl ends."""

import signal
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from byway.app.engine import Engine
from byway.app.processes.child_process import Send, run_child
from byway.app.processes.tasks import IndexerTask, read_task


def main(arguments: Mapping[str, Any], send: Send) -> None:
    """Index until SIGTERM, then index all remaining documents."""
    task = read_task(arguments, IndexerTask)
    engine, stopping = Engine(Path(task.path), task.settings), False

    def stop(*_: object) -> None:
        nonlocal stopping
        stopping = True

    def is_over(seconds: float) -> bool:
        time.sleep(seconds)
        return stopping or (task.until_crawl_ends and not engine.storage.is_locked("crawl"))

    signal.signal(signal.SIGTERM, stop)
    engine.follow_crawl(is_over)


if __name__ == "__main__":
    run_child(main)
