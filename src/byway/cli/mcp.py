"""Mcp: search and reading for agents."""

import io
import sys

from byway.app.mcp_server import Server
from byway.app.pages import Kept
from byway.app.search import reading
from byway.cli.support.options import HERE, Data, Set, Verbose, settings_of
from byway.core.model import Document
from byway.storage.data_folder import Folder

ORDER = 12


def command(data: Data = HERE, set: Set = None, verbose: Verbose = False) -> None:
    """Answer an agent that speaks the Model Context Protocol on stdin and stdout."""
    settings, folder = settings_of(data, set, {}), Folder(data)
    lines = io.TextIOWrapper(sys.stdin.buffer, encoding="utf-8", errors="replace")
    with reading(folder, settings) as opened:
        kept = Kept(folder, settings, opened)

        def find(url: str) -> Document | None:
            found = kept.find(url)
            return found.document if found else None

        Server(opened.search, find).serve(lines, _say)


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()
