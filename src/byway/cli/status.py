"""Status: how do things stand?"""

from collections.abc import Sequence
from dataclasses import asdict

from byway.cli.support.options import (
    DEFAULT_DATA_DIR,
    DataOption,
    JsonOption,
    SetOption,
    VerboseOption,
    open_search_session,
    settings_from_options,
)
from byway.cli.support.output import out, print_json, sanitize
from byway.core.messages import as_json, message_as_json, text
from byway.core.model import RebuildProgress, Status
from byway.reports.crawl.reason_groups import group_reasons

ORDER = 24

MAX_SHOWN_ROWS = 8
"""Hosts and causes that are listed."""


def command(
    data: DataOption = DEFAULT_DATA_DIR,
    set: SetOption = None,
    json: JsonOption = False,
    verbose: VerboseOption = False,
) -> None:
    """Show how many pages there are and what became of every URL."""
    ignored = settings_from_options(data, set).crawl.ignore_robots
    with open_search_session(data, set) as reading:
        status, queues, causes = (
            reading.status(),
            reading.queue_lengths(),
            group_reasons(reading.failure_reasons()),
        )
    if json:
        failures = [{"reason": message_as_json(one), "urls": count} for one, count in causes]
        details = {"queues": dict(queues), "failures": failures}
        print_json(_as_json(status, ignored) | details)
        return
    doing = "running" if status.crawling else "not running"
    out.print(f"crawl    {doing}{', paused' if status.paused else ''}")
    if status.crawl_wait:
        again = f"trying again in {status.crawl_wait.seconds:.0f} s"
        out.print(f"waiting  {sanitize(text(status.crawl_wait.reason))}; {again}", markup=False)
    out.print(f"pages    {status.pages:,} kept, {status.indexed:,} findable")
    if status.rebuild:
        out.print(f"index    {_in_words(status.rebuild)}")
    out.print(f"seeds    {', '.join(status.seeds) or 'none'}", markup=False)
    if ignored:
        out.print(f"robots   ignored for {', '.join(ignored)}", markup=False)
    for state, count in sorted(status.states.items(), key=lambda item: -item[1]):
        out.print(f"  {state:15} {count:>10,}")
    _print_counts("waiting by host", queues)
    _print_counts("what failed, and why", [(text(one), count) for one, count in causes])


def _in_words(building: RebuildProgress) -> str:
    if building.is_running:
        return f"another is being built to take its place, {building.progress:.0%} done"
    stopped = f"another was being built, and that was interrupted at {building.progress:.0%}"
    return f"{stopped}; `byway index` goes on with it"


def _print_counts(title: str, counted: Sequence[tuple[str, int]]) -> None:
    if counted:
        out.print(title)
    for name, count in counted[:MAX_SHOWN_ROWS]:
        out.print(f"  {sanitize(name):40.80} {count:>10,}", markup=False)
    if len(counted) > MAX_SHOWN_ROWS:
        out.print(f"  … {len(counted) - MAX_SHOWN_ROWS:,} more; --json has all")


def _as_json(status: Status, ignored: tuple[str, ...]) -> dict[str, object]:
    return {
        "crawling": status.crawling,
        "paused": status.paused,
        "ignores_robots": ignored,
        "pages": status.pages,
        "indexed": status.indexed,
        "queued": status.queued,
        "seeds": status.seeds,
        "states": status.states,
        "waiting": as_json(status.crawl_wait),
        "building": asdict(status.rebuild) if status.rebuild else None,
    }
