"""`byway mcp`: MCP server on stdin and stdout."""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

from byway import __version__
from byway.app.mcp_tools import describe_tools, page_text, search_text
from byway.app.pages import PageArchive
from byway.app.search import search_session
from byway.app.storage import open_storage
from byway.cli.support import options
from byway.cli.support.options import settings_from_options
from byway.core.errors import BywayError, UsageError
from byway.core.messages import t
from byway.core.model import Document

PANEL = "Search"
ORDER = 4

Tool = Callable[[Mapping[str, Any]], str]


def command(
    data: options.DataOption = options.DEFAULT_DATA_DIR,
    set: options.SetOption = None,
    verbose: options.VerboseOption = False,
) -> None:
    """Serve search to AI agents over MCP (stdin and stdout)."""
    _require_sdk()
    settings = settings_from_options(data, set, {})
    storage = open_storage(data, settings)
    with search_session(storage, settings) as session:
        archive = PageArchive(storage, settings, session)

        def find(url: str) -> Document | None:
            page = archive.find(url)
            return page.document if page else None

        asyncio.run(
            _serve(
                {
                    "search": lambda arguments: search_text(session.search, arguments),
                    "read_page": lambda arguments: page_text(find, arguments),
                }
            )
        )


def _require_sdk() -> None:
    try:
        import mcp.server  # noqa: F401
    except ImportError:
        raise UsageError("mcp.sdk_missing") from None


async def _serve(tools: Mapping[str, Tool]) -> None:
    """Answer an agent's requests until it closes stdin, one at a time, in this thread."""
    from mcp import types
    from mcp.server import Server
    from mcp.server.stdio import stdio_server
    from mcp.shared.exceptions import MCPError

    async def list_tools(context: object, params: object) -> types.ListToolsResult:
        return types.ListToolsResult.model_validate({"tools": describe_tools()})

    async def call_tool(
        context: object, params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        if params.name not in tools:
            problem = t("mcp.unknown_tool", name=f"{params.name!r:.60}")
            raise MCPError(code=types.INVALID_PARAMS, message=problem)
        try:
            content, is_error = tools[params.name](params.arguments or {}), False
        except BywayError as error:  # the agent can correct its arguments
            content, is_error = str(error), True
        return types.CallToolResult(
            content=[types.TextContent(text=_encodable(content))], is_error=is_error
        )

    server = Server("byway", version=__version__, on_list_tools=list_tools, on_call_tool=call_tool)
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


def _encodable(content: str) -> str:
    """The text with `?` for lone surrogates, which UTF-8 cannot encode."""
    return content.encode("utf-8", "replace").decode()
