"""Traps: parts of sites that seem to have no end."""

from typing import Annotated

import typer

from byway.cli.support.crawl_session import opened
from byway.cli.support.options import HERE, Data, Json, Set, Verbose, reading_of
from byway.cli.support.output import out, plain, print_json, say
from byway.core.errors import UsageError
from byway.crawl.traps.pattern_budget import traps_of

ORDER = 29

Pattern = Annotated[
    list[str] | None, typer.Argument(metavar="HOST PATTERN", help="The trap to decide on.")
]
Resume = Annotated[bool, typer.Option("--resume", help="Visit it after all.")]
Drop = Annotated[bool, typer.Option("--drop", help="Never visit it.")]


def command(
    pattern: Pattern = None,
    resume: Resume = False,
    drop: Drop = False,
    data: Data = HERE,
    set: Set = None,
    json: Json = False,
    verbose: Verbose = False,
) -> None:
    """List the parts of sites that a crawl has paused as endless, or decide on one of them."""
    if resume or drop:
        if resume == drop or not pattern or len(pattern) != 2:
            raise UsageError("say --resume or --drop, and HOST PATTERN as `byway traps` lists them")
        host, which = pattern
        queued = opened(data, set).decide_trap(host, which, resume)
        say(f"{queued:,} URLs are judged again by the next `byway crawl`")
        return
    if pattern:
        raise UsageError("what about it? say --resume or --drop")
    with reading_of(data, set) as reading:
        paused = traps_of(reading.traps()).paused()
    if json:
        print_json(
            [{"host": p.host, "pattern": p.pattern, "urls": p.urls, "says": str(p)} for p in paused]
        )
    elif not paused:
        out.print("No traps.")
    for one in [] if json else paused:
        out.print(f"{plain(one.host)} {plain(one.pattern)}  {plain(str(one))}", markup=False)
