"""`byway suggest`: autocomplete for a query prefix."""

from typing import Annotated

import typer

from byway.cli.support import options
from byway.cli.support.options import open_search_session
from byway.cli.support.output import out, print_json, sanitize
from byway.core.messages import t

PANEL = "Search"
ORDER = 3

PrefixArgument = Annotated[
    list[str], typer.Argument(metavar="PREFIX", help="The beginning of a query.")
]
LimitOption = Annotated[
    int, typer.Option("--limit", "-n", min=1, max=100, help="Number of suggestions.")
]


def command(
    prefix: PrefixArgument,
    limit: LimitOption = 10,
    data: options.DataOption = options.DEFAULT_DATA_DIR,
    set: options.SetOption = None,
    json: options.JsonOption = False,
    verbose: options.VerboseOption = False,
) -> None:
    """Complete the beginning of a query.

    Suggestions come from indexed titles, headings, anchor texts and words.
    """
    with open_search_session(data, set) as session:
        found = session.suggest(" ".join(prefix), limit)
    if json:
        print_json(found)
        return
    for phrase in found:
        out.print(sanitize(phrase), markup=False)
    if not found:
        out.print(t("cli.suggest.none"))
