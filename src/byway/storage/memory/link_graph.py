"""Reference link graph in memory."""

from collections.abc import Iterable, Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from byway.core.model import Neighbour, Url, UrlId, UrlRecord, UrlState
from byway.core.model.candidates import Ids
from byway.core.url import host_of, url_hash
from byway.storage.memory.url_catalog import UrlEntry


class MemoryLinkGraph:
    """Links in a dict of lists, and the URLs of the frontier."""

    def __init__(self) -> None:
        self.links_by_source: dict[UrlId, list[Neighbour]] = {}
        self.host_ids_by_name: dict[str, int] = {}
        self.entries: dict[Url, UrlEntry] = {}

    def edges(
        self, nofollow: bool = False
    ) -> Iterator[tuple[NDArray[np.int32], NDArray[np.int32]]]:
        for source, links in self.links_by_source.items():
            targets = [link.id for link in links if nofollow or not link.nofollow]
            yield np.full(len(targets), source, np.int32), np.array(targets, np.int32)

    def size(self) -> int:
        return len(self.entries) + 1

    def host_ids(self) -> NDArray[np.int32]:
        numbers = [self.host_ids_by_name[host_of(url)] for url in self.entries]
        return np.array([0, *numbers], np.int32)

    def outlinks(self, id: UrlId) -> list[Neighbour]:
        return self.links_by_source.get(id, [])

    def target_hashes(self, id: UrlId) -> tuple[int, ...]:
        records = self.url_records(link.id for link in self.outlinks(id))
        return tuple(url_hash(record.url) for _, record in sorted(records.items()))

    def inlinks(self, id: UrlId) -> Iterator[Neighbour]:
        for source, links in self.all_outlinks():
            for link in links:
                if link.id == id:
                    yield link._replace(id=source)

    def edges_to(self, ids: Ids) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        wanted = set(ids.tolist())
        pairs = [
            (source, link.id)
            for source, links in self.all_outlinks()
            for link in links
            if link.id in wanted
        ]
        sources, targets = np.array(pairs, np.int32).reshape(-1, 2).T
        return sources, targets

    def edges_from(self, ids: Ids) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        pairs = [
            (id, link.id) for id in ids.tolist() for link in self.outlinks(id) if not link.nofollow
        ]
        sources, targets = np.array(pairs, np.int32).reshape(-1, 2).T
        return sources, targets

    def redirect_targets(self) -> NDArray[np.int32]:
        ends = [self._redirect_target(entry.record) for entry in self.entries.values()]
        return np.array([0, *ends], np.int32)

    def in_degrees(self) -> NDArray[np.int32]:
        counts = np.zeros(self.size(), np.int32)
        for _, links in self.all_outlinks():
            counts[[link.id for link in links]] += 1
        return counts

    def all_outlinks(self) -> Iterator[tuple[UrlId, list[Neighbour]]]:
        yield from sorted(self.links_by_source.items())

    def url_records(self, ids: Iterable[UrlId]) -> Mapping[UrlId, UrlRecord]:
        wanted = set(ids)
        records = [entry.record for entry in self.entries.values()]
        return {record.id: record for record in records if record.id in wanted}

    def ids_in_state(self, *states: UrlState, among: Ids | None = None) -> Ids:
        records = [entry.record for entry in self.entries.values()]
        found = np.array([record.id for record in records if record.state in states], np.int64)
        return found if among is None else found[np.isin(found, among)]

    def find_url(self, url: Url) -> UrlRecord | None:
        entry = self.entries.get(url)
        return entry.record if entry else None

    def host_names(self) -> Mapping[int, str]:
        return {number: name for name, number in self.host_ids_by_name.items()}

    def _redirect_target(self, start: UrlRecord) -> UrlId:
        record, seen = start, {start.url}
        while record.redirect_target in self.entries and record.redirect_target not in seen:
            seen.add(record.redirect_target)
            record = self.entries[record.redirect_target].record
        return start.id if record.redirect_target in seen else record.id
