"""Status: how do things stand?"""

from collections.abc import Sequence
from dataclasses import asdict

from byway.cli.support.options import HERE, Data, Json, Set, Verbose, reading_of, settings_of
from byway.cli.support.output import out, plain, print_json
from byway.core.model import Building, Status
from byway.reports.crawl.reason_groups import folded

ORDER = 24

SHOWN = 8
"""Hosts and causes that are listed."""


def command(
    data: Data = HERE, set: Set = None, json: Json = False, verbose: Verbose = False
) -> None:
    """Show how many pages there are and what became of every URL."""
    ignored = settings_of(data, set).crawl.ignore_robots
    with reading_of(data, set) as reading:
        status, queues, causes = reading.status(), reading.queues(), folded(reading.causes())
    if json:
        details = {"queues": dict(queues), "causes": dict(causes)}
        print_json(_as_json(status, ignored) | details)
        return
    doing = "running" if status.crawling else "not running"
    out.print(f"crawl    {doing}{', paused' if status.paused else ''}")
    if status.waiting:
        again = f"trying again in {status.waiting.seconds:.0f} s"
        out.print(f"waiting  {plain(status.waiting.why)}; {again}", markup=False)
    out.print(f"pages    {status.pages:,} kept, {status.indexed:,} findable")
    if status.building:
        out.print(f"index    {_in_words(status.building)}")
    out.print(f"seeds    {', '.join(status.seeds) or 'none'}", markup=False)
    if ignored:
        out.print(f"robots   ignored for {', '.join(ignored)}", markup=False)
    for state, count in sorted(status.states.items(), key=lambda item: -item[1]):
        out.print(f"  {state:15} {count:>10,}")
    _print_counts("waiting by host", queues)
    _print_counts("what failed, and why", causes)


def _in_words(building: Building) -> str:
    if building.running:
        return f"another is being built to take its place, {building.share:.0%} done"
    stopped = f"another was being built, and that was interrupted at {building.share:.0%}"
    return f"{stopped}; `byway index` goes on with it"


def _print_counts(title: str, counted: Sequence[tuple[str, int]]) -> None:
    if counted:
        out.print(title)
    for name, count in counted[:SHOWN]:
        out.print(f"  {plain(name):40.80} {count:>10,}", markup=False)
    if len(counted) > SHOWN:
        out.print(f"  … {len(counted) - SHOWN:,} more; --json has all")


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
        "waiting": asdict(status.waiting) if status.waiting else None,
        "building": asdict(status.building) if status.building else None,
    }
