"""Robots: what does a robots.txt allow, and which line of it says so?"""

import asyncio
import logging
from collections.abc import Iterator
from json import dumps
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from byway.cli.support.crawl_session import AllowPrivate
from byway.cli.support.options import HERE, Data, Set, Verbose, require_file, settings_of
from byway.cli.support.output import plain, say
from byway.core.errors import UsageError
from byway.core.model import Url
from byway.core.settings.schema import CrawlSettings
from byway.core.url import WEB, guess, host_of, normalise
from byway.crawl.http.fetcher import Fetcher, fetch_robots
from byway.crawl.http.ssrf_guard import Guard
from byway.crawl.robots.parser import ANYONE, MOST_BYTES, Decision, Robots, parse, product_token

ORDER = 14

STDIN = "-"

Source = Annotated[
    str,
    typer.Argument(
        metavar="FILE|URL",
        help="A robots.txt on this machine, or any URL of the host whose robots.txt is meant.",
    ),
]
Asked = Annotated[
    list[str] | None,
    typer.Argument(metavar="URL", help="The URLs to ask about; - reads them from stdin."),
]
Agent = Annotated[
    str,
    typer.Option(
        "--agent",
        metavar="NAME",
        help="The robot: its name, a user agent that begins with it, or * for any other. "
        "By default, ours.",
    ),
]
JsonLines = Annotated[bool, typer.Option("--json", help="Print one JSON object for each URL.")]


def command(
    source: Source,
    urls: Asked = None,
    agent: Agent = "",
    allow_private: AllowPrivate = None,
    data: Data = HERE,
    set: Set = None,
    json: JsonLines = False,
    verbose: Verbose = False,
) -> None:
    """Say which URLs a robots.txt allows and by which line; without URLs, stdin has one a line.

    It is fetched and read just as a crawl does it. -v shows its delay and sitemaps too.
    """
    settings = settings_of(data, set, {"crawl.allow_private": allow_private}).crawl
    robot = _robot(agent or settings.user_agent)
    home = normalise(source) if source.lower().startswith(WEB) else None
    robots = asyncio.run(_fetched(home, settings)) if home else _read(Path(source))
    if logging.getLogger("byway").isEnabledFor(logging.DEBUG):  # as -v makes it
        _tell(robots, robot)
    for text in _each(urls or [STDIN]):
        url = _on(home, guess(text))
        decision = robots.decide(robot, url)
        print(_as_json(url, decision) if json else _as_text(url, decision))


def _robot(agent: str) -> str:
    """The name that robots.txt knows a robot by."""
    name = ANYONE if agent.strip() == ANYONE else product_token(agent.strip())
    if not name:
        raise UsageError(
            f"--agent {agent!r}: the name of a robot begins with a letter, as byway, or is *"
        )
    return name


async def _fetched(url: Url, settings: CrawlSettings) -> Robots:
    async with Fetcher(settings, Guard(settings.allow_private)) as fetcher:
        return await fetch_robots(fetcher, url)


def _read(path: Path) -> Robots:
    require_file(path, "a URL begins with http:// or https://")
    with path.open("rb") as file:
        return parse(file.read(MOST_BYTES + 1))


def _each(texts: list[str]) -> Iterator[str]:
    """What to ask about, line by line as it comes."""
    for text in texts:
        if text != STDIN:
            yield text
            continue
        for line in typer.get_binary_stream("stdin"):
            if typed := line.decode("utf-8", "replace").strip("\ufeff \t\r\n"):
                yield typed


def _on(home: Url | None, url: Url) -> Url:
    """The URL, if this robots.txt has a say in it."""
    if home and (host_of(home), home.partition(":")[0]) != (host_of(url), url.partition(":")[0]):
        start = normalise("/", home)
        raise UsageError(f"{url} does not begin with {start}, so its robots.txt is another")
    return url


def _tell(robots: Robots, robot: str) -> None:
    delay = robots.crawl_delay(robot)
    say(f"Crawl-delay: {'none' if delay is None else f'{delay:g} s'}")
    for sitemap in robots.sitemaps:
        say(escape(f"Sitemap: {plain(sitemap)}"))


def _as_text(url: Url, decision: Decision) -> str:
    verdict = "allowed" if decision.allowed else "forbidden"
    why = f"line {decision.line}: {decision.rule}" if decision.line else decision.rule
    return plain(f"{verdict:9}  {url}  ({why or 'no rule speaks of it'})")


def _as_json(url: Url, decision: Decision) -> str:
    told = {"url": url, **decision._asdict(), "line": decision.line or None}
    return dumps(told, ensure_ascii=False)
