"""Rule trial process: tries a site rule on a page; it can be killed if the page is hostile."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from byway.app.preview.page_preview import fetch_page, trial_as_json, try_rule_on_page
from byway.app.processes.child_process import Send, run_child
from byway.app.processes.tasks import RuleTrialTask, read_task
from byway.app.storage import open_storage


def main(arguments: Mapping[str, Any], send: Send) -> Mapping[str, object]:
    """Run the trial and return its result."""
    task = read_task(arguments, RuleTrialTask)
    files = open_storage(Path(task.path), task.settings)
    page = asyncio.run(fetch_page(task.url, task.settings))
    trial = try_rule_on_page(task.rule, page, task.settings, files)
    return trial_as_json(task.url, trial)


if __name__ == "__main__":
    run_child(main)
