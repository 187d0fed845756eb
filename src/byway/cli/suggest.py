"""Suggest: how might a query go on?"""

from typing import Annotated

import typer

from byway.cli.support.options import (
    DEFAULT_DATA_DIR,
    DataOption,
    JsonOption,
    SetOption,
    VerboseOption,
    open_search_session,
)
from byway.cli.support.output import out, print_json, sanitize

ORDER = 14

PrefixArgument = Annotated[list[str], typer.Argument(metavar="TEXT", help="What was typed so far.")]
LimitOption = Annotated[
    int, typer.Option("--limit", "-n", min=1, max=100, help="Suggestions shown.")
]


def command(
    prefix: PrefixArgument,
    limit: LimitOption = 10,
    data: DataOption = DEFAULT_DATA_DIR,
    set: SetOption = None,
    json: JsonOption = False,
    verbose: VerboseOption = False,
) -> None:
    """Complete what somebody has begun to type, from titles, headings, links and words."""
    with open_search_session(data, set) as reading:
        found = reading.suggest(" ".join(prefix), limit)
    if json:
        print_json(found)
        return
    for phrase in found:
        out.print(sanitize(phrase), markup=False)
    if not found:
        out.print("Nothing that is indexed begins so.")
