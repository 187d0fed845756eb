"""`byway status`: page counts, queues and failures of a data folder."""

from collections.abc import Sequence

from rich.markup import escape

from byway.app.processes.process_status import process_text
from byway.cli.support import options
from byway.cli.support.options import open_search_session, settings_from_options
from byway.cli.support.output import out, print_field, print_json, sanitize
from byway.core.messages import (
    as_json,
    group_reasons,
    grouped,
    message_as_json,
    size,
    state_label,
    t,
    text,
)
from byway.core.model import RebuildProgress, ShardStatus, Status

PANEL = "Crawl"
ORDER = 8

MAX_SHOWN_ROWS = 8
"""Maximum number of hosts and failure reasons listed."""


def command(
    data: options.DataOption = options.DEFAULT_DATA_DIR,
    set: options.SetOption = None,
    json: options.JsonOption = False,
    verbose: options.VerboseOption = False,
) -> None:
    """Show page counts, queues and failures."""
    robots_ignored = settings_from_options(data, set).crawl.ignore_robots
    with open_search_session(data, set) as session:
        status, queues, failures = (
            session.status(),
            session.catalog.queue_lengths(),
            group_reasons(session.catalog.failure_reasons()),
        )
    if json:
        reasons = [{"reason": message_as_json(one), "urls": count} for one, count in failures]
        details = {"queued_by_host": dict(queues), "failures": reasons}
        print_json(as_json(status) | {"robots_ignored_hosts": robots_ignored} | details)
        return
    _print_summary(status)
    if robots_ignored:
        hosts = t("cli.status.robots_ignored", hosts=robots_ignored)
        print_field(t("cli.status.robots"), hosts)
    for state, count in sorted(status.states.items(), key=lambda item: -item[1]):
        meaning = f"[dim]{escape(t(f'state.{state}'))}[/dim]"
        out.print(f"  {state_label(state):17} {grouped(count):>9}  {meaning}")
    _print_counts(t("cli.status.queued_by_host"), queues)
    reasons_by_text = [(text(reason), count) for reason, count in failures]
    _print_counts(t("cli.status.failure_reasons"), reasons_by_text)
    _print_shards(status.shards)
    if status.processes:
        out.print(t("cli.status.processes"))
    for process in status.processes:
        out.print(f"  {sanitize(process.name):17} {process_text(process)}", markup=False)


def _print_summary(status: Status) -> None:
    activity = t("cli.status.running" if status.crawling else "cli.status.not_running")
    if status.paused:
        activity = t("cli.status.paused", activity=activity)
    print_field(t("cli.status.crawl"), activity)
    if status.crawl_wait:
        seconds = f"{status.crawl_wait.seconds:.0f}"
        retry = t("cli.status.retry", reason=status.crawl_wait.reason, seconds=seconds)
        print_field(t("cli.status.waiting"), retry)
    pages = t("cli.status.page_counts", kept=status.pages, indexed=status.indexed)
    print_field(t("cli.status.pages"), pages)
    if status.shards:
        total_bytes = sum(shard.bytes for shard in status.shards)
        count = len(status.shards)
        shards = t("cli.status.shard_counts", count=count, size=size(total_bytes))
        print_field(t("cli.status.shards"), shards)
    if status.rebuild:
        print_field(t("cli.status.index"), _rebuild_text(status.rebuild))
    print_field(t("cli.status.seeds"), ", ".join(status.seeds) or t("cli.none"))


def _rebuild_text(rebuild: RebuildProgress) -> str:
    key = "cli.status.rebuild_running" if rebuild.is_running else "cli.status.rebuild_interrupted"
    return t(key, progress=rebuild.progress)


def _print_shards(shards: Sequence[ShardStatus]) -> None:
    """Print each shard of an index that has several."""
    for number, shard in enumerate(shards if len(shards) > 1 else ()):
        note = "" if shard.is_readable else f"  {t('cli.status.unreadable_shard')}"
        if not number:
            out.print(t("cli.status.shards"))
        name = f"shard-{number}"
        out.print(f"  {name:17} {grouped(shard.pages):>9}  {size(shard.bytes)}{note}")


def _print_counts(title: str, counts: Sequence[tuple[str, int]]) -> None:
    if counts:
        out.print(title)
    for name, count in counts[:MAX_SHOWN_ROWS]:
        out.print(f"  {sanitize(name):40.80} {grouped(count):>10}", markup=False)
    if len(counts) > MAX_SHOWN_ROWS:
        out.print(f"  {t('cli.status.more', more=len(counts) - MAX_SHOWN_ROWS)}")
