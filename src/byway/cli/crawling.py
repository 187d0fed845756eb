"""What commands that crawl share: their options, their seeds, and the crawl itself."""

import asyncio
import signal
import time
from collections.abc import Callable, Coroutine, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer
from rich.markup import escape

from byway.cli.options import settings_of
from byway.cli.output import progress, say
from byway.crawl.crawler import Crawler
from byway.crawl.recorder import Progress
from byway.engine import Engine
from byway.errors import UsageError
from byway.model import State, Url
from byway.url import guess

T = TypeVar("T")
Started = Callable[[Crawler], None]

Urls = Annotated[list[str] | None, typer.Argument(metavar="URL", help="Where to start.")]
Delay = Annotated[
    float | None, typer.Option("--delay", help="Seconds between two requests to one host.")
]
Pages = Annotated[int | None, typer.Option("--pages", "-c", help="Pages kept before it stops.")]
Depth = Annotated[int | None, typer.Option("--depth", "-d", help="Links followed from a seed.")]
Concurrency = Annotated[
    int | None, typer.Option("--concurrency", "-t", help="Requests under way at once.")
]
ScopeOption = Annotated[
    str | None,
    typer.Option("--scope", metavar="host|site|any", help="How far links are followed."),
]
AllowPrivate = Annotated[
    list[str] | None,
    typer.Option(
        "--allow-private", metavar="NETWORK", help="Visit this private network, as 10.0.0.0/8."
    ),
]


def opened(
    data: Path, overrides: Sequence[str] | None = None, flags: Mapping[str, object] | None = None
) -> Engine:
    """The engine of a data folder."""
    return Engine(data, settings_of(data, overrides, flags))


def crawl_flags(
    delay: float | None,
    pages: int | None,
    depth: int | None,
    concurrency: int | None,
    scope: str | None,
    allow_private: list[str] | None,
) -> dict[str, object]:
    """The crawl options as the settings they stand for."""
    return {
        "crawl.delay": delay,
        "crawl.max_pages": pages,
        "crawl.max_depth": depth,
        "crawl.concurrency": concurrency,
        "crawl.scope": scope,
        "crawl.allow_private": allow_private,
    }


def seeds(urls: list[str] | None, engine: Engine, file: Path | None = None) -> list[Url]:
    """The URLs that were typed or are in a file; none will do where a crawl can go on."""
    lines = file.read_text(encoding="utf-8").splitlines() if file else []
    lines = [line.partition("#")[0].strip() for line in lines]
    named = [guess(url) for url in [*(urls or []), *filter(None, lines)]]
    if not named and not engine.folder.crawl_db.exists():
        raise UsageError("no URL to start from; name one, as https://example.org/")
    if not named:
        with engine.reading() as reading:
            if not reading.seeds():
                raise UsageError("no URL to start from; name one, as https://example.org/")
    return named


def summary(ended: Progress) -> str:
    """How a crawl ended, in a line."""
    seen = f", {ended.unchanged:,} unchanged, {ended.gone:,} gone" if ended.unchanged else ""
    now = f"{ended.recorded:,} pages fetched now{seen}"
    return f"{now}, {ended.kept:,} kept in all, {ended.failed:,} failed"


def run(engine: Engine, named: list[Url], again: bool = False) -> tuple[Progress, bool]:
    """Crawl until it is over or interrupted; says which."""
    ended, interrupted = watched(lambda started: engine.crawl(named, started, again))
    _tell_lost_seeds(engine)
    return ended, interrupted


def watched(work: Callable[[Started], Coroutine[Any, Any, T]]) -> tuple[T, bool]:
    """Run a crawl with its progress shown and Ctrl-C obeyed; says whether that came."""
    interrupted = False

    async def watch() -> T:
        loop = asyncio.get_running_loop()
        shows: list[asyncio.Task[None]] = []  # a task that nobody holds may be collected
        with progress("starting") as shown:

            def started(crawler: Crawler) -> None:
                def stop(by_hand: bool) -> None:
                    nonlocal interrupted
                    interrupted = by_hand
                    say("stopping: finishing what is under way")
                    crawler.stop()

                loop.add_signal_handler(signal.SIGINT, stop, True)
                loop.add_signal_handler(signal.SIGTERM, stop, False)
                shows.append(loop.create_task(_show(crawler, shown.update)))

            return await work(started)

    return asyncio.run(watch()), interrupted


LED_SOMEWHERE = (State.KEPT, State.WALKED, State.REDIRECTED, State.QUEUED)


def _tell_lost_seeds(engine: Engine) -> None:
    """Whoever named a URL wants to know when it led nowhere."""
    with engine.reading() as reading:
        for url in reading.seeds():
            record = reading.look_up(url)
            if record and record.state not in LED_SOMEWHERE:
                say(escape(f"{url} was not kept: {record.state}: {record.reason}"))


async def _show(crawler: Crawler, update: Callable[[str], None]) -> None:
    start, first = time.monotonic(), crawler.progress.recorded
    while True:
        await asyncio.sleep(0.2)
        now = crawler.progress
        rate = (now.recorded - first) / max(time.monotonic() - start, 0.1)
        doing = f"{now.paused}  " if now.paused else f"{rate:.1f}/s  {now.last[:70]}"
        update(f"{now.kept:,} pages kept, {now.failed:,} failed, {doing}")
