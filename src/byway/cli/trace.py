"""Trace: one URL through every stage."""

import asyncio
from typing import Annotated

import typer

from byway.app.trace import TraceStep, trace
from byway.cli.support.crawl_session import AllowPrivateOption, open_engine
from byway.cli.support.options import (
    DEFAULT_DATA_DIR,
    DataOption,
    JsonOption,
    SetOption,
    VerboseOption,
)
from byway.cli.support.output import out, print_json, sanitize
from byway.core.messages import as_json, message_as_json, text
from byway.core.model import Job
from byway.core.model.message import NO_REASON
from byway.core.url import parse_typed_url
from byway.products.vocabulary.lookup import vocabulary_with_overrides

ORDER = 13

UrlArgument = Annotated[str, typer.Argument(metavar="URL", help="The URL to follow.")]
MAX_SHOWN_DETAILS = 8
"""Details of a stage that are shown without -v."""


def command(
    url: UrlArgument,
    allow_private: AllowPrivateOption = None,
    data: DataOption = DEFAULT_DATA_DIR,
    set: SetOption = None,
    json: JsonOption = False,
    verbose: VerboseOption = False,
) -> None:
    """Follow one URL through every stage and say where it stops and why; nothing is stored."""
    page = parse_typed_url(url)
    engine = open_engine(data, set, {"crawl.allow_private": allow_private})
    rules = engine.folder.site_rules if engine.folder.site_rules.is_dir() else None
    words = vocabulary_with_overrides(engine.folder.read_vocabulary())
    jobs: list[Job] = []
    record, removed = None, NO_REASON
    if engine.folder.crawl_db.exists():
        with engine.search_session() as reading:
            jobs, removed = reading.jobs(), reading.removal_reason(page)
            record = reading.find_url(page)

    async def steps() -> list[TraceStep]:
        told = trace(page, jobs, engine.settings, rules, words, removed)
        return [step async for step in told]

    found = asyncio.run(steps())
    if json:
        known = (
            {"state": record.state, "reason": message_as_json(record.reason)} if record else None
        )
        print_json({"url": page, "crawl": known, "steps": as_json(found)})
        return
    out.print(f"[bold]url[/bold]       {sanitize(page)}", markup=True)
    if record:
        reason = f": {text(record.reason)}" if record.reason else ""
        out.print(f"crawl     {sanitize(f'{record.state}{reason}')}", markup=False)
    for step in found:
        _print(step, len(step.details) if verbose else MAX_SHOWN_DETAILS)


def _print(step: TraceStep, most: int) -> None:
    mark = "[red]✗[/red]" if step.stopped else "[green]✓[/green]"
    out.print(f"{mark} ", end="")
    out.print(f"{step.stage:10}{sanitize(step.says)}", markup=False)
    for detail in step.details[:most]:
        out.print(f"            {sanitize(detail)[:160]}", markup=False, style="dim")
    if len(step.details) > most:
        out.print(f"            … {len(step.details) - most:,} more with -v", style="dim")
