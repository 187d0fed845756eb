"""MCP server: search and page reading as tools of the Model Context Protocol.

JSON-RPC 2.0, one message per line. Page text is untrusted; every tool result says so.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from byway import __version__
from byway.core.errors import BywayError, UsageError
from byway.core.markdown import as_markdown
from byway.core.messages import t, text
from byway.core.model import Document, Query, Results
from byway.search.query.operators import OPERATORS
from byway.search.query.query_tokens import MAX_QUERY_CHARS

PROTOCOL_VERSIONS = ("2025-06-18", "2025-03-26", "2024-11-05")
"""Supported versions, the newest first; the behavior is the same in all."""
MAX_MESSAGE_CHARS = 1_000_000
MAX_TEXT_CHARS = 50_000
"""Characters of a page in one result; `start` requests the rest."""
DEFAULT_HITS, MAX_HITS, MAX_PAGES = 10, 50, 20

PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS, INTERNAL_ERROR = (
    -32700, -32600, -32601, -32602, -32603,
)  # fmt: skip


def tools() -> list[dict[str, object]]:
    """The tools, described in the current language."""
    operators = ", ".join(f"{one.example} ({t(one.description_key)})" for one in OPERATORS.values())
    limit = {"type": "integer", "minimum": 1, "maximum": MAX_HITS, "default": DEFAULT_HITS}
    page = {"type": "integer", "minimum": 1, "maximum": MAX_PAGES, "default": 1}
    start = {"type": "integer", "minimum": 0, "default": 0, "description": t("mcp.read_page_start")}
    return [
        {
            "name": "search",
            "title": "Search",
            "description": t("mcp.search_description", operators=operators),
            "inputSchema": {
                "type": "object",
                "properties": {
                    "query": {"type": "string", "description": t("mcp.search_query")},
                    "limit": limit,
                    "page": page,
                },
                "required": ["query"],
            },
        },
        {
            "name": "read_page",
            "title": "Read a page",
            "description": t("mcp.read_page_description"),
            "inputSchema": {
                "type": "object",
                "properties": {
                    "url": {"type": "string", "description": t("mcp.read_page_url")},
                    "start": start,
                },
                "required": ["url"],
            },
        },
    ]


class JsonRpcError(Exception):
    """A request that cannot be answered: a JSON-RPC error code and a message."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


