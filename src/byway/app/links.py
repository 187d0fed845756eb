"""Opens the link graph and the ranks of a data folder."""

from collections.abc import Iterator
from contextlib import contextmanager

from byway.reports.links.explorer import LinkExplorer
from byway.storage.data_folder import DataFolder
from byway.storage.rank_arrays import ArrayRankStore
from byway.storage.sqlite.crawl_db import crawl_stats
from byway.storage.sqlite.crawl_db.link_graph import SqliteLinkGraph


@contextmanager
def open_link_explorer(folder: DataFolder) -> Iterator[LinkExplorer]:
    """A snapshot of the graph; another process may keep writing to it."""
    folder.require_data()
    with crawl_stats.snapshot(folder.crawl_db) as db:
        yield LinkExplorer(SqliteLinkGraph(db, folder.rank), ArrayRankStore(folder.rank).load())
