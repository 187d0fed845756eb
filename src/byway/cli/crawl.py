"""Crawl: fetch pages and keep them."""

import logging
import signal
import time
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from byway.app.engine import Engine
from byway.cli.jobs import known_job
from byway.cli.support.crawl_session import (
    AllowPrivate,
    Concurrency,
    Delay,
    Depth,
    Pages,
    ScopeOption,
    Urls,
    crawl_flags,
    opened,
    require_answers,
    run,
    say_who_is_silent,
    seeds,
    summary,
    watched,
)
from byway.cli.support.options import HERE, Data, Json, Set, Verbose, require_writable
from byway.cli.support.output import out, plain, print_json
from byway.core.errors import UsageError
from byway.core.model import Job
from byway.core.settings.schema import CrawlSettings
from byway.crawl.jobs import REACH, checked_name
from byway.crawl.recorder import Progress

if TYPE_CHECKING:
    from byway.app.recrawl_preview import Differences

ORDER = 21

Entry = Annotated[
    list[str] | None, typer.Option("--url", "-u", metavar="URL", help="Where to start, too.")
]
Seeds = Annotated[
    Path | None,
    typer.Option("--seeds", metavar="FILE", help="Where to start: a URL or domain on each line."),
]
Interval = Annotated[
    float | None, typer.Option("--interval", "-i", help="The delay in milliseconds.")
]
HostPattern = Annotated[
    str | None, typer.Option("--host", "-H", metavar="REGEX", help="Hosts that are followed.")
]
PathPattern = Annotated[
    str | None, typer.Option("--path", "-P", metavar="REGEX", help="Paths that are followed.")
]
KeepPattern = Annotated[
    str | None, typer.Option("--keep", metavar="REGEX", help="Paths that are kept.")
]
Firewall = Annotated[
    bool, typer.Option("--firewall", help="Follow no link from one seed's site to another's.")
]
LogFile = Annotated[
    Path | None, typer.Option("--log", "-l", metavar="FILE", help="Write every visit down here.")
]
JobName = Annotated[
    str | None,
    typer.Option(
        "--job",
        metavar="NAME",
        help="Crawl under this name, with a scope and limits that are remembered with it.",
    ),
]
Again = Annotated[bool, typer.Option("--again", help="See the pages again whose time has come.")]
All = Annotated[
    bool, typer.Option("--all", help="With --again: see every page again, be its time come or not.")
]
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="With --again: only say what would change.")
]


def command(
    urls: Urls = None,
    url: Entry = None,
    seeds_file: Seeds = None,
    delay: Delay = None,
    interval: Interval = None,
    pages: Pages = None,
    depth: Depth = None,
    concurrency: Concurrency = None,
    scope: ScopeOption = None,
    host: HostPattern = None,
    path: PathPattern = None,
    keep: KeepPattern = None,
    firewall: Firewall = False,
    allow_private: AllowPrivate = None,
    again: Again = False,
    all: All = False,
    dry_run: DryRun = False,
    job: JobName = None,
    log: LogFile = None,
    data: Data = HERE,
    set: Set = None,
    json: Json = False,
    verbose: Verbose = False,
) -> None:
    """Fetch pages from these URLs on, or go on where the last crawl stopped."""
    require_writable(log)
    delay = _seconds(interval) if interval is not None else delay
    flags = crawl_flags(delay, pages, depth, concurrency, scope, allow_private)
    flags |= {
        "crawl.host_pattern": host,
        "crawl.path_pattern": path,
        "crawl.keep_pattern": keep,
        "crawl.firewall": firewall or None,
    }
    engine = opened(data, set, flags)
    asked = _job(job, engine.settings.crawl, flags)
    if asked:
        # What a job has of its own is remembered with it and is not the folder's.
        engine = opened(data, set, {n: v for n, v in flags.items() if _key(n) not in REACH})
    if (dry_run or all) and not again:
        raise UsageError(
            f"{'--dry-run' if dry_run else '--all'} goes with --again, a second look at the pages"
        )
    if again and not (urls or url or seeds_file):
        engine.folder.require()
    due_by = inf if all else time.time() if again else 0.0
    if dry_run:
        from byway.app.recrawl_preview import look_again

        found, stopped = watched(
            lambda started: look_again(engine.folder, engine.settings, started, due_by)
        )
        _print_differences(found, json)
        if found.failed and not (found.changed or found.removed or found.unchanged or stopped):
            raise typer.Exit(1)
    else:
        named = seeds([*(urls or []), *(url or [])], engine, seeds_file)
        if job and not named:
            known_job(data, job)
        _log_to(log)
        ended, stopped = run(engine, named, due_by, asked)
        if json:
            counted = {"kept": ended.kept, "new": ended.recorded, "failed": ended.failed}
            seen = {"unchanged": ended.unchanged, "missing": ended.missing, "gone": ended.gone}
            print_json(counted | seen | {"unseen": ended.unseen})
        elif ended.kept or not ended.unanswered:
            out.print(summary(ended))
            if again and not _was_due(ended):
                out.print(_next_due(engine))
            if ended.unseen:
                out.print(f"most often: {plain(_commonest(ended))}", markup=False)
            if ended.recorded or ended.gone:
                out.print(_next_step(engine), markup=False)
        say_who_is_silent(ended)
        require_answers(ended)
        none_seen = ended.unseen > 0 and _was_due(ended) == ended.unseen + ended.failed
        # With --again there may be nothing to do, and that is well.
        all_blocked = ended.blocked > 0 and not again and not _was_due(ended)
        if (none_seen or all_blocked or not ended.kept) and not stopped:
            raise typer.Exit(1)
    if stopped == signal.SIGINT:
        raise KeyboardInterrupt


