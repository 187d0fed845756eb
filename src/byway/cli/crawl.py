"""Crawl: fetch pages and keep them."""

import logging
import signal
import time
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from byway.app.engine import Engine
from byway.cli.jobs import require_job
from byway.cli.support.crawl_session import (
    AllowPrivateOption,
    ConcurrencyOption,
    DelayOption,
    MaxDepthOption,
    MaxPagesOption,
    ScopeOption,
    SeedUrlsArgument,
    crawl_overrides,
    crawl_summary,
    open_engine,
    print_unreachable_hosts,
    raise_if_unreachable,
    resolve_seeds,
    run_crawl,
    run_with_progress,
)
from byway.cli.support.options import (
    DEFAULT_DATA_DIR,
    DataOption,
    JsonOption,
    SetOption,
    VerboseOption,
    require_writable,
)
from byway.cli.support.output import out, print_json, sanitize
from byway.core.errors import UsageError
from byway.core.messages import message_as_json, text
from byway.core.model import Job
from byway.core.settings.schema import CrawlSettings
from byway.crawl.jobs import JOB_SETTING_NAMES, validate_job_name
from byway.crawl.recorder import CrawlProgress

if TYPE_CHECKING:
    from byway.app.recrawl_preview import RecrawlDifferences

ORDER = 21

UrlOption = Annotated[
    list[str] | None, typer.Option("--url", "-u", metavar="URL", help="Where to start, too.")
]
SeedsOption = Annotated[
    Path | None,
    typer.Option("--seeds", metavar="FILE", help="Where to start: a URL or domain on each line."),
]
IntervalOption = Annotated[
    float | None, typer.Option("--interval", "-i", help="The delay in milliseconds.")
]
HostPatternOption = Annotated[
    str | None, typer.Option("--host", "-H", metavar="REGEX", help="Hosts that are followed.")
]
PathPatternOption = Annotated[
    str | None, typer.Option("--path", "-P", metavar="REGEX", help="Paths that are followed.")
]
KeepPatternOption = Annotated[
    str | None, typer.Option("--keep", metavar="REGEX", help="Paths that are kept.")
]
FirewallOption = Annotated[
    bool, typer.Option("--firewall", help="Follow no link from one seed's site to another's.")
]
LogFileOption = Annotated[
    Path | None, typer.Option("--log", "-l", metavar="FILE", help="Write every visit down here.")
]
JobOption = Annotated[
    str | None,
    typer.Option(
        "--job",
        metavar="NAME",
        help="Crawl under this name, with a scope and limits that are remembered with it.",
    ),
]
RecrawlOption = Annotated[
    bool, typer.Option("--again", help="See the pages again whose time has come.")
]
AllPagesOption = Annotated[
    bool, typer.Option("--all", help="With --again: see every page again, be its time come or not.")
]
DryRunOption = Annotated[
    bool, typer.Option("--dry-run", help="With --again: only say what would change.")
]


