"""`byway trace`: trace one URL through every stage."""

from typing import Annotated

import typer

from byway.app.preview.trace import TraceStep, trace
from byway.cli.support import options
from byway.cli.support.crawl_session import open_engine
from byway.cli.support.output import out, print_field, print_json, sanitize
from byway.cli.support.stop_signals import run_until_interrupted
from byway.core.messages import as_json, message_as_json, state_label, t, text
from byway.core.model import UrlRecord
from byway.core.url import parse_typed_url

PANEL = "Inspect"
ORDER = 2

UrlArgument = Annotated[str, typer.Argument(metavar="URL", help="The URL to trace.")]
MAX_SHOWN_DETAILS = 8
"""Maximum details of a stage shown without -v."""
MAX_DETAIL_CHARS = 160
LABEL_WIDTH = 10


def command(
    url: UrlArgument,
    allow_private: options.AllowPrivateOption = None,
    data: options.DataOption = options.DEFAULT_DATA_DIR,
    set: options.SetOption = None,
    json: options.JsonOption = False,
    verbose: options.VerboseOption = False,
) -> None:
    """Trace one URL through every stage.

    The stages are scope, robots.txt, fetch, links, document and words. Shows at which stage the URL
    stops, and why. Nothing is stored.
    """
    page = parse_typed_url(url)
    engine = open_engine(data, set, {"crawl.allow_private": allow_private})
    record, steps = run_until_interrupted(trace(page, engine.storage, engine.settings))
    if json:
        print_json({"url": page, "crawl": _crawl_as_json(record), "steps": as_json(steps)})
        return
    print_field("URL", page, width=LABEL_WIDTH)
    if record:
        reason = f": {text(record.reason)}" if record.reason else ""
        state = f"{state_label(record.state)}{reason}"
        print_field(t("cli.trace.crawl_state"), state, width=LABEL_WIDTH)
    for step in steps:
        _print(step, len(step.details) if verbose else MAX_SHOWN_DETAILS)


def _crawl_as_json(record: UrlRecord | None) -> dict[str, object] | None:
    if record is None:
        return None
    return {"state": record.state, "reason": message_as_json(record.reason)}


def _print(step: TraceStep, max_details: int) -> None:
    mark = "[red]✗[/red]" if step.stopped else "[green]✓[/green]"
    out.print(f"{mark} ", end="")
    out.print(f"{step.stage:10}{sanitize(step.message)}", markup=False)
    for detail in step.details[:max_details]:
        out.print(f"            {sanitize(detail)[:MAX_DETAIL_CHARS]}", markup=False, style="dim")
    if len(step.details) > max_details:
        more = t("cli.trace.more", more=len(step.details) - max_details)
        out.print(f"            {more}", style="dim")
