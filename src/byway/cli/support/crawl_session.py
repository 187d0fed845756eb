"""What commands that crawl share: their options, their seeds, and the crawl itself."""

import asyncio
import signal
from collections.abc import Callable, Coroutine, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer
import uvloop
from rich.markup import escape

from byway.app.engine import Engine
from byway.cli.support.options import read_lines, settings_from_options
from byway.cli.support.output import pluralize, print_notice, progress, sanitize
from byway.cli.support.progress import show_progress
from byway.core.errors import UnreachableError, UsageError
from byway.core.messages import t, text
from byway.core.model import Job, Url
from byway.core.url import parse_typed_url

if TYPE_CHECKING:  # whoever crawls has loaded them, and nobody else needs them
    from byway.crawl.crawler import Crawler
    from byway.crawl.recorder import CrawlProgress

T = TypeVar("T")
StartedCallback = Callable[["Crawler"], None]

SeedUrlsArgument = Annotated[
    list[str] | None, typer.Argument(metavar="URL", help="Where to start.")
]
DelayOption = Annotated[
    float | None, typer.Option("--delay", help="Seconds between two requests to one host.")
]
MaxPagesOption = Annotated[
    int | None,
    typer.Option(
        "--pages", "-c", help="Pages kept before it stops, in all, or with --job of that job."
    ),
]
MaxDepthOption = Annotated[
    int | None, typer.Option("--depth", "-d", help="Links followed from a seed.")
]
ConcurrencyOption = Annotated[
    int | None, typer.Option("--concurrency", "-t", help="Requests under way at once.")
]
ScopeOption = Annotated[
    str | None,
    typer.Option("--scope", metavar="host|site|any", help="How far links are followed."),
]
AllowPrivateOption = Annotated[
    list[str] | None,
    typer.Option(
        "--allow-private", metavar="NETWORK", help="Visit this private network, as 10.0.0.0/8."
    ),
]


def open_engine(
    data: Path, overrides: Sequence[str] | None = None, flags: Mapping[str, object] | None = None
) -> Engine:
    """The engine of a data folder."""
    return Engine(data, settings_from_options(data, overrides, flags))


def crawl_overrides(
    delay: float | None,
    max_pages: int | None,
    max_depth: int | None,
    concurrency: int | None,
    scope: str | None,
    allow_private: list[str] | None,
) -> dict[str, object]:
    """The crawl options as the settings they stand for."""
    return {
        "crawl.delay": delay,
        "crawl.max_pages": max_pages,
        "crawl.max_depth": max_depth,
        "crawl.concurrency": concurrency,
        "crawl.scope": scope,
        "crawl.allow_private": allow_private,
    }


def resolve_seeds(urls: list[str] | None, engine: Engine, file: Path | None = None) -> list[Url]:
    """The URLs that were typed or are in a file; none will do where a crawl can go on."""
    lines = read_lines(file, "name a text with a URL on each line") if file else []
    lines = [line.partition("#")[0].strip() for line in lines]
    named = [parse_typed_url(url) for url in [*(urls or []), *filter(None, lines)]]
    if not named and not engine.folder.crawl_db.exists():
        raise UsageError("no URL to start from; name one, as https://example.org/")
    if not named:
        with engine.search_session() as reading:
            if not reading.seeds():
                raise UsageError("no URL to start from; name one, as https://example.org/")
    return named


def raise_if_unreachable(result: "CrawlProgress") -> None:
    """A crawl that nobody answered has failed: say who, and what helps."""
    if result.nobody_answered:
        raise UnreachableError("nobody_answered", hosts=result.silent_hosts)


def print_unreachable_hosts(result: "CrawlProgress") -> None:
    """Name the hosts that did not answer while others did."""
    hosts = result.silent_hosts
    if hosts and not result.nobody_answered:
        at_least = hosts.code == "silent_hosts_and_at_least_more"
        key = "reason.note.at_least_hosts_silent" if at_least else "reason.note.hosts_silent"
        total = hosts.params["total"]
        print_notice(escape(sanitize(t(key, count=int(str(total)), hosts=hosts))))


def crawl_summary(result: "CrawlProgress") -> str:
    """How a crawl ended, in a line."""
    counts = {
        "unchanged": result.unchanged,
        "not there (in an hour at the earliest, --again makes sure)": result.missing,
        "not seen again": result.failed_revisits,
        "gone": result.gone,
        "failed": result.failed,
        "blocked (see --allow-private)": result.blocked,
    }
    rest = "".join(f", {count:,} {name}" for name, count in counts.items() if count)
    now = f"{pluralize(result.recorded, 'page')} fetched now, {result.kept:,} kept in all{rest}"
    return f"{text(result.end_reason)}: {now}"


def run_crawl(
    engine: Engine, seed_urls: list[Url], due_by: float = 0.0, job: Job | None = None
) -> "tuple[CrawlProgress, int]":
    """Crawl until it is over or stopped by a signal; says by which, or 0."""
    if engine.folder.is_paused():
        print_notice(f"paused; `byway resume --data {engine.folder.path}` lets it go on")
    if job and engine.folder.is_paused(job.name):
        again = f"`byway resume --job {job.name} --data {engine.folder.path}`"
        print_notice(f"the job {job.name} is paused; {again} lets it go on")
    return run_with_progress(lambda started: engine.crawl(seed_urls, started, due_by, job))


def run_with_progress(work: Callable[[StartedCallback], Coroutine[Any, Any, T]]) -> tuple[T, int]:
    """Run a crawl with its progress shown; says which signal stopped it, or 0."""
    stopped = 0
    running: list[Crawler] = []

    def stop_by(number: int) -> None:
        nonlocal stopped
        stopped = number
        print_notice("stopping: finishing what is under way")
        for crawler in running:
            crawler.stop()

    async def watch() -> T:
        loop = asyncio.get_running_loop()
        shows: list[asyncio.Task[None]] = []  # a task that nobody holds may be collected
        loop.add_signal_handler(signal.SIGUSR1, stop_by, int(signal.SIGUSR1))
        # `main` held it back: who told us before we could hear it is heard now.
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGUSR1})
        with progress("starting") as shown:

            def started(crawler: "Crawler") -> None:
                running.append(crawler)
                for by in (signal.SIGINT, signal.SIGTERM):
                    loop.add_signal_handler(by, stop_by, int(by))
                if stopped:
                    crawler.stop()
                shows.append(loop.create_task(show_progress(crawler, shown.update)))

            ended = await work(started)
            await asyncio.sleep(0.25)  # the last notes are told
            return ended

    return uvloop.run(watch()), stopped
