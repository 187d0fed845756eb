"""`byway stop`: stop the running crawl."""

import os
import signal
import time

from byway.cli.support.options import (
    DEFAULT_DATA_DIR,
    DataOption,
    VerboseOption,
    storage_from_options,
)
from byway.cli.support.output import print_notice, progress
from byway.core.errors import DataError
from byway.core.messages import t

PANEL = "Crawl"
ORDER = 7

STOP_TIMEOUT_SECONDS = 30.0
"""Maximum wait for a crawl to record its visits in progress."""


def command(data: DataOption = DEFAULT_DATA_DIR, verbose: VerboseOption = False) -> None:
    """Stop the running crawl.

    Pages in progress are finished and recorded first. `byway up` keeps serving.
    """
    folder = storage_from_options(data)
    folder.require_data()
    process = folder.crawler_pid()
    if process is None:
        print_notice(t("cli.stop.not_running", data=data))
        return
    folder.set_paused(False)  # or the next crawl would start paused
    # SIGUSR1 ends the crawl only; SIGTERM would also end the search page of `byway up`.
    os.kill(process, signal.SIGUSR1)
    deadline = time.monotonic() + STOP_TIMEOUT_SECONDS
    with progress(t("cli.stop.stopping")):
        while folder.is_locked("crawl"):
            if time.monotonic() > deadline:
                raise DataError("cli.not_stopped", pid=process, seconds=STOP_TIMEOUT_SECONDS)
            time.sleep(0.1)
    print_notice(t("cli.stop.stopped"))
    if folder.is_locked("index"):
        print_notice(t("cli.stop.indexer_running"))
