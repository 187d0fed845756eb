"""Crawl process: crawls, and reports its progress."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from byway.app.engine import Engine
from byway.app.processes.child_process import Send, run_child
from byway.app.processes.crawl_progress import CrawlSnapshot, progress_to_plain
from byway.app.processes.crawl_run import run_until_signal
from byway.app.processes.tasks import CrawlTask, read_task


def main(arguments: Mapping[str, Any], send: Send) -> dict[str, Any]:
    """Crawl, and return the final progress."""
    task = read_task(arguments, CrawlTask)
    engine, has_started = Engine(Path(task.path), task.settings), False

    def report(snapshot: CrawlSnapshot) -> None:
        nonlocal has_started
        if task.reports_progress or not has_started:
            has_started = True
            send({"snapshot": snapshot.to_plain()})

    progress, _ = run_until_signal(
        lambda started: engine.crawl(task.seeds, started, task.due_by, task.job), report
    )
    return progress_to_plain(progress)


if __name__ == "__main__":
    run_child(main)
