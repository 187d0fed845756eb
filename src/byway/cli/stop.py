"""Stop: end a running crawl."""

import os
import signal
import time

from byway.cli.support.options import HERE, Data, Verbose
from byway.cli.support.output import progress, say
from byway.core.errors import DataError
from byway.storage.data_folder import Folder

ORDER = 28

PATIENCE = 30.0
"""Seconds a crawl is given to record what is under way."""


def command(data: Data = HERE, verbose: Verbose = False) -> None:
    """Stop the crawl in this folder; what is under way is recorded, and `byway up` serves on."""
    folder = Folder(data)
    folder.require()
    process = folder.crawler()
    if process is None:
        say("no crawl is running here")
        return
    folder.pause(False)  # or the next crawl would wait for a word that nobody remembers to say
    # A crawl takes this as word to end; `byway up` then serves on, as SIGTERM would end that too.
    os.kill(process, signal.SIGUSR1)
    end = time.monotonic() + PATIENCE
    with progress("stopping"):
        while folder.is_writing("crawl"):
            if time.monotonic() > end:
                raise DataError(f"the crawl (process {process}) has not stopped yet; look at it")
            time.sleep(0.1)
    say("the crawl is stopped; `byway crawl` with the same options goes on where it was")
    if folder.is_writing("index"):
        say("what indexes goes on; if that is `byway up`, it is served on until Ctrl-C there")
