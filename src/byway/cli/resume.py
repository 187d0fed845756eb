"""Resume: let a paused crawl go on."""

from byway.backends.embedded.folder import Folder
from byway.cli.options import HERE, Data, Verbose
from byway.cli.output import say

ORDER = 27


def command(data: Data = HERE, verbose: Verbose = False) -> None:
    """Let a paused crawl go on, exactly where it was."""
    folder = Folder(data)
    folder.require()
    if not folder.is_paused():
        say("the crawl was not paused")
        return
    folder.pause(False)
    running = folder.is_writing("crawl")
    say("the crawl goes on" if running else "no crawl is running; `byway crawl` goes on")
