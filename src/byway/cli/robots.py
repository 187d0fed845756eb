"""Robots: what does a robots.txt allow, and which line of it says so?"""

import asyncio
import logging
from collections.abc import Iterator
from json import dumps
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from byway.cli.support.crawl_session import AllowPrivateOption
from byway.cli.support.options import (
    DEFAULT_DATA_DIR,
    DataOption,
    SetOption,
    VerboseOption,
    require_file,
    settings_from_options,
)
from byway.cli.support.output import print_notice, sanitize
from byway.core.errors import UsageError
from byway.core.messages import message_as_json, text
from byway.core.model import Url
from byway.core.settings.schema import CrawlSettings
from byway.core.url import WEB_SCHEMES, host_of, normalize, parse_typed_url
from byway.crawl.http.fetcher import Fetcher, fetch_robots
from byway.crawl.http.ssrf_guard import SsrfGuard
from byway.crawl.robots.parser import (
    MAX_ROBOTS_BYTES,
    WILDCARD_AGENT,
    RobotsDecision,
    RobotsRules,
    parse,
    product_token,
)

ORDER = 14

STDIN_MARKER = "-"

SourceArgument = Annotated[
    str,
    typer.Argument(
        metavar="FILE|URL",
        help="A robots.txt on this machine, or any URL of the host whose robots.txt is meant.",
    ),
]
UrlsArgument = Annotated[
    list[str] | None,
    typer.Argument(metavar="URL", help="The URLs to ask about; - reads them from stdin."),
]
AgentOption = Annotated[
    str,
    typer.Option(
        "--agent",
        metavar="NAME",
        help="The robot: its name, a user agent that begins with it, or * for any other. "
        "By default, ours.",
    ),
]
JsonLinesOption = Annotated[
    bool, typer.Option("--json", help="Print one JSON object for each URL.")
]


def command(
    source: SourceArgument,
    urls: UrlsArgument = None,
    agent: AgentOption = "",
    allow_private: AllowPrivateOption = None,
    data: DataOption = DEFAULT_DATA_DIR,
    set: SetOption = None,
    json: JsonLinesOption = False,
    verbose: VerboseOption = False,
) -> None:
    """Say which URLs a robots.txt allows and by which line; without URLs, stdin has one a line.

    It is fetched and read just as a crawl does it. -v shows its delay and sitemaps too.
    """
    settings = settings_from_options(data, set, {"crawl.allow_private": allow_private}).crawl
    robot = _robot(agent or settings.user_agent)
    home = normalize(source) if source.lower().startswith(WEB_SCHEMES) else None
    robots = asyncio.run(_fetched(home, settings)) if home else _read(Path(source))
    if logging.getLogger("byway").isEnabledFor(logging.DEBUG):  # as -v makes it
        _tell(robots, robot)
    for typed in _each(urls or [STDIN_MARKER]):
        url = _on(home, parse_typed_url(typed))
        decision = robots.decide(robot, url)
        print(_as_json(url, decision) if json else _as_text(url, decision))


def _robot(agent: str) -> str:
    """The name that robots.txt knows a robot by."""
    name = WILDCARD_AGENT if agent.strip() == WILDCARD_AGENT else product_token(agent.strip())
    if not name:
        raise UsageError(
            f"--agent {agent!r}: the name of a robot begins with a letter, as byway, or is *"
        )
    return name


async def _fetched(url: Url, settings: CrawlSettings) -> RobotsRules:
    async with Fetcher(settings, SsrfGuard(settings.allow_private)) as fetcher:
        return await fetch_robots(fetcher, url)


def _read(path: Path) -> RobotsRules:
    require_file(path, "a URL begins with http:// or https://")
    with path.open("rb") as file:
        return parse(file.read(MAX_ROBOTS_BYTES + 1))


def _each(texts: list[str]) -> Iterator[str]:
    """What to ask about, line by line as it comes."""
    for given in texts:
        if given != STDIN_MARKER:
            yield given
            continue
        for line in typer.get_binary_stream("stdin"):
            if typed := line.decode("utf-8", "replace").strip("\ufeff \t\r\n"):
                yield typed


def _on(home: Url | None, url: Url) -> Url:
    """The URL, if this robots.txt has a say in it."""
    if home and (host_of(home), home.partition(":")[0]) != (host_of(url), url.partition(":")[0]):
        start = normalize("/", home)
        raise UsageError(f"{url} does not begin with {start}, so its robots.txt is another")
    return url


def _tell(robots: RobotsRules, robot: str) -> None:
    delay = robots.crawl_delay(robot)
    print_notice(f"Crawl-delay: {'none' if delay is None else f'{delay:g} s'}")
    for sitemap in robots.sitemaps:
        print_notice(escape(f"Sitemap: {sanitize(sitemap)}"))


def _as_text(url: Url, decision: RobotsDecision) -> str:
    verdict = "allowed" if decision.allowed else "forbidden"
    return sanitize(f"{verdict:9}  {url}  ({text(decision.reason)})")


def _as_json(url: Url, decision: RobotsDecision) -> str:
    found = {
        "url": url,
        "allowed": decision.allowed,
        "rule": decision.rule,
        "line": decision.line or None,
        "reason": message_as_json(decision.reason),
    }
    return dumps(found, ensure_ascii=False)
