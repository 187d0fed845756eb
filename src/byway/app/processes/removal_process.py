"""Removal process: removes pages or a site, and updates the index or waits for the indexer."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from byway.app.engine import Engine
from byway.app.processes.child_process import Send, run_child
from byway.app.processes.tasks import RemovalTask, read_task


def main(arguments: Mapping[str, Any], send: Send) -> bool:
    """Remove or restore, and report whether the index is up to date."""
    task = read_task(arguments, RemovalTask)
    engine = Engine(Path(task.path), task.settings)
    return engine.remove(task.urls, task.site, task.undo).done


if __name__ == "__main__":
    run_child(main)
