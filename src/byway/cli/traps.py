"""Traps: parts of sites that seem to have no end."""

from typing import Annotated

import typer

from byway.cli.support.crawl_session import open_engine
from byway.cli.support.options import (
    DEFAULT_DATA_DIR,
    DataOption,
    JsonOption,
    SetOption,
    VerboseOption,
    open_search_session,
)
from byway.cli.support.output import out, print_json, print_notice, sanitize
from byway.core.errors import UsageError
from byway.core.messages import message_as_json, text
from byway.crawl.traps.pattern_budget import pattern_budget_from_rows

ORDER = 29

TrapArgument = Annotated[
    list[str] | None, typer.Argument(metavar="HOST PATTERN", help="The trap to decide on.")
]
ResumeOption = Annotated[bool, typer.Option("--resume", help="Visit it after all.")]
DropOption = Annotated[bool, typer.Option("--drop", help="Never visit it.")]


def command(
    trap: TrapArgument = None,
    resume: ResumeOption = False,
    drop: DropOption = False,
    data: DataOption = DEFAULT_DATA_DIR,
    set: SetOption = None,
    json: JsonOption = False,
    verbose: VerboseOption = False,
) -> None:
    """List the parts of sites that a crawl has paused as endless, or decide on one of them."""
    if resume or drop:
        if resume == drop or not trap or len(trap) != 2:
            raise UsageError("say --resume or --drop, and HOST PATTERN as `byway traps` lists them")
        host, which = trap
        queued = open_engine(data, set).decide_trap(host, which, resume)
        print_notice(f"{queued:,} URLs are judged again by the next `byway crawl`")
        return
    if trap:
        raise UsageError("what about it? say --resume or --drop")
    with open_search_session(data, set) as reading:
        paused = pattern_budget_from_rows(reading.traps()).paused_patterns()
    if json:
        print_json(
            [
                {
                    "host": one.host,
                    "pattern": one.pattern,
                    "urls": one.urls,
                    "reason": message_as_json(one.reason),
                    "says": text(one.message),
                }
                for one in paused
            ]
        )
    elif not paused:
        out.print("No traps.")
    for one in [] if json else paused:
        out.print(
            f"{sanitize(one.host)} {sanitize(one.pattern)}  {sanitize(text(one.message))}",
            markup=False,
        )
