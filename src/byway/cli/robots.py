"""`byway robots`: check URLs against a robots.txt."""

import logging
from collections.abc import Iterator
from json import dumps
from pathlib import Path
from typing import Annotated

import typer

from byway.app.preview.robots_check import RobotsCheck
from byway.cli.support import options
from byway.cli.support.options import require_file, settings_from_options
from byway.cli.support.output import print_notice, sanitize
from byway.core.messages import message_as_json, t, text
from byway.core.model import Url
from byway.core.model.url_state import RobotsDecision
from byway.core.url import WEB_SCHEMES, normalize, parse_typed_url

PANEL = "Inspect"
ORDER = 5

STDIN_MARKER = "-"

SourceArgument = Annotated[
    str,
    typer.Argument(
        metavar="FILE|URL",
        help="A robots.txt file, or any URL on the host whose robots.txt should be fetched.",
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
        help="Robot name or full User-Agent header; * means any robot not named in a group. "
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
    allow_private: options.AllowPrivateOption = None,
    data: options.DataOption = options.DEFAULT_DATA_DIR,
    set: options.SetOption = None,
    json: JsonLinesOption = False,
    verbose: options.VerboseOption = False,
) -> None:
    """Check URLs against a robots.txt.

    Prints whether each URL is allowed, and the robots.txt line that decides. If no URLs are given,
    they are read from stdin, one per line. The file is fetched and parsed as in a crawl. -v also
    shows its Crawl-delay and sitemaps.
    """
    settings = settings_from_options(data, set, {"crawl.allow_private": allow_private}).crawl
    is_web = source.lower().startswith(WEB_SCHEMES)
    if not is_web:
        require_file(Path(source), "cli.robots_file")
    location = normalize(source) if is_web else Path(source)
    check = RobotsCheck(location, user_agent or settings.user_agent, settings)
    if logging.getLogger("byway").isEnabledFor(logging.DEBUG):  # set by -v
        _print_details(check)
    for line in _read_urls(urls or [STDIN_MARKER]):
        url = parse_typed_url(line)
        decision = check.decide(url)
        print(_as_json(url, decision) if json else _as_text(url, decision))


def _read_urls(arguments: list[str]) -> Iterator[str]:
    """The URLs to check, from the command line and, for `-`, from stdin as the lines arrive."""
    for argument in arguments:
        if argument != STDIN_MARKER:
            yield argument
            continue
        for line in typer.get_binary_stream("stdin"):
            if url := line.decode("utf-8", "replace").strip("\ufeff \t\r\n"):
                yield url


def _print_details(check: RobotsCheck) -> None:
    delay = check.crawl_delay
    print_notice(f"Crawl-delay: {t('cli.none') if delay is None else f'{delay:g} s'}")
    for sitemap in check.sitemaps:
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
