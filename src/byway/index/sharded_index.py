"""Sharded index: shards, each with some of the pages, that answer together as one index.

    shards.json           the shard of each slot
    state.json            the last commit of all shards
    shard-N/              tantivy, forward index and document frequencies of one shard
    terms.npy …           term dictionary and suggestions of the whole collection

Results do not depend on the number of shards: shards add up integer scores that depend on each page
alone, and all statistics are those of the whole collection.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from byway.core.model import Document, Sort, Url, UrlId
from byway.core.model.candidates import (
    Candidates,
    CollectionStatistics,
    FeatureFunction,
    Matches,
    merge_matches,
)
from byway.core.model.query import ParsedQuery, TermClause
from byway.core.ports import IndexPorts, PageLinks
from byway.core.settings.schema import IndexSettings
from byway.index.dictionary.term_dictionary import StoredTermDictionary
from byway.index.index_files import CommitMarker
from byway.index.index_shard import NO_LINKS, IndexShard, ShardChanges
from byway.index.shard_map import ShardMap, read_shard_map
from byway.index.suggest.suggestion_store import (
    PageSuggestions,
    SuggestionStore,
    page_suggestions,
)

MIN_WRITER_MEMORY_MB = 15
"""The least memory that tantivy writes with."""


class ShardedIndex:
    """The index in a folder. Writing needs the data folder's `index` lock; searching does not."""

    def __init__(
        self,
        folder: Path,
        settings: IndexSettings,
        features: FeatureFunction,
        new_map: ShardMap | None = None,
    ) -> None:
        """`features` computes ranking features from the positions in the forward index.

        `new_map`: the shards of an index that does not exist yet.
        """
        self._folder = folder
        self._map = read_shard_map(folder) or new_map or ShardMap.even(max(1, settings.shards))
        self.shards = [
            open_shard(folder, number, settings, features, self._map.shards)
            for number in range(self._map.shards)
        ]
        self._commit_marker = CommitMarker(folder)
        self._dictionary = StoredTermDictionary(folder, settings.max_dictionary_words)
        self._suggestions = SuggestionStore(folder, settings.max_dictionary_words)
        self.ports = IndexPorts(self, self._dictionary, self._suggestions)
        """The ports that searches use."""

    # Writing.

    def add(
        self, documents: Iterable[Document], page_links: Mapping[UrlId, PageLinks] | None = None
    ) -> None:
        links_by_id = page_links or {}
        self.write_map()
        if len(self.shards) == 1:
            self.shards[0].add(self._with_suggestions(documents, links_by_id), page_links)
            return
        by_shard: list[list[Document]] = [[] for _ in self.shards]
        for document in self._with_suggestions(documents, links_by_id):
            by_shard[self._map.shard_of(document.url)].append(document)
        for shard, its_documents in zip(self.shards, by_shard, strict=True):
            shard.add(its_documents, page_links)

    def _with_suggestions(
        self, documents: Iterable[Document], page_links: Mapping[UrlId, PageLinks]
    ) -> Iterable[Document]:
        """The documents, with their suggestions added."""
        for document in documents:
            links = page_links.get(document.id, NO_LINKS)
            self._suggestions.add(page_suggestions(document, links))
            yield document

    def remove(self, ids: Iterable[UrlId]) -> None:
        removed = [*ids]
        for shard in self.shards:
            shard.remove(removed)
        self._suggestions.remove(removed)

    def commit(self, sequence: int) -> None:
        self.write_map()
        indexed_before = self.statistics().page_count
        changes = [shard.commit_changes(sequence) for shard in self.shards]
        self.finish_commit(changes, sequence, indexed_before)

    def shard_of(self, url: Url) -> int:
        """The number of the shard that holds this page."""
        return self._map.shard_of(url)

    def finish_commit(
        self,
        changes: Sequence[ShardChanges],
        sequence: int,
        indexed_before: int,
        suggestions: Iterable[PageSuggestions] = (),
        removed: Sequence[UrlId] = (),
    ) -> None:
        """Add the changes that shards have committed to the dictionary and the suggestions."""
        if removed:
            self._suggestions.remove(removed)
        for one in suggestions:
            self._suggestions.add(one)
        for change in changes:
            self._dictionary.add(change.words, change.documents)
        for change in changes:
            self._dictionary.remove(change.removed_words)
        self._dictionary.commit(indexed_before)
        self._suggestions.commit(indexed_before)
        self._commit_marker.write(sequence)

    def write_map(self) -> None:
        """Write the shard map of a new index."""
        if read_shard_map(self._folder) is None:
            self._folder.mkdir(parents=True, exist_ok=True)
            self._map.write(self._folder)

    # Reading.

    def committed_sequence(self) -> int:
        return self._commit_marker.committed_sequence()

    def open_for_search(self) -> None:
        """Open the files, so that they stay searchable even after they are deleted."""
        for shard in self.shards:
            shard.open_for_search()

    def statistics(self, terms: Iterable[str] = ()) -> CollectionStatistics:
        wanted = [*terms]
        return CollectionStatistics.merge([shard.statistics(wanted) for shard in self.shards])

    def matches(
        self,
        query: ParsedQuery,
        limit: int,
        sort: Sort = "relevance",
        word_weights: Sequence[float] | None = None,
    ) -> Matches:
        if len(self.shards) == 1:
            return self.shards[0].matches(query, limit, sort, word_weights)
        found = [shard.matches(query, limit, sort, word_weights) for shard in self.shards]
        return merge_matches(found, limit)

    def candidates(self, words: Sequence[TermClause], matches: Matches) -> Candidates:
        if len(self.shards) == 1:
            return self.shards[0].candidates(words, matches)
        return merge_candidates(self.shards, words, matches)

    def facets(self, query: ParsedQuery) -> Mapping[str, Mapping[str, int]]:
        totals: dict[str, Counter[str]] = {}
        for shard in self.shards:
            for name, counts in shard.facets(query).items():
                totals.setdefault(name, Counter()).update(counts)
        return totals

    def close(self) -> None:
        """Close the files; uncommitted changes are dropped."""
        for shard in self.shards:
            shard.close()
        self._dictionary.close()
        self._suggestions.close()


def open_shard(
    folder: Path, number: int, settings: IndexSettings, features: FeatureFunction, shards: int
) -> IndexShard:
    """One shard of the index in a folder; shards divide the memory for writing."""
    memory = max(MIN_WRITER_MEMORY_MB, settings.writer_memory_mb // shards)
    own_settings = replace(settings, writer_memory_mb=memory)
    return IndexShard(folder / f"shard-{number}", own_settings, features)


def merge_candidates(
    shards: Sequence[IndexShard], words: Sequence[TermClause], matches: Matches
) -> Candidates:
    """The candidates of merged matches, each with the features that its shard computes."""
    numbers = np.array([shard for shard, _ in matches.locators], np.int64)
    found, rows = [], []
    for number, shard in enumerate(shards):
        its_rows = np.flatnonzero(numbers == number)
        if len(its_rows):
            own = matches.select_shard(its_rows, number)
            found.append(shard.candidates(words, own))
            rows.append(its_rows)
    if not found:
        return shards[0].candidates(words, matches)
    return Candidates.merge(found, np.concatenate(rows), matches)
