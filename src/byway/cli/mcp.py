"""`byway mcp`: MCP server on stdin and stdout."""

import io
import sys

from byway.app.mcp_server import McpServer
from byway.app.pages import PageArchive
from byway.app.search import search_session
from byway.app.storage import open_storage
from byway.cli.support.options import (
    DEFAULT_DATA_DIR,
    DataOption,
    SetOption,
    VerboseOption,
    settings_from_options,
)
from byway.core.model import Document

PANEL = "Search"
ORDER = 4


def command(
    data: DataOption = DEFAULT_DATA_DIR, set: SetOption = None, verbose: VerboseOption = False
) -> None:
    """Serve search to AI agents over MCP (stdin and stdout)."""
    settings = settings_from_options(data, set, {})
    storage = open_storage(data, settings)
    lines = io.TextIOWrapper(sys.stdin.buffer, encoding="utf-8", errors="replace")
    with search_session(storage, settings) as session:
        archive = PageArchive(storage, settings, session)

        def find(url: str) -> Document | None:
            page = archive.find(url)
            return page.document if page else None

        McpServer(session.search, find).serve(lines, _write_line)


def _write_line(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()
