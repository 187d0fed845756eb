"""Anchor texts in memory."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice

from byway.core.model import UrlId
from byway.core.ports import LinkGraph, PageLinks


class MemoryAnchorStore:
    """Anchor texts by linking page."""

    def __init__(self, graph: LinkGraph) -> None:
        self._graph = graph
        self._said: dict[UrlId, Counter[tuple[int, str]]] = {}
        self._ends: dict[int, int] = {}
        self._indexed: dict[UrlId, int] = {}
        self._learnt = 0

    def update_sources(
        self, sequence: int, sources: Iterable[UrlId], removed: Iterable[UrlId] = ()
    ) -> None:
        if sequence > self._learnt:
            self._learnt = sequence
            for source in sources:
                self._said[source] = Counter(
                    (link.id, link.anchor)
                    for link in self._graph.outlinks(source)
                    if not link.nofollow and link.id != source and link.anchor
                )
            for source in removed:
                self._said.pop(source, None)

    def anchors_for(self, ids: Sequence[UrlId]) -> Mapping[UrlId, PageLinks]:
        return {id: self._linked(id) for id in ids}

    def mark_indexed(self, anchors_hashes: Mapping[UrlId, int]) -> None:
        self._indexed |= anchors_hashes

    def commit_changes(self) -> None:
        self._ends = dict(enumerate(self._graph.redirect_targets().tolist()))

    def pages_with_changed_anchors(self, limit: int) -> list[UrlId]:
        renamed = (
            id for id, then in self._indexed.items() if self._linked(id).anchors_hash != then
        )
        return list(islice(renamed, limit))

    def _linked(self, id: UrlId) -> PageLinks:
        texts: Counter[str] = Counter()
        for said in self._said.values():
            for (target, text), links in said.items():
                if self._ends.get(target, target) == id:
                    texts[text] += links
        return PageLinks(tuple(texts.most_common()), self._graph.target_hashes(id))
