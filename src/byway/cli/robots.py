"""`byway robots`: check URLs against a robots.txt."""

import asyncio
import logging
from collections.abc import Iterator
from json import dumps
from pathlib import Path
from typing import Annotated

import typer

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
from byway.core.messages import message_as_json, t, text
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

PANEL = "Inspect"
ORDER = 5

STDIN_MARKER = "-"

SourceArgument = Annotated[
    str,
    typer.Argument(
        metavar="FILE|URL",
        help="A robots.txt file, or any URL of the host whose robots.txt to fetch.",
    ),
]
UrlsArgument = Annotated[
    list[str] | None,
    typer.Argument(metavar="URL", help="URLs to check; - reads them from stdin."),
]
UserAgentOption = Annotated[
    str,
    typer.Option(
        "--user-agent",
        metavar="NAME",
        help="Name of the robot, or its whole user agent; * for any other robot. "
        "Default: crawl.user_agent.",
    ),
]
JsonLinesOption = Annotated[
    bool, typer.Option("--json", help="Print one JSON object for each URL.")
]


def command(
    source: SourceArgument,
    urls: UrlsArgument = None,
    user_agent: UserAgentOption = "",
    allow_private: AllowPrivateOption = None,
    data: DataOption = DEFAULT_DATA_DIR,
    set: SetOption = None,
    json: JsonLinesOption = False,
    verbose: VerboseOption = False,
) -> None:
    """Check URLs against a robots.txt.

    Prints whether each URL is allowed, and which line decides. Without URLs, reads them from stdin,
    one per line. The file is fetched and parsed as in a crawl. -v also shows its Crawl-delay and
    sitemaps.
    """
    settings = settings_from_options(data, set, {"crawl.allow_private": allow_private}).crawl
    token = _product_token(user_agent or settings.user_agent)
    home = normalize(source) if source.lower().startswith(WEB_SCHEMES) else None
    robots = asyncio.run(_fetch(home, settings)) if home else _read(Path(source))
    if logging.getLogger("byway").isEnabledFor(logging.DEBUG):  # set by -v
        _print_details(robots, token)
    for line in _read_urls(urls or [STDIN_MARKER]):
        url = _require_same_host(home, parse_typed_url(line))
        decision = robots.decide(token, url)
        print(_as_json(url, decision) if json else _as_text(url, decision))


def _product_token(user_agent: str) -> str:
    """The name by which a robots.txt addresses a robot."""
    name = user_agent.strip()
    token = WILDCARD_AGENT if name == WILDCARD_AGENT else product_token(name)
    if not token:
        raise UsageError("cli.wrong_user_agent", user_agent=repr(user_agent))
    return token


async def _fetch(url: Url, settings: CrawlSettings) -> RobotsRules:
    async with Fetcher(settings, SsrfGuard(settings.allow_private)) as fetcher:
        return await fetch_robots(fetcher, url)


def _read(path: Path) -> RobotsRules:
    require_file(path, "cli.robots_file")
    with path.open("rb") as file:
        return parse(file.read(MAX_ROBOTS_BYTES + 1))


def _read_urls(arguments: list[str]) -> Iterator[str]:
    """The URLs to check, from the command line and, for `-`, from stdin as the lines arrive."""
    for argument in arguments:
        if argument != STDIN_MARKER:
            yield argument
            continue
        for line in typer.get_binary_stream("stdin"):
            if url := line.decode("utf-8", "replace").strip("\ufeff \t\r\n"):
                yield url


def _require_same_host(home: Url | None, url: Url) -> Url:
    """The URL, if this robots.txt applies to it."""
    if home and (host_of(home), home.partition(":")[0]) != (host_of(url), url.partition(":")[0]):
        raise UsageError("cli.robots_other_host", url=url, start=normalize("/", home))
    return url


def _print_details(robots: RobotsRules, token: str) -> None:
    delay = robots.crawl_delay(token)
    print_notice(f"Crawl-delay: {t('cli.none') if delay is None else f'{delay:g} s'}")
    for sitemap in robots.sitemaps:
        print_notice(f"Sitemap: {sanitize(sitemap)}")


def _as_text(url: Url, decision: RobotsDecision) -> str:
    verdict = t("cli.robots.allowed" if decision.allowed else "cli.robots.forbidden")
    return sanitize(f"{verdict:9}  {url}  ({text(decision.reason)})")


def _as_json(url: Url, decision: RobotsDecision) -> str:
    fields = {
        "url": url,
        "allowed": decision.allowed,
        "rule": decision.rule,
        "line": decision.line or None,
        "reason": message_as_json(decision.reason),
    }
    return dumps(fields, ensure_ascii=False)
