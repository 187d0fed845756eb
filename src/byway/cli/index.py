"""`byway index`: index the pages that were crawled."""

import time
from typing import Annotated

import typer

from byway.app.engine import Engine
from byway.cli.support import options
from byway.cli.support.crawl_session import open_engine
from byway.cli.support.output import counted, out, print_json, print_notice, progress
from byway.core.messages import t

PANEL = "Crawl"
ORDER = 4

RebuildOption = Annotated[
    bool, typer.Option("--rebuild", help="Extract every page again and rebuild the index.")
]
INDEXER_WAIT_SECONDS = 10.0
"""Maximum wait for another process that is indexing."""

FollowOption = Annotated[
    bool, typer.Option("--follow", help="Keep indexing until the running crawl ends.")
]


def command(
    rebuild: RebuildOption = False,
    follow: FollowOption = False,
    data: options.DataOption = options.DEFAULT_DATA_DIR,
    set: options.SetOption = None,
    json: options.JsonOption = False,
    verbose: options.VerboseOption = False,
) -> None:
    """Index the pages crawled since the last run."""
    engine = open_engine(data, set)
    if follow:
        if rebuild:
            engine.index(rebuild=True)
        engine.follow_crawl(lambda seconds: _is_over(engine, seconds))
        return
    with progress(t("cli.index.indexing")) as line:

        def report(documents: int) -> None:
            line.update(t("cli.index.indexed", documents=counted("documents", documents)))

        result = (
            engine.index(report, rebuild=True)
            if rebuild
            else engine.index_or_wait(report, INDEXER_WAIT_SECONDS)
        )
    if json:
        print_json(
            {
                "indexed": result.documents,
                "unreadable": sum(result.unreadable_pages.values()),
                "indexer_pid": result.indexer_pid or None,
                "is_complete": result.done,
            }
        )
    elif result.indexer_pid:
        key = "cli.index.other_indexer_done" if result.done else "cli.index.other_indexer_busy"
        out.print(t(key, pid=result.indexer_pid))
    else:
        out.print(t("cli.index.indexed", documents=counted("documents", result.documents)))
    for file, count in result.unreadable_pages.items():
        print_notice(t("cli.index.unreadable", count=count, file=file, data=data))


def _is_over(engine: Engine, seconds: float) -> bool:
    time.sleep(seconds)
    return not engine.storage.is_locked("crawl")
