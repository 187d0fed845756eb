"""`byway index`: index the pages that were crawled."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from byway.app.engine import Engine
from byway.cli.support import options
from byway.cli.support.crawl_session import open_engine
from byway.cli.support.output import ProgressLine, counted, out, print_json, print_notice, progress
from byway.cli.support.progress import indexing_text
from byway.core.messages import t

if TYPE_CHECKING:
    from byway.app.index import IndexingProgress, IndexingResult

PANEL = "Crawl"
ORDER = 4

RebuildOption = Annotated[
    bool, typer.Option("--rebuild", help="Extract every page again and rebuild the index.")
]
ShardsOption = Annotated[
    int | None,
    typer.Option(
        "--shards",
        min=1,
        max=64,
        help="Divide the index into this many shards; rebuilds it if it has another number.",
    ),
]
INDEXER_WAIT_SECONDS = 10.0
"""Maximum wait for another process that is indexing."""

FollowOption = Annotated[
    bool, typer.Option("--follow", help="Keep indexing until the running crawl ends.")
]


def command(
    rebuild: RebuildOption = False,
    shards: ShardsOption = None,
    follow: FollowOption = False,
    data: options.DataOption = options.DEFAULT_DATA_DIR,
    set: options.SetOption = None,
    json: options.JsonOption = False,
    verbose: options.VerboseOption = False,
) -> None:
    """Index the pages crawled since the last run."""
    engine = open_engine(data, set, {"index.shards": shards})
    if follow:
        if rebuild:
            engine.index(rebuild=True)
        engine.follow_crawl(lambda seconds: _is_over(engine, seconds))
        return
    with progress(t("cli.index.indexing")) as line:
        report = _reporter(line)
        result = (
            engine.index(report, rebuild)
            if rebuild or shards
            else engine.index_or_wait(report, INDEXER_WAIT_SECONDS)
        )
    if json:
        print_json(_as_json(result))
    else:
        out.print(_summary(result, shards is not None))
    for file, count in result.unreadable_pages.items():
        print_notice(t("cli.index.unreadable", count=count, file=file, data=data))
    if shards:
        _warn_of_setting(shards, data, set)


def _reporter(line: ProgressLine) -> "Callable[[IndexingProgress], None]":
    """A function that shows the progress with its rate since the start of the stage."""
    started: dict[str, float] = {}

    def report(progress: "IndexingProgress") -> None:
        now = time.monotonic()
        line.update(indexing_text(progress, now - started.setdefault(progress.stage, now)))

    return report


def _summary(result: "IndexingResult", with_shards: bool) -> str:
    if result.indexer_pid:
        key = "cli.index.other_indexer_done" if result.done else "cli.index.other_indexer_busy"
        return t(key, pid=result.indexer_pid)
    documents = counted("documents", result.documents)
    if with_shards or result.shards > 1:
        return t("cli.index.indexed_in_shards", count=result.shards, documents=documents)
    return t("cli.index.indexed", documents=documents)


def _as_json(result: "IndexingResult") -> dict[str, object]:
    return {
        "indexed": result.documents,
        "shards": result.shards or None,
        "unreadable": sum(result.unreadable_pages.values()),
        "indexer_pid": result.indexer_pid or None,
        "is_complete": result.done,
    }


def _warn_of_setting(shards: int, data: Path, overrides: list[str] | None) -> None:
    """Print a notice if the next run without the option changes the number back."""
    setting = options.settings_from_options(data, overrides).index.shards
    if setting not in (0, shards):
        print_notice(t("cli.index.shards_setting", setting=setting, shards=shards))


def _is_over(engine: Engine, seconds: float) -> bool:
    time.sleep(seconds)
    return not engine.storage.is_locked("crawl")
