"""Mcp: search and reading for agents."""

import io
import sys

from byway.app.mcp_server import McpServer
from byway.app.pages import PageArchive
from byway.app.search import search_session
from byway.cli.support.options import (
    DEFAULT_DATA_DIR,
    DataOption,
    SetOption,
    VerboseOption,
    settings_from_options,
)
from byway.core.model import Document
from byway.storage.data_folder import DataFolder

ORDER = 12


def command(
    data: DataOption = DEFAULT_DATA_DIR, set: SetOption = None, verbose: VerboseOption = False
) -> None:
    """Answer an agent that speaks the Model Context Protocol on stdin and stdout."""
    settings, folder = settings_from_options(data, set, {}), DataFolder(data)
    lines = io.TextIOWrapper(sys.stdin.buffer, encoding="utf-8", errors="replace")
    with search_session(folder, settings) as opened:
        kept = PageArchive(folder, settings, opened)

        def find(url: str) -> Document | None:
            found = kept.find(url)
            return found.document if found else None

        McpServer(opened.search, find).serve(lines, _say)


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()
