"""Pause: have a crawl hold still."""

from byway.backends.embedded.folder import Folder
from byway.cli.options import HERE, Data, Verbose
from byway.cli.output import say

ORDER = 26


def command(data: Data = HERE, verbose: Verbose = False) -> None:
    """Have the crawl in this folder hold still; nothing is lost, `byway resume` lets it go on."""
    folder = Folder(data)
    folder.require()
    folder.pause(True)
    running = folder.is_writing("crawl")
    say("the crawl holds still" if running else "no crawl is running; the next one will hold still")
