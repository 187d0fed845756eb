"""Index: make the pages that were kept findable."""

import time
from typing import Annotated

import typer

from byway.app.engine import Engine
from byway.cli.support.crawl_session import open_engine
from byway.cli.support.options import (
    DEFAULT_DATA_DIR,
    DataOption,
    JsonOption,
    SetOption,
    VerboseOption,
)
from byway.cli.support.output import out, pluralize, print_json, print_notice, progress

ORDER = 22

RebuildOption = Annotated[
    bool, typer.Option("--rebuild", help="Read every page again and build the index anew.")
]
INDEXER_WAIT_SECONDS = 10.0
"""Seconds that another process that indexes is waited for."""

FollowOption = Annotated[
    bool, typer.Option("--follow", help="Go on until the crawl that runs beside it is over.")
]


def command(
    rebuild: RebuildOption = False,
    follow: FollowOption = False,
    data: DataOption = DEFAULT_DATA_DIR,
    set: SetOption = None,
    json: JsonOption = False,
    verbose: VerboseOption = False,
) -> None:
    """Make findable what was crawled since the last time."""
    engine = open_engine(data, set)
    if follow:
        if rebuild:
            engine.index(rebuild=True)
        engine.follow_crawl(lambda seconds: _is_over(engine, seconds))
        return
    with progress("indexing") as shown:

        def tell(done: int) -> None:
            shown.update(f"{pluralize(done, 'document')} indexed")

        done = (
            engine.index(tell, rebuild=True)
            if rebuild
            else engine.index_or_wait(tell, INDEXER_WAIT_SECONDS)
        )
    if json:
        counts = {"indexed": done.documents, "unreadable": sum(done.unreadable_pages.values())}
        print_json(counts | {"by": done.indexer_pid or None, "done": done.done})
    elif done.indexer_pid:
        so_far = "all is indexed" if done.done else "it has not come to the end yet"
        out.print(f"process {done.indexer_pid} indexes what is crawled as it comes; {so_far}")
    else:
        out.print(f"{pluralize(done.documents, 'document')} indexed")
    for file, count in done.unreadable_pages.items():
        cure = f"`byway crawl --data {data}` fetches {'it' if count == 1 else 'them'} anew"
        print_notice(f"{pluralize(count, 'page')} could not be read from {file}; {cure}")


def _is_over(engine: Engine, seconds: float) -> bool:
    time.sleep(seconds)
    return not engine.folder.is_locked("crawl")
