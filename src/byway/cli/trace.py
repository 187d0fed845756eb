"""`byway trace`: trace one URL through every stage."""

from typing import Annotated

import typer

from byway.app.preview.trace import TraceStep, trace
from byway.app.verticals.vertical_folders import vertical_loader
from byway.cli.support.crawl_session import AllowPrivateOption, open_engine
from byway.cli.support.options import (
    DEFAULT_DATA_DIR,
    DataOption,
    JsonOption,
    SetOption,
    VerboseOption,
)
from byway.cli.support.output import out, print_field, print_json, sanitize
from byway.cli.support.stop_signals import run_until_interrupted
from byway.core.messages import as_json, message_as_json, state_label, t, text
from byway.core.model import Job, UrlRecord
from byway.core.model.message import NO_REASON
from byway.core.url import parse_typed_url

PANEL = "Inspect"
ORDER = 2

UrlArgument = Annotated[str, typer.Argument(metavar="URL", help="The URL to trace.")]
MAX_SHOWN_DETAILS = 8
"""Details of a stage shown without -v."""
MAX_DETAIL_CHARS = 160
LABEL_WIDTH = 10


def command(
    url: UrlArgument,
    allow_private: AllowPrivateOption = None,
    data: DataOption = DEFAULT_DATA_DIR,
    set: SetOption = None,
    json: JsonOption = False,
    verbose: VerboseOption = False,
) -> None:
    """Trace one URL through every stage.

    Shows where it stops, and why: scope, robots.txt, fetch, links, document, words. Nothing is
    stored.
    """
    page = parse_typed_url(url)
    engine = open_engine(data, set, {"crawl.allow_private": allow_private})
    rules = engine.storage.site_rules
    load_verticals = vertical_loader(engine.storage.path)
    jobs: list[Job] = []
    record, removed = None, NO_REASON
    if engine.storage.has_data():
        with engine.search_session() as session:
            jobs, removed = session.catalog.jobs(), session.catalog.removal_reason(page)
            record = session.catalog.find_url(page)

    async def collect() -> list[TraceStep]:
        found = trace(page, jobs, engine.settings, rules, load_verticals, removed)
        return [step async for step in found]

    steps = run_until_interrupted(collect())
    if json:
        print_json(
            {"url": page, "crawl": _crawl_as_json(record), "steps": [*map(_step_as_json, steps)]}
        )
        return
    print_field("URL", page, width=LABEL_WIDTH)
    if record:
        reason = f": {text(record.reason)}" if record.reason else ""
        state = f"{state_label(record.state)}{reason}"
        print_field(t("cli.trace.crawl_state"), state, width=LABEL_WIDTH)
    for step in steps:
        _print(step, len(step.details) if verbose else MAX_SHOWN_DETAILS)


def _step_as_json(step: TraceStep) -> dict[str, object]:
    fields: dict[str, object] = as_json(step)
    return fields


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
