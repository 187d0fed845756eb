"""Sources of links: the pages that link to given URLs."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from byway.core.model import UrlId
from byway.core.model.link_report import LinkSource
from byway.core.ports import LinkGraph


class LinkSources:
    """The pages that link to given URLs: found in one scan, records loaded on demand."""

    def __init__(
        self, graph: LinkGraph, ids: Iterable[int], source_mask: NDArray[np.bool_] | None = None
    ) -> None:
        """`source_mask`: by URL id, the pages that count; None for all."""
        self._graph = graph
        sources, targets = graph.edges_to(np.fromiter(ids, np.int64))
        if source_mask is not None:
            known = sources < len(source_mask)
            counts_as_source = known & source_mask[np.where(known, sources, 0)]
            sources, targets = sources[counts_as_source], targets[counts_as_source]
        self._sources = sources[np.lexsort((sources, targets))]
        found, counts = np.unique(targets, return_counts=True)
        ends = np.cumsum(counts)
        ranges = zip((ends - counts).tolist(), ends.tolist(), strict=True)
        self._ranges = dict(zip(found.tolist(), ranges, strict=True))

    def count(self, id: UrlId) -> int:
        """Number of pages that link to a URL."""
        return len(self._source_ids(id))

    def first(self, id: UrlId, limit: int) -> tuple[LinkSource, ...]:
        """The first pages that link to a URL; all if `limit` is 0."""
        sources = [UrlId(source) for source in self._source_ids(id)[: limit or None].tolist()]
        records = self._graph.url_records(sources)
        return tuple(
            LinkSource(records[source].url, link.anchor, link.nofollow)
            for source in sources
            for link in self._graph.outlinks(source)
            if link.id == id and source in records
        )

    def _source_ids(self, id: UrlId) -> NDArray[np.int32]:
        start, end = self._ranges.get(id, (0, 0))
        return self._sources[start:end]
