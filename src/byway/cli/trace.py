"""Trace: one URL through every stage."""

import asyncio
from dataclasses import asdict
from typing import Annotated

import typer

from byway.app.trace import Step, trace
from byway.cli.support.crawl_session import AllowPrivate, opened
from byway.cli.support.options import HERE, Data, Json, Set, Verbose
from byway.cli.support.output import out, plain, print_json
from byway.core.model import Job
from byway.core.url import guess
from byway.products.vocabulary.lookup import with_own

ORDER = 13

UrlArgument = Annotated[str, typer.Argument(metavar="URL", help="The URL to follow.")]
SHOWN = 8
"""Details of a stage that are shown without -v."""


def command(
    url: UrlArgument,
    allow_private: AllowPrivate = None,
    data: Data = HERE,
    set: Set = None,
    json: Json = False,
    verbose: Verbose = False,
) -> None:
    """Follow one URL through every stage and say where it stops and why; nothing is stored."""
    page = guess(url)
    engine = opened(data, set, {"crawl.allow_private": allow_private})
    rules = engine.folder.sites if engine.folder.sites.is_dir() else None
    words = with_own(engine.folder.words())
    jobs: list[Job] = []
    became = removed = ""
    if engine.folder.crawl_db.exists():
        with engine.reading() as reading:
            jobs, removed = reading.jobs(), reading.removed(page)
            if record := reading.look_up(page):
                became = f"{record.state}{f': {record.reason}' if record.reason else ''}"

    async def steps() -> list[Step]:
        told = trace(page, jobs, engine.settings, rules, words, removed)
        return [step async for step in told]

    found = asyncio.run(steps())
    if json:
        print_json({"url": page, "crawl": became, "steps": [asdict(step) for step in found]})
        return
    out.print(f"[bold]url[/bold]       {plain(page)}", markup=True)
    if became:
        out.print(f"crawl     {plain(became)}", markup=False)
    for step in found:
        _print(step, len(step.details) if verbose else SHOWN)


def _print(step: Step, most: int) -> None:
    mark = "[red]✗[/red]" if step.stopped else "[green]✓[/green]"
    out.print(f"{mark} ", end="")
    out.print(f"{step.stage:10}{plain(step.says)}", markup=False)
    for detail in step.details[:most]:
        out.print(f"            {plain(detail)[:160]}", markup=False, style="dim")
    if len(step.details) > most:
        out.print(f"            … {len(step.details) - most:,} more with -v", style="dim")
