"""`byway crawl`: crawl, continue a crawl, or revisit pages."""

import logging
import signal
import time
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from byway.app.crawl_control import make_job, require_job
from byway.app.engine import Engine
from byway.cli.support import options
from byway.cli.support.crawl_session import (
    crawl_summary,
    open_engine,
    print_unreachable_hosts,
    raise_if_unreachable,
    resolve_seeds,
    run_crawl,
    run_with_progress,
)
from byway.cli.support.options import require_writable
from byway.cli.support.output import out, print_json, sanitize
from byway.core.errors import UsageError
from byway.core.messages import message_as_json, t, text
from byway.core.model import Job, Url
from byway.core.model.crawl_progress import CrawlProgress

if TYPE_CHECKING:
    from byway.app.preview.recrawl_preview import RecrawlDifferences

PANEL = "Crawl"
ORDER = 3

UrlOption = Annotated[
    list[str] | None, typer.Option("--url", "-u", metavar="URL", help="Another seed URL.")
]
SeedFileOption = Annotated[
    Path | None,
    typer.Option("--seed-file", metavar="FILE", help="Read seeds from a file, one per line."),
]
IntervalOption = Annotated[
    float | None, typer.Option("--interval", "-i", help="Like --delay, but in milliseconds.")
]
HostPatternOption = Annotated[
    str | None,
    typer.Option("--host", "-H", metavar="REGEX", help="Follow only links to hosts that match."),
]
PathPatternOption = Annotated[
    str | None,
    typer.Option("--path", "-P", metavar="REGEX", help="Follow only links to paths that match."),
]
KeepPatternOption = Annotated[
    str | None, typer.Option("--keep", metavar="REGEX", help="Keep only pages whose path matches.")
]
FirewallOption = Annotated[
    bool, typer.Option("--firewall", help="Do not follow links from one seed's site to another's.")
]
LogFileOption = Annotated[
    Path | None,
    typer.Option("--log-file", "-l", metavar="FILE", help="Log every visit to this file."),
]
JobOption = Annotated[
    str | None,
    typer.Option(
        "--job", metavar="NAME", help="Crawl as this job, which keeps its own scope and limits."
    ),
]
RecrawlOption = Annotated[bool, typer.Option("--recrawl", help="Revisit the pages that are due.")]
RecrawlAllOption = Annotated[
    bool, typer.Option("--recrawl-all", help="Revisit every page, due or not.")
]
DryRunOption = Annotated[
    bool, typer.Option("--dry-run", help="With --recrawl: list changes but store nothing.")
]


def command(
    urls: options.SeedUrlsArgument = None,
    more_urls: UrlOption = None,
    seed_file: SeedFileOption = None,
    delay: options.DelayOption = None,
    interval: IntervalOption = None,
    pages: options.MaxPagesOption = None,
    depth: options.MaxDepthOption = None,
    concurrency: options.ConcurrencyOption = None,
    scope: options.ScopeOption = None,
    host_pattern: HostPatternOption = None,
    path_pattern: PathPatternOption = None,
    keep_pattern: KeepPatternOption = None,
    firewall: FirewallOption = False,
    allow_private: options.AllowPrivateOption = None,
    recrawl: RecrawlOption = False,
    recrawl_all: RecrawlAllOption = False,
    dry_run: DryRunOption = False,
    job: JobOption = None,
    log_file: LogFileOption = None,
    data: options.DataOption = options.DEFAULT_DATA_DIR,
    set: options.SetOption = None,
    json: options.JsonOption = False,
    verbose: options.VerboseOption = False,
) -> None:
    """Crawl sites, or continue the last crawl.

    Without URLs, the crawl continues where it stopped. To search the new pages, run `byway index`.
    """
    require_writable(log_file)
    recrawl = recrawl or recrawl_all
    if dry_run and not recrawl:
        raise UsageError("cli.dry_run_without_recrawl")
    seed_urls = [*(urls or []), *(more_urls or [])]
    flags: dict[str, object] = {
        "crawl.delay": delay if interval is None else _seconds(interval),
        "crawl.max_pages": pages,
        "crawl.max_depth": depth,
        "crawl.concurrency": concurrency,
        "crawl.scope": scope,
        "crawl.allow_private": allow_private,
        "crawl.host_pattern": host_pattern,
        "crawl.path_pattern": path_pattern,
        "crawl.keep_pattern": keep_pattern,
        "crawl.firewall": firewall or None,
    }
    engine, crawl_job = _open_engine(data, set, flags, job)
    if recrawl and not (seed_urls or seed_file):
        engine.storage.require_data()
    due_by = inf if recrawl_all else time.time() if recrawl else 0.0
    if dry_run:
        signal_number = _preview(engine, due_by, json)
    else:
        seeds = resolve_seeds(seed_urls, engine, seed_file)
        if job and not seeds:
            require_job(data, engine.settings, job)
        _log_visits(log_file)
        signal_number = _crawl(engine, seeds, due_by, crawl_job, json)
    if signal_number == signal.SIGINT:
        raise KeyboardInterrupt


def _seconds(interval: float) -> float:
    if not 0 <= interval < inf:
        raise UsageError("cli.wrong_interval", interval=f"{interval:g}")
    return interval / 1000


