"""Who links to whom? A data folder's graph and ranks, opened for questions."""

from collections.abc import Iterator
from contextlib import contextmanager

from byway.backends.embedded import history
from byway.backends.embedded.folder import Folder
from byway.backends.embedded.links import SqliteGraph
from byway.backends.embedded.ranks import ArrayRanks
from byway.links.explorer import Explorer


@contextmanager
def exploring(folder: Folder) -> Iterator[Explorer]:
    """The graph as it is at this moment, which another process may be writing to."""
    folder.require()
    with history.snapshot(folder.crawl_db) as db:
        yield Explorer(SqliteGraph(db, folder.rank), ArrayRanks(folder.rank).load())
