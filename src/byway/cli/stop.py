"""Stop: end a running crawl."""

import os
import signal
import time

from byway.cli.support.options import DEFAULT_DATA_DIR, DataOption, VerboseOption
from byway.cli.support.output import print_notice, progress
from byway.core.errors import DataError
from byway.storage.data_folder import DataFolder

ORDER = 28

STOP_TIMEOUT_SECONDS = 30.0
"""Seconds a crawl is given to record what is under way."""


def command(data: DataOption = DEFAULT_DATA_DIR, verbose: VerboseOption = False) -> None:
    """Stop the crawl in this folder; what is under way is recorded, and `byway up` serves on."""
    folder = DataFolder(data)
    folder.require_data()
    process = folder.crawler_pid()
    if process is None:
        print_notice("no crawl is running here")
        return
    folder.set_paused(False)  # or the next crawl would wait for a word that nobody remembers to say
    # A crawl takes this as word to end; `byway up` then serves on, as SIGTERM would end that too.
    os.kill(process, signal.SIGUSR1)
    end = time.monotonic() + STOP_TIMEOUT_SECONDS
    with progress("stopping"):
        while folder.is_locked("crawl"):
            if time.monotonic() > end:
                raise DataError(f"the crawl (process {process}) has not stopped yet; look at it")
            time.sleep(0.1)
    print_notice("the crawl is stopped; `byway crawl` with the same options goes on where it was")
    if folder.is_locked("index"):
        print_notice(
            "what indexes goes on; if that is `byway up`, it is served on until Ctrl-C there"
        )
