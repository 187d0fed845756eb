"""Search, in the terminal."""

from typing import Annotated

import typer

from byway.cli.options import HERE, Data, Json, Set, Verbose, reading_of
from byway.cli.output import hit_as_json, print_json, print_results, say
from byway.model import Query
from byway.text import storable

ORDER = 10

Words = Annotated[list[str], typer.Argument(metavar="WORDS", help="What to look for.")]
Limit = Annotated[int, typer.Option("--limit", "-n", min=1, max=100, help="Hits on a page.")]
PageNumber = Annotated[int, typer.Option("--page", "-p", min=1, max=1000, help="Which page.")]


def command(
    words: Words,
    limit: Limit = 10,
    page: PageNumber = 1,
    data: Data = HERE,
    set: Set = None,
    json: Json = False,
    verbose: Verbose = False,
) -> None:
    """Search: words, "exact phrases", -without, site:example.org (put -- before a leading -)."""
    query = Query(storable(" ".join(words)), limit, (page - 1) * limit)
    with reading_of(data, set) as reading:
        results = reading.search(query)
        status = reading.status()
    if json:
        print_json(
            {
                "query": query.text,
                "total": results.total,
                "took": results.seconds,
                "hits": [hit_as_json(hit) for hit in results.hits],
            }
        )
    else:
        print_results(results)
        if not results.hits and status.indexed < status.pages:
            waiting = status.pages - status.indexed
            say(f"{waiting:,} pages cannot be found yet: byway index --data {data}")
