"""MCP tools: search and page reading for AI agents.

Page text is untrusted; every tool result says so. `cli/mcp.py` serves the tools.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from byway.core.errors import UsageError
from byway.core.markdown import as_markdown
from byway.core.messages import t, text
from byway.core.model import Document, Query, Results
from byway.core.operators import OPERATORS
from byway.search.query.parser import MAX_QUERY_CHARS

MAX_TEXT_CHARS = 50_000
"""Maximum characters of a page in one result; `start` requests the following ones."""
DEFAULT_HITS, MAX_HITS, MAX_PAGES = 10, 50, 20


def describe_tools() -> list[dict[str, object]]:
    """The tools as MCP lists them, described in the current language."""
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


def search_text(search: Callable[[Query], Results], arguments: Mapping[str, Any]) -> str:
    """The tool `search`: title, URL and snippet of the best pages."""
    typed = _string(arguments, "query")
    limit = _integer(arguments, "limit", DEFAULT_HITS, 1, MAX_HITS)
    page = _integer(arguments, "page", 1, 1, MAX_PAGES)
    offset = (page - 1) * limit
    results = search(Query(typed[:MAX_QUERY_CHARS], limit, offset))
    hits = [
        f"{number}. {hit.title}\n{hit.url}\n{''.join(piece for piece, _ in hit.snippet)}"
        for number, hit in enumerate(results.hits, offset + 1)
    ]
    return "\n\n".join(["\n".join(_summary(results)), *hits])


def page_text(find_document: Callable[[str], Document | None], arguments: Mapping[str, Any]) -> str:
    """The tool `read_page`: a page's text as Markdown."""
    url, start = _string(arguments, "url"), _integer(arguments, "start", 0, 0, 10**9)
    document = find_document(url)
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
