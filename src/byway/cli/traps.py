"""`byway traps`: list, resume or drop crawler traps (paused, endless URL patterns)."""

from typing import Annotated

import typer

from byway.app.crawl_control import decide_trap, list_traps
from byway.cli.support import options
from byway.cli.support.options import settings_from_options
from byway.cli.support.output import out, print_json, print_notice, sanitize
from byway.core.errors import UsageError
from byway.core.messages import message_as_json, t, text
from byway.core.model.url_state import PausedPattern

PANEL = "Inspect"
ORDER = 9

TrapArgument = Annotated[
    list[str] | None, typer.Argument(metavar="HOST PATTERN", help="Host and URL pattern of a trap.")
]
ResumeOption = Annotated[bool, typer.Option("--resume", help="Crawl the trap anyway.")]
DropOption = Annotated[bool, typer.Option("--drop", help="Never crawl the trap.")]


def command(
    trap: TrapArgument = None,
    resume: ResumeOption = False,
    drop: DropOption = False,
    data: options.DataOption = options.DEFAULT_DATA_DIR,
    set: options.SetOption = None,
    json: options.JsonOption = False,
    verbose: options.VerboseOption = False,
) -> None:
    """List crawler traps; resume or drop one.

    A trap is a part of a site that seems endless, such as a calendar. The crawl pauses it.
    """
    settings = settings_from_options(data, set)
    if resume or drop:
        if resume == drop or not trap or len(trap) != 2:
            raise UsageError("cli.wrong_trap")
        host, pattern = trap
        queued = decide_trap(data, settings, host, pattern, resume)
        print_notice(t("cli.traps.decided", count=queued))
        return
    if trap:
        raise UsageError("cli.undecided_trap")
    paused = list_traps(data, settings)
    if json:
        print_json([_as_json(pattern) for pattern in paused])
    elif not paused:
        out.print(t("cli.traps.none"))
    for p in [] if json else paused:
        line = f"{p.host} {p.pattern}  {text(p.message)}"
        out.print(sanitize(line), markup=False)


def _as_json(paused: PausedPattern) -> dict[str, object]:
    return {
        "host": paused.host,
        "pattern": paused.pattern,
        "urls": paused.urls,
        "reason": message_as_json(paused.reason),
        "message": text(paused.message),
    }
