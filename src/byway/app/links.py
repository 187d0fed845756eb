"""Who links to whom? A data folder's graph and ranks, opened for questions."""

from collections.abc import Iterator
from contextlib import contextmanager

from byway.reports.links.explorer import Explorer
from byway.storage.data_folder import Folder
from byway.storage.rank_arrays import ArrayRanks
from byway.storage.sqlite.crawl_db import crawl_stats
from byway.storage.sqlite.crawl_db.link_graph import SqliteGraph


@contextmanager
def exploring(folder: Folder) -> Iterator[Explorer]:
    """The graph as it is at this moment, which another process may be writing to."""
    folder.require()
    with crawl_stats.snapshot(folder.crawl_db) as db:
        yield Explorer(SqliteGraph(db, folder.rank), ArrayRanks(folder.rank).load())