class McpServer:
    """Answers the messages of an MCP client, one at a time."""

    def __init__(
        self, search: Callable[[Query], Results], find_document: Callable[[str], Document | None]
    ) -> None:
        self._search = search
        self._find_document = find_document

    def serve(self, lines: Iterable[str], send: Callable[[str], None]) -> None:
        """Answer until the input ends."""
        for line in lines:
            response = self.handle_message(line) if line.strip() else None
            if response is not None:
                send(json.dumps(response, ensure_ascii=True))

    def handle_message(self, line: str) -> dict[str, Any] | None:
        """The response to one message; None for a notification."""
        id = None
        try:
            message = _parse_message(line)
            id = message.get("id")
            if "id" not in message:
                return None
            result = self._result(message["method"], _as_object(message.get("params", {})))
        except JsonRpcError as error:
            return _error_response(id, error.code, str(error))
        except Exception as error:
            return _error_response(id, INTERNAL_ERROR, f"{type(error).__name__}: {error}"[:500])
        return {"jsonrpc": "2.0", "id": id, "result": result}

    def _result(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        if method == "initialize":
            version = params.get("protocolVersion")
            known = version in PROTOCOL_VERSIONS
            return {
                "protocolVersion": version if known else PROTOCOL_VERSIONS[0],
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "byway", "version": __version__},
            }
        if method == "ping":
            return {}
        if method == "tools/list":
            return {"tools": tools()}
        if method == "tools/call":
            return self._call_tool(params.get("name"), _as_object(params.get("arguments", {})))
        raise JsonRpcError(METHOD_NOT_FOUND, t("mcp.unknown_method", method=method[:60]))

    def _call_tool(self, name: object, arguments: Mapping[str, Any]) -> dict[str, Any]:
        handlers = {"search": self._search_tool, "read_page": self._read_page_tool}
        if not isinstance(name, str) or name not in handlers:
            raise JsonRpcError(INVALID_PARAMS, t("mcp.unknown_tool", name=f"{name!r:.60}"))
        try:
            content, is_error = handlers[name](arguments), False
        except BywayError as error:  # the client can correct its arguments
            content, is_error = str(error), True
        return {"content": [{"type": "text", "text": _encodable(content)}], "isError": is_error}

    def _search_tool(self, arguments: Mapping[str, Any]) -> str:
        typed = _string(arguments, "query")
        limit = _integer(arguments, "limit", DEFAULT_HITS, 1, MAX_HITS)
        page = _integer(arguments, "page", 1, 1, MAX_PAGES)
        offset = (page - 1) * limit
        results = self._search(Query(typed[:MAX_QUERY_CHARS], limit, offset))
        hits = [
            f"{number}. {hit.title}\n{hit.url}\n{''.join(piece for piece, _ in hit.snippet)}"
            for number, hit in enumerate(results.hits, offset + 1)
        ]
        return "\n\n".join(["\n".join(_summary(results)), *hits])

    def _read_page_tool(self, arguments: Mapping[str, Any]) -> str:
        url, start = _string(arguments, "url"), _integer(arguments, "start", 0, 0, 10**9)
        document = self._find_document(url)
        if document is None:
            raise UsageError("mcp.page_not_stored", url=url[:200])
        content = as_markdown(document)
        end = start + MAX_TEXT_CHARS
        left = len(content) - end
        more = f"\n\n{t('mcp.more_text', count=left, start=end)}" if left > 0 else ""
        return f"{t('mcp.untrusted_content')}\n{document.url}\n\n{content[start:end]}{more}"


def _summary(results: Results) -> Iterator[str]:
    """The lines above the hits: total, notice, did-you-mean, diagnoses with their codes."""
    total_key = "mcp.about_results" if results.total_is_estimate else "mcp.results"
    yield f"{t(total_key, count=results.total)} {t('mcp.untrusted_content')}"
    corrected, total = results.did_you_mean, results.did_you_mean_total
    if corrected and total:
        yield t("mcp.did_you_mean_total", count=total, query=corrected)
    elif corrected:
        yield t("mcp.did_you_mean", query=corrected)
    for diagnosis in results.diagnoses:
        yield f"[{diagnosis.code}] {text(diagnosis)}"


def _parse_message(line: str) -> dict[str, Any]:
    if len(line) > MAX_MESSAGE_CHARS:
        raise JsonRpcError(INVALID_REQUEST, t("mcp.message_too_long", limit=MAX_MESSAGE_CHARS))
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        raise JsonRpcError(PARSE_ERROR, t("mcp.not_json")) from None
    if not isinstance(message, dict) or not isinstance(message.get("method"), str):
        raise JsonRpcError(INVALID_REQUEST, t("mcp.not_a_request"))
    return message


def _error_response(id: object, code: int, message: str) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": _encodable(message)}}


def _as_object(params: object) -> Mapping[str, Any]:
    if not isinstance(params, dict):
        raise JsonRpcError(INVALID_PARAMS, t("mcp.params_not_an_object"))
    return params


def _string(arguments: Mapping[str, Any], name: str) -> str:
    value = arguments.get(name)
    if not isinstance(value, str) or not value.strip():
        raise UsageError("mcp.missing_argument", name=name)
    return value


def _integer(
    arguments: Mapping[str, Any], name: str, default: int, minimum: int, maximum: int
) -> int:
    value = arguments.get(name, default)
    if not isinstance(value, int) or isinstance(value, bool) or not minimum <= value <= maximum:
        raise UsageError("mcp.bad_number", name=name, minimum=minimum, maximum=maximum)
    return value


def _encodable(content: str) -> str:
    """The text with `?` for lone surrogates, which UTF-8 cannot carry."""
    return content.encode("utf-8", "replace").decode()
