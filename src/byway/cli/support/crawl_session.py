"""Crawl session of a command: seeds, the run with its progress line, and the summary."""

import signal
from collections.abc import Callable, Coroutine, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from byway.app.engine import Engine
from byway.app.processes.crawl_progress import CrawlSnapshot, progress_from_plain
from byway.app.processes.local_runner import LocalRunner
from byway.cli.support.options import read_lines, settings_from_options
from byway.cli.support.output import counted, print_notice, progress, sanitize
from byway.cli.support.progress import show_progress
from byway.cli.support.stop_signals import Events
from byway.core.errors import UnreachableError, UsageError, error_from_plain
from byway.core.messages import t
from byway.core.model import Job, ProcessSpec, Url
from byway.core.model.crawl_progress import CrawlProgress
from byway.core.url import parse_typed_url

if TYPE_CHECKING:
    from byway.app.processes.crawl_run import StartedCallback

T = TypeVar("T")


def open_engine(
    data: Path, overrides: Sequence[str] | None = None, flags: Mapping[str, object] | None = None
) -> Engine:
    """The engine of a data folder."""
    settings = settings_from_options(data, overrides, flags)
    if settings.storage.database == "memory":  # the other processes would not see the pages
        raise UsageError("cli.memory_storage")
    return Engine(data, settings)


def resolve_seeds(urls: list[str] | None, engine: Engine, file: Path | None = None) -> list[Url]:
    """The seed URLs from the command line and from a file; may be empty to continue a crawl."""
    lines = read_lines(file, "cli.seed_file") if file else []
    lines = [line.partition("#")[0].strip() for line in lines]
    seeds = [parse_typed_url(url) for url in [*(urls or []), *filter(None, lines)]]
    if not seeds and not engine.storage.has_data():
        raise UsageError("app.no_seeds")
    if not seeds:
        with engine.search_session() as session:
            if not session.catalog.seeds():
                raise UsageError("app.no_seeds")
    return seeds


def raise_if_unreachable(result: CrawlProgress) -> None:
    """Raise if no host answered: the crawl has failed."""
    if result.nobody_answered:
        raise UnreachableError("nobody_answered", hosts=result.silent_hosts)


def print_unreachable_hosts(result: CrawlProgress) -> None:
    """Print the hosts that did not answer, if others did."""
    hosts = result.silent_hosts
    if hosts and not result.nobody_answered:
        at_least = hosts.code == "silent_hosts_and_at_least_more"
        key = "reason.note.at_least_hosts_silent" if at_least else "reason.note.hosts_silent"
        print_notice(sanitize(t(key, count=int(str(hosts.params["total"])), hosts=hosts)))


def crawl_summary(result: CrawlProgress) -> str:
    """The result of a crawl in one line."""
    counts = {
        "unchanged": result.unchanged,
        "missing": result.missing,
        "not_revisited": result.failed_revisits,
        "gone": result.gone,
        "failed": result.failed,
        "blocked": result.blocked,
    }
    parts = [t(f"cli.crawl.{name}", count=count) for name, count in counts.items() if count]
    return ", ".join(
        [
            t(
                "cli.crawl.summary",
                end=result.end_reason,
                fetched=counted("pages", result.recorded),
                kept=result.kept,
            ),
            *parts,
        ]
    )


def run_crawl(
    engine: Engine, seed_urls: list[Url], due_by: float = 0.0, job: Job | None = None
) -> tuple[CrawlProgress, int]:
    """Crawl until the end or a signal; returns the signal's number, or 0."""
    print_if_paused(engine)
    if job and engine.storage.is_paused(job.name):
        print_notice(t("cli.crawl.job_paused", job=job.name, data=engine.storage.path))
    return run_with_progress(lambda started: engine.crawl(seed_urls, started, due_by, job))


def print_if_paused(engine: Engine) -> None:
    """Print a notice if the crawl is paused."""
    if engine.storage.is_paused():
        print_notice(t("cli.crawl.paused", data=engine.storage.path))


def run_with_progress(
    work: "Callable[[StartedCallback], Coroutine[Any, Any, T]]",
) -> tuple[T, int]:
    """Run a crawl and show its progress; returns the number of the signal that ended it, or 0."""
    from byway.app.processes.crawl_run import (
        run_until_signal,  # a supervisor does not crawl by itself
    )

    with progress(t("cli.crawl.starting")) as line:
        return run_until_signal(
            work,
            lambda snapshot: show_progress(snapshot, line.update),
            lambda: print_notice(t("cli.crawl.stopping")),
        )


def watch_crawl_process(
    runner: LocalRunner, spec: ProcessSpec, events: Events
) -> "tuple[CrawlProgress | None, bool]":
    """Start a crawl process and show its progress until it ends; SIGUSR1 stops it.

    Returns its result, or None if it had to be killed, and whether SIGINT or SIGTERM stopped it.
    """
    result, interrupted, error = None, False, None
    runner.start(spec, events.put)
    with progress(t("cli.crawl.starting")) as line:
        while "exit_code" not in (event := events.get()):
            if "snapshot" in event:
                show_progress(CrawlSnapshot.from_plain(event["snapshot"]), line.update)
            elif "result" in event:
                result = progress_from_plain(event["result"])
            elif "error" in event:
                error = error_from_plain(event["error"])
            elif "signal" in event:
                print_notice(t("cli.crawl.stopping"))
                interrupted = interrupted or event["signal"] != signal.SIGUSR1
                runner.stop(spec.name, timeout=None)
    if error:
        raise error
    return result, interrupted
