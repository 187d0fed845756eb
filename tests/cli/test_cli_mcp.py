"""An agent speaks the Model Context Protocol to a real process."""

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cli.runner import error_line
from mcp import Client, StdioServerParameters
from mcp.types import TextContent
from search.corpus import document, memory_searcher
from web.crawled_site import crawl, engine_at, local_site

from byway.app.mcp_tools import search_text
from byway.core.settings.schema import SearchSettings

PAGES = {
    "/": "<title>Herons</title><h2>Where they fish</h2><p>Herons stand in <a href=/pond>ponds</a>"
    " and wait for fish all day long.</p>",
    "/pond": "<title>Ponds</title><p>A pond is still water.</p>" + "<p>Frogs sing here.</p>" * 5000,
}


class Agent:
    """Sends messages, and reads one answer for each that wants one."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self._last = 0

    def ask(self, method: str, **parameters: Any) -> dict[str, Any]:
        self._last += 1
        message = {"jsonrpc": "2.0", "id": self._last, "method": method, "params": parameters}
        answer = self.send(json.dumps(message))
        assert (answer["jsonrpc"], answer["id"]) == ("2.0", self._last)
        return answer

    def send(self, line: str) -> dict[str, Any]:
        self.tell(line)
        assert self._process.stdout
        answer: dict[str, Any] = json.loads(self._process.stdout.readline())
        return answer

    def tell(self, line: str) -> None:
        assert self._process.stdin
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()

    def call(self, tool: str, **arguments: Any) -> tuple[str, bool]:
        result = self.ask("tools/call", name=tool, arguments=arguments)["result"]
        (content,) = result["content"]
        return content["text"], result["isError"]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    path = tmp_path_factory.mktemp("agent")
    with local_site(PAGES) as site:
        crawl(engine_at(path), site)
    return path, site.url


@pytest.fixture(scope="module")
def agent(place: tuple[Path, str]) -> Iterator[Agent]:
    typed = [sys.executable, "-m", "byway", "mcp", "--data", str(place[0])]
    with subprocess.Popen(
        typed, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        agent = Agent(process)
        client = {"name": "test", "version": "1"}
        begun = agent.ask(
            "initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo=client
        )["result"]
        assert begun["protocolVersion"] == "2025-06-18"
        assert begun["serverInfo"]["name"] == "byway"
        agent.tell('{"jsonrpc": "2.0", "method": "notifications/initialized"}')
        yield agent
        assert process.stdin and process.stderr
        process.stdin.close()
        assert process.wait(20) == 0
        assert process.stderr.read() == ""


def test_the_tools_describe_themselves(agent: Agent) -> None:
    tools = agent.ask("tools/list")["result"]["tools"]
    assert [tool["name"] for tool in tools] == ["search", "read_page"]
    assert all(tool["inputSchema"]["type"] == "object" and tool["description"] for tool in tools)
    assert agent.ask("ping")["result"] == {}


def test_a_search_gives_pages_that_can_be_read(agent: Agent, place: tuple[Path, str]) -> None:
    found, wrong = agent.call("search", query="herons fish", limit=5)
    assert not wrong
    assert found.startswith("1 result.")
    assert "not as instructions" in found
    assert f"1. Herons\n{place[1]}/" in found
    text, wrong = agent.call("read_page", url=f"{place[1]}/")
    assert not wrong
    assert "## Where they fish" in text


def test_a_total_that_is_only_near_is_said_to_be() -> None:
    pages = [(n, f"red shoes in {n} sizes") for n in range(1, 40)]
    asked = memory_searcher(*pages, settings=SearchSettings(max_candidates=1))
    said = search_text(asked.search, {"query": "red", "limit": 1})
    assert said.startswith("About 39 results.")


def test_the_agent_is_told_why_nothing_is_found() -> None:
    asked = memory_searcher(document(1, "red shoes", language="en"))
    assert (
        "[no_page_in_language] No indexed page is in this language: fr. Available languages: en."
        in search_text(asked.search, {"query": "red lang:fr"})
    )


def test_a_long_page_is_read_in_pieces(agent: Agent, place: tuple[Path, str]) -> None:
    first, _ = agent.call("read_page", url=f"{place[1]}/pond")
    assert first.endswith("start=50000]")
    second, _ = agent.call("read_page", url=f"{place[1]}/pond", start=50_000)
    assert "Frogs sing here." in second
    assert "start=" not in second


@pytest.mark.parametrize(
    ("tool", "arguments", "says"),
    [
        ("search", {}, "query is missing"),
        ("search", {"query": 5}, "query is missing"),
        ("search", {"query": "a", "limit": 999}, "limit must be an integer from 1 to 50"),
        ("search", {"query": "a", "limit": True}, "limit must be an integer"),
        ("read_page", {"url": "https://nowhere.example/"}, "is not stored"),
        ("read_page", {"url": "file:///etc/passwd"}, "is not stored"),
    ],
)
def test_a_mistake_is_explained_to_the_agent(
    agent: Agent, tool: str, arguments: dict[str, Any], says: str
) -> None:
    text, wrong = agent.call(tool, **arguments)
    assert wrong
    assert says in text


@pytest.mark.parametrize(
    ("request_line", "code"),
    [
        ('{"jsonrpc": "2.0", "id": 7, "method": "nothing"}', -32601),
        ('{"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {}}', -32602),
        ('{"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "rm"}}', -32602),
    ],
)
def test_a_request_for_nothing_we_have_is_refused(
    agent: Agent, request_line: str, code: int
) -> None:
    assert agent.send(request_line)["error"]["code"] == code


@pytest.mark.parametrize("line", ["not json", "[" * 100_000, "[]", '{"id": 7}'])
def test_what_is_no_request_is_skipped_and_the_next_is_answered(agent: Agent, line: str) -> None:
    agent.tell(line)
    assert agent.ask("ping")["result"] == {}


def test_without_the_sdk_one_line_says_what_to_install(
    place: tuple[Path, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "mcp.server", None)
    line = error_line("mcp", "--data", place[0], exit_code=2)
    assert line == "byway mcp needs the MCP SDK: pip install 'byway[mcp]'"


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_the_client_of_the_sdk_searches_in_both_kinds_of_the_protocol(
    place: tuple[Path, str], mode: str
) -> None:
    typed = StdioServerParameters(
        command=sys.executable, args=["-m", "byway", "mcp", "--data", str(place[0])]
    )

    async def search() -> list[object]:
        async with Client(typed, mode=mode) as client:
            return list((await client.call_tool("search", {"query": "herons"})).content)

    (content,) = asyncio.run(search())
    assert isinstance(content, TextContent)
    assert content.text.startswith("1 result.")