def command(
    urls: SeedUrlsArgument = None,
    more_urls: UrlOption = None,
    seeds_file: SeedsOption = None,
    delay: DelayOption = None,
    interval: IntervalOption = None,
    pages: MaxPagesOption = None,
    depth: MaxDepthOption = None,
    concurrency: ConcurrencyOption = None,
    scope: ScopeOption = None,
    host_pattern: HostPatternOption = None,
    path_pattern: PathPatternOption = None,
    keep_pattern: KeepPatternOption = None,
    firewall: FirewallOption = False,
    allow_private: AllowPrivateOption = None,
    recrawl: RecrawlOption = False,
    all_pages: AllPagesOption = False,
    dry_run: DryRunOption = False,
    job: JobOption = None,
    log_file: LogFileOption = None,
    data: DataOption = DEFAULT_DATA_DIR,
    set: SetOption = None,
    json: JsonOption = False,
    verbose: VerboseOption = False,
) -> None:
    """Fetch pages from these URLs on, or go on where the last crawl stopped."""
    require_writable(log_file)
    delay = _seconds(interval) if interval is not None else delay
    flags = crawl_overrides(delay, pages, depth, concurrency, scope, allow_private)
    flags |= {
        "crawl.host_pattern": host_pattern,
        "crawl.path_pattern": path_pattern,
        "crawl.keep_pattern": keep_pattern,
        "crawl.firewall": firewall or None,
    }
    engine = open_engine(data, set, flags)
    asked = _job(job, engine.settings.crawl, flags)
    if asked:
        # What a job has of its own is remembered with it and is not the folder's.
        engine = open_engine(
            data, set, {n: v for n, v in flags.items() if _key(n) not in JOB_SETTING_NAMES}
        )
    if (dry_run or all_pages) and not recrawl:
        raise UsageError(
            f"{'--dry-run' if dry_run else '--all'} goes with --again, a second look at the pages"
        )
    if recrawl and not (urls or more_urls or seeds_file):
        engine.folder.require_data()
    due_by = inf if all_pages else time.time() if recrawl else 0.0
    if dry_run:
        from byway.app.recrawl_preview import preview_recrawl

        found, stopped = run_with_progress(
            lambda started: preview_recrawl(engine.folder, engine.settings, started, due_by)
        )
        _print_differences(found, json)
        if found.failed and not (found.changed or found.removed or found.unchanged or stopped):
            raise typer.Exit(1)
    else:
        named = resolve_seeds([*(urls or []), *(more_urls or [])], engine, seeds_file)
        if job and not named:
            require_job(data, job)
        _log_to(log_file)
        ended, stopped = run_crawl(engine, named, due_by, asked)
        if json:
            counted = {"kept": ended.kept, "new": ended.recorded, "failed": ended.failed}
            seen = {"unchanged": ended.unchanged, "missing": ended.missing, "gone": ended.gone}
            end = {"unseen": ended.failed_revisits, "end_reason": message_as_json(ended.end_reason)}
            print_json(counted | seen | end)
        elif ended.kept or not ended.nobody_answered:
            out.print(crawl_summary(ended))
            if recrawl and not _was_due(ended):
                out.print(_next_due(engine))
            if ended.failed_revisits:
                out.print(f"most often: {sanitize(_commonest(ended))}", markup=False)
            if ended.recorded or ended.gone:
                out.print(_next_step(engine), markup=False)
        print_unreachable_hosts(ended)
        raise_if_unreachable(ended)
        none_seen = (
            ended.failed_revisits > 0 and _was_due(ended) == ended.failed_revisits + ended.failed
        )
        # With --again there may be nothing to do, and that is well.
        all_blocked = ended.blocked > 0 and not recrawl and not _was_due(ended)
        if (none_seen or all_blocked or not ended.kept) and not stopped:
            raise typer.Exit(1)
    if stopped == signal.SIGINT:
        raise KeyboardInterrupt


def _seconds(interval: float) -> float:
    if not 0 <= interval < inf:
        raise UsageError(f"--interval {interval:g} is no pause; write milliseconds, as 500")
    return interval / 1000


def _was_due(ended: CrawlProgress) -> int:
    """How many pages were looked for again, whatever came of it."""
    seen = ended.recorded + ended.unchanged + ended.missing + ended.gone
    return seen + ended.failed_revisits + ended.failed


def _commonest(ended: CrawlProgress) -> str:
    """The reason that most URLs gave no page for."""
    return text(ended.failure_reasons.most_common(1)[0][0])


def _next_step(engine: Engine) -> str:
    """How what came is made findable."""
    if indexer := engine.folder.writer_pid("index"):
        return f"process {indexer} indexes what came; it can be found in a moment"
    return f"next: byway index --data {engine.folder.path}"


def _next_due(engine: Engine) -> str:
    with engine.search_session() as reading:
        due = reading.next_revisit_at()
    if due is None:
        return "no page was kept that could be seen again"
    day = time.strftime("%Y-%m-%d %H:%M", time.localtime(due))
    return f"no page is due before {day}; --all sees all of them again"


def _job(name: str | None, settings: CrawlSettings, flags: dict[str, object]) -> Job | None:
    """The job that was asked for, with what the options say of its reach."""
    if name is None:
        return None
    given = [_key(flag) for flag, value in flags.items() if value is not None]
    return Job(
        validate_job_name(name),
        {key: getattr(settings, key) for key in given if key in JOB_SETTING_NAMES},
    )


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


def _print_differences(found: "RecrawlDifferences", json: bool) -> None:
    kinds = {
        "added": found.added,
        "changed": found.changed,
        "removed": found.removed,
        "failed": tuple(found.failed),
    }
    if json:
        reasons = {url: message_as_json(reason) for url, reason in found.failed.items()}
        print_json(kinds | {"unchanged": found.unchanged, "reasons": reasons})
        return
    for kind, urls in kinds.items():
        for url in urls:
            why = f": {text(found.failed[url])}" if kind == "failed" else ""
            out.print(f"{kind:8} {sanitize(url + why)}", markup=False)
    counted = ", ".join(f"{len(urls):,} {kind}" for kind, urls in kinds.items())
    out.print(f"{counted}, {found.unchanged:,} unchanged; nothing was stored")
