"""On which pages do the links stand that lead to these URLs?"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from byway.core.model import Url, UrlId
from byway.core.ports import LinkGraph


@dataclass(frozen=True, slots=True)
class LinkSource:
    """A page with a link on it, and the words of that link."""

    url: Url
    anchor_text: str
    nofollow: bool


class LinkSources:
    """The pages that link to some URLs, all found at once and named when they are asked for."""

    def __init__(
        self, graph: LinkGraph, ids: Iterable[int], source_mask: NDArray[np.bool_] | None = None
    ) -> None:
        """`source_mask`: by URL number, which pages count; all, if nothing is said."""
        self._graph = graph
        sources, targets = graph.edges_to(np.fromiter(ids, np.int64))
        if source_mask is not None:
            known = sources < len(source_mask)
            here = known & source_mask[np.where(known, sources, 0)]
            sources, targets = sources[here], targets[here]
        self._sources = sources[np.lexsort((sources, targets))]
        found, counts = np.unique(targets, return_counts=True)
        ends = np.cumsum(counts)
        stretches = zip((ends - counts).tolist(), ends.tolist(), strict=True)
        self._stretches = dict(zip(found.tolist(), stretches, strict=True))

    def count(self, id: UrlId) -> int:
        """How many pages link to a URL."""
        return len(self._of(id))

    def first(self, id: UrlId, limit: int) -> tuple[LinkSource, ...]:
        """The first of them; all, if the limit is 0."""
        sources = [UrlId(source) for source in self._of(id)[: limit or None].tolist()]
        records = self._graph.url_records(sources)
        return tuple(
            LinkSource(records[source].url, link.anchor, link.nofollow)
            for source in sources
            for link in self._graph.outlinks(source)
            if link.id == id and source in records
        )

    def _of(self, id: UrlId) -> NDArray[np.int32]:
        start, end = self._stretches.get(id, (0, 0))
        return self._sources[start:end]
