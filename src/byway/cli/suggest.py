"""Suggest: how might a query go on?"""

from typing import Annotated

import typer

from byway.cli.support.options import HERE, Data, Json, Set, Verbose, reading_of
from byway.cli.support.output import out, plain, print_json

ORDER = 14

Typed = Annotated[list[str], typer.Argument(metavar="TEXT", help="What was typed so far.")]
Most = Annotated[int, typer.Option("--limit", "-n", min=1, max=100, help="Suggestions shown.")]


def command(
    text: Typed,
    limit: Most = 10,
    data: Data = HERE,
    set: Set = None,
    json: Json = False,
    verbose: Verbose = False,
) -> None:
    """Complete what somebody has begun to type, from titles, headings, links and words."""
    with reading_of(data, set) as reading:
        found = reading.suggest(" ".join(text), limit)
    if json:
        print_json(found)
        return
    for phrase in found:
        out.print(plain(phrase), markup=False)
    if not found:
        out.print("Nothing that is indexed begins so.")
