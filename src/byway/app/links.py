"""Opening of the link graph and the ranks of a collection."""

from collections.abc import Iterator
from contextlib import contextmanager

from byway.core.ports import Storage
from byway.reports.links.explorer import LinkExplorer


@contextmanager
def open_link_explorer(storage: Storage) -> Iterator[LinkExplorer]:
    """A snapshot of the graph, which another process may be writing to."""
    storage.require_data()
    with storage.reader(snapshot=True) as reader:
        yield LinkExplorer(reader.graph, storage.ranks().load())
