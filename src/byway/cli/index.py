"""Index: make the pages that were kept findable."""

import time
from typing import Annotated

import typer

from byway.cli.crawling import opened
from byway.cli.options import HERE, Data, Json, Set, Verbose
from byway.cli.output import counted, out, print_json, progress, say
from byway.engine import Engine

ORDER = 22

Rebuild = Annotated[
    bool, typer.Option("--rebuild", help="Read every page again and build the index anew.")
]
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
        done = engine.index(
            lambda done: shown.update(f"{counted(done, 'document')} indexed"), anew=rebuild
        )
    if json:
        print_json({"indexed": done.documents, "unreadable": sum(done.lost.values())})
    else:
        out.print(f"{counted(done.documents, 'document')} indexed")
    for file, count in done.lost.items():
        cure = f"`byway crawl --data {data}` fetches {'it' if count == 1 else 'them'} anew"
        say(f"{counted(count, 'page')} could not be read from {file}; {cure}")


def _is_over(engine: Engine, seconds: float) -> bool:
    time.sleep(seconds)
    return not engine.folder.is_writing("crawl")