def _seconds(interval: float) -> float:
    if not 0 <= interval < inf:
        raise UsageError(f"--interval {interval:g} is no pause; write milliseconds, as 500")
    return interval / 1000


def _was_due(ended: Progress) -> int:
    """How many pages were looked for again, whatever came of it."""
    seen = ended.recorded + ended.unchanged + ended.missing + ended.gone
    return seen + ended.unseen + ended.failed


def _commonest(ended: Progress) -> str:
    """The reason that most URLs gave no page for."""
    return ended.causes.most_common(1)[0][0]


def _next_step(engine: Engine) -> str:
    """How what came is made findable."""
    if indexer := engine.folder.writer("index"):
        return f"process {indexer} indexes what came; it can be found in a moment"
    return f"next: byway index --data {engine.folder.path}"


def _next_due(engine: Engine) -> str:
    with engine.reading() as reading:
        due = reading.next_due()
    if due is None:
        return "no page was kept that could be seen again"
    day = time.strftime("%Y-%m-%d %H:%M", time.localtime(due))
    return f"no page is due before {day}; --all sees all of them again"


def _job(name: str | None, settings: CrawlSettings, flags: dict[str, object]) -> Job | None:
    """The job that was asked for, with what the options say of its reach."""
    if name is None:
        return None
    given = [_key(flag) for flag, value in flags.items() if value is not None]
    return Job(checked_name(name), {key: getattr(settings, key) for key in given if key in REACH})


def _key(flag: str) -> str:
    return flag.removeprefix("crawl.")


def _log_to(path: Path | None) -> None:
    if path is None:
        return
    handler = logging.FileHandler(path, encoding="utf-8")
    handler.setFormatter(logging.Formatter("%(asctime)s %(message)s"))
    for name in ("crawler", "unreachable_hosts"):
        told = logging.getLogger(f"byway.crawl.{name}")
        told.addHandler(handler)
        told.setLevel(logging.DEBUG)
        told.propagate = logging.getLogger("byway").isEnabledFor(logging.DEBUG)


def _print_differences(found: "Differences", json: bool) -> None:
    kinds = {
        "added": found.added,
        "changed": found.changed,
        "removed": found.removed,
        "failed": tuple(found.failed),
    }
    if json:
        print_json(kinds | {"unchanged": found.unchanged, "reasons": found.failed})
        return
    for kind, urls in kinds.items():
        for url in urls:
            why = f": {found.failed[url]}" if kind == "failed" else ""
            out.print(f"{kind:8} {plain(url + why)}", markup=False)
    counted = ", ".join(f"{len(urls):,} {kind}" for kind, urls in kinds.items())
    out.print(f"{counted}, {found.unchanged:,} unchanged; nothing was stored")
