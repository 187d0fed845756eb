"""Index: make the pages that were kept findable."""

import time
from typing import Annotated

import typer

from byway.app.engine import Engine
from byway.cli.support.crawl_session import opened
from byway.cli.support.options import HERE, Data, Json, Set, Verbose
from byway.cli.support.output import counted, out, print_json, progress, say

ORDER = 22

Rebuild = Annotated[
    bool, typer.Option("--rebuild", help="Read every page again and build the index anew.")
]
PATIENCE = 10.0
"""Seconds that another process that indexes is waited for."""

Follow = Annotated[
    bool, typer.Option("--follow", help="Go on until the crawl that runs beside it is over.")
]


def command(
    rebuild: Rebuild = False,
    follow: Follow = False,
    data: Data = HERE,
    set: Set = None,
    json: Json = False,
    verbose: Verbose = False,
) -> None:
    """Make findable what was crawled since the last time."""
    engine = opened(data, set)
    if follow:
        if rebuild:
            engine.index(anew=True)
        engine.index_until(lambda seconds: _is_over(engine, seconds))
        return
    with progress("indexing") as shown:

        def tell(done: int) -> None:
            shown.update(f"{counted(done, 'document')} indexed")

        done = engine.index(tell, anew=True) if rebuild else engine.settle(tell, PATIENCE)
    if json:
        counts = {"indexed": done.documents, "unreadable": sum(done.lost.values())}
        print_json(counts | {"by": done.by or None, "done": done.done})
    elif done.by:
        so_far = "all is indexed" if done.done else "it has not come to the end yet"
        out.print(f"process {done.by} indexes what is crawled as it comes; {so_far}")
    else:
        out.print(f"{counted(done.documents, 'document')} indexed")
    for file, count in done.lost.items():
        cure = f"`byway crawl --data {data}` fetches {'it' if count == 1 else 'them'} anew"
        say(f"{counted(count, 'page')} could not be read from {file}; {cure}")


def _is_over(engine: Engine, seconds: float) -> bool:
    time.sleep(seconds)
    return not engine.folder.is_writing("crawl")