def _open_engine(
    data: Path, overrides: list[str] | None, flags: dict[str, object], job_name: str | None
) -> tuple[Engine, Job | None]:
    """The engine, and the job with its own options."""
    engine = open_engine(data, overrides, flags)
    if job_name is None:
        return engine, None
    given = [_setting(flag) for flag, value in flags.items() if value is not None]
    job = make_job(job_name, engine.settings.crawl, given)
    # Scope and limits of a job are stored with the job and do not apply to the whole folder.
    shared = {name: v for name, v in flags.items() if _setting(name) not in job.overrides}
    return open_engine(data, overrides, shared), job


def _setting(flag: str) -> str:
    return flag.removeprefix("crawl.")


def _crawl(engine: Engine, seeds: list[Url], due_by: float, job: Job | None, json: bool) -> int:
    """Crawl and print the result; returns the number of the signal that ended it, or 0."""
    result, signal_number = run_crawl(engine, seeds, due_by, job)
    _print_result(result, engine, due_by > 0, json)
    if _has_failed(result, due_by > 0) and not signal_number:
        raise typer.Exit(1)
    return signal_number


def _preview(engine: Engine, due_by: float, json: bool) -> int:
    """Show what a re-crawl would change; returns the number of the signal that ended it, or 0."""
    from byway.app.preview.recrawl_preview import preview_recrawl

    found, signal_number = run_with_progress(
        lambda started: preview_recrawl(engine.storage, engine.settings, started, due_by)
    )
    _print_differences(found, json)
    reached = found.changed or found.removed or found.unchanged
    if found.failed and not (reached or signal_number):
        raise typer.Exit(1)
    return signal_number


def _print_result(result: CrawlProgress, engine: Engine, recrawl: bool, json: bool) -> None:
    """Print how the crawl ended; raises if no host answered."""
    if json:
        print_json(_as_json(result))
    elif result.kept or not result.nobody_answered:
        out.print(crawl_summary(result), markup=False)
        if recrawl and not _due_count(result):
            out.print(_next_revisit(engine), markup=False)
        if result.failed_revisits:
            reason = sanitize(_most_common_reason(result))
            out.print(t("cli.crawl.most_common_reason", reason=reason), markup=False)
        if result.recorded or result.gone:
            out.print(_next_step(engine), markup=False)
    print_unreachable_hosts(result)
    raise_if_unreachable(result)


def _as_json(result: CrawlProgress) -> dict[str, object]:
    return {
        "kept_total": result.kept,
        "fetched": result.recorded,
        "failed": result.failed,
        "unchanged": result.unchanged,
        "missing": result.missing,
        "gone": result.gone,
        "not_revisited": result.failed_revisits,
        "end_reason": message_as_json(result.end_reason),
    }


def _has_failed(result: CrawlProgress, recrawl: bool) -> bool:
    """True if the crawl fetched nothing although URLs were queued."""
    due = _due_count(result)
    none_revisited = result.failed_revisits > 0 and due == result.failed_revisits + result.failed
    # A re-crawl may have nothing to do, which is not a failure.
    all_blocked = result.blocked > 0 and not recrawl and not due
    return none_revisited or all_blocked or not result.kept


def _due_count(result: CrawlProgress) -> int:
    """The number of visited pages, regardless of the outcome."""
    reached = result.recorded + result.unchanged + result.missing + result.gone
    return reached + result.failed_revisits + result.failed


def _most_common_reason(result: CrawlProgress) -> str:
    return text(result.failure_reasons.most_common(1)[0][0])


def _next_step(engine: Engine) -> str:
    """A hint on how to make the new pages searchable."""
    if indexer := engine.storage.writer_pid("index"):
        return t("cli.crawl.indexer_running", pid=indexer)
    return t("cli.crawl.next_index", data=engine.storage.path)


def _next_revisit(engine: Engine) -> str:
    with engine.search_session() as session:
        due = session.catalog.next_revisit_at()
    if due is None:
        return t("cli.crawl.nothing_to_recrawl")
    return t("cli.crawl.not_due", time=time.strftime("%Y-%m-%d %H:%M", time.localtime(due)))


def _log_visits(path: Path | None) -> None:
    if path is None:
        return
    handler = logging.FileHandler(path, encoding="utf-8")
    handler.setFormatter(logging.Formatter("%(asctime)s %(message)s"))
    for name in ("crawler", "unreachable_hosts"):
        logger = logging.getLogger(f"byway.crawl.{name}")
        logger.addHandler(handler)
        logger.setLevel(logging.DEBUG)
        logger.propagate = logging.getLogger("byway").isEnabledFor(logging.DEBUG)


def _print_differences(found: "RecrawlDifferences", json: bool) -> None:
    changes = {
        "added": found.added,
        "changed": found.changed,
        "removed": found.removed,
        "failed": tuple(found.failed),
    }
    if json:
        reasons = {url: message_as_json(reason) for url, reason in found.failed.items()}
        print_json(changes | {"unchanged": found.unchanged, "failure_reasons": reasons})
        return
    for kind, urls in changes.items():
        for url in urls:
            reason = f": {text(found.failed[url])}" if kind == "failed" else ""
            label = t(f"cli.crawl.change_{kind}")
            out.print(f"{label:8} {sanitize(url + reason)}", markup=False)
    counts = {kind: len(urls) for kind, urls in changes.items()}
    out.print(t("cli.crawl.dry_run_total", **counts, unchanged=found.unchanged), markup=False)
