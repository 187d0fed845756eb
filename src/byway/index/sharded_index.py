"""Sharded index: shards, each with some of the pages, that answer together as one index.

    shards.json           the shard of each slot
    state.json            the last commit of all shards
    writing               present while the index is being written
    shard-N/              tantivy, forward index and document frequencies of one shard
    terms.npy …           term dictionary and suggestions of the whole collection

Results do not depend on the number of shards: shards add up integer scores that depend on each page
alone, and all statistics are those of the whole collection. If a shard cannot be read, the others
answer without it.
"""

import logging
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from operator import is_not
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np

from byway.core.errors import DataError
from byway.core.files import size_of
from byway.core.model import Document, ShardStatus, Sort, Url, UrlId
from byway.core.model.candidates import (
    NO_MATCHES,
    Candidates,
    CollectionStatistics,
    FeatureFunction,
    Ids,
    Matches,
    merge_matches,
)
from byway.core.model.query import ParsedQuery, TermClause
from byway.core.ports import IndexPorts, PageLinks
from byway.core.settings.schema import IndexSettings
from byway.index.dictionary.term_dictionary import StoredTermDictionary
from byway.index.forward_index import CodeCounts
from byway.index.index_files import CommitMarker
from byway.index.index_shard import NO_CANDIDATES, NO_LINKS, IndexShard, ShardChanges
from byway.index.shard_map import ShardMap, read_shard_map
from byway.index.suggest.suggestion_store import (
    PageSuggestions,
    SuggestionStore,
    page_suggestions,
)

MIN_WRITER_MEMORY_MB = 15
"""The least memory that tantivy writes with."""
SESSION_FILE = "writing"
"""Exists while the index is being written. If a crash leaves it behind, words that the shards have
committed may be missing from the dictionary, so they are recounted."""
RETRY_INTERVAL_SECONDS = 30.0
"""Seconds until a shard that could not be read is tried again; each attempt checks its files."""
log = logging.getLogger(__name__)
Answer = TypeVar("Answer")


class ShardFailure(NamedTuple):
    """Why a shard could not be read."""

    error: DataError
    retry_at: float
    """The monotonic time of the next attempt."""


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
        self._commit_marker = CommitMarker(folder)
        self._map = self._stored_map() or new_map or ShardMap.even(max(1, settings.shards))
        count = self._map.shards
        self.shards = [open_shard(folder, n, settings, features, count) for n in range(count)]
        self._session_path = folder / SESSION_FILE
        self._is_writing = self._must_recount = False
        self._failures: dict[int, ShardFailure] = {}
        """The shards that could not be read, by number."""
        self._merged_statistics: tuple[list[CollectionStatistics], CollectionStatistics] = (
            [],
            CollectionStatistics(),
        )
        """The statistics of the shards, and of all of them together."""
        self._dictionary = StoredTermDictionary(folder, settings.max_dictionary_words)
        self._suggestions = SuggestionStore(folder, settings.max_dictionary_words)
        self.ports = IndexPorts(self, self._dictionary, self._suggestions)
        """The ports that searches use."""

    def _stored_map(self) -> ShardMap | None:
        """The shard map; None for a new index."""
        stored = read_shard_map(self._folder)
        if stored is None and self._commit_marker.committed_sequence():
            raise DataError("index.missing_shard_map", path=self._folder)
        return stored

    # Writing.

    def add(
        self, documents: Iterable[Document], page_links: Mapping[UrlId, PageLinks] | None = None
    ) -> None:
        links_by_id = page_links or {}
        self.prepare_to_write()
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
        self.prepare_to_write()
        for shard in self.shards:
            shard.remove(removed)
        self._suggestions.remove(removed)

    def commit(self, sequence: int) -> None:
        self.prepare_to_write()
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
        if self._must_recount:
            counts = [shard.word_frequencies() for shard in self.shards]
            self._dictionary.recount(reduce(CodeCounts.plus, counts))
            self._must_recount = False
        self._dictionary.commit(indexed_before)
        self._suggestions.commit(indexed_before)
        self._commit_marker.write(sequence)

    def prepare_to_write(self) -> None:
        """Write the shard map of a new index; raise if a shard of an existing one is missing."""
        if self._is_writing:
            return
        for shard in self.shards:
            self._require_present(shard)
        if read_shard_map(self._folder) is None:
            self._folder.mkdir(parents=True, exist_ok=True)
            self._map.write(self._folder)
        self._must_recount = self._session_path.exists()
        self._session_path.touch()
        self._is_writing = True

    # Reading.

    def committed_sequence(self) -> int:
        return self._commit_marker.committed_sequence()

    def open_for_search(self) -> None:
        """Open the files, so that they stay searchable even after they are deleted."""
        self._ask(lambda shard: shard.open_for_search(), lambda shard: None)

    def statistics(self, terms: Iterable[str] = ()) -> CollectionStatistics:
        wanted = [*terms]
        none = dict.fromkeys(wanted, 0)
        found = self._ask(
            lambda shard: (shard.collection_statistics(), shard.document_frequencies(wanted)),
            lambda shard: (_unreadable(shard), none),
        )
        parts = [statistics for statistics, _ in found]
        known, merged = self._merged_statistics
        if len(known) != len(parts) or any(map(is_not, known, parts)):
            merged = CollectionStatistics.merge(parts)
            self._merged_statistics = parts, merged
        if not wanted:
            return merged
        frequencies = {term: sum(counts[term] for _, counts in found) for term in wanted}
        return replace(merged, document_frequencies=frequencies)

    def matches(
        self,
        query: ParsedQuery,
        limit: int,
        sort: Sort = "relevance",
        word_weights: Sequence[float] | None = None,
    ) -> Matches:
        found = self._ask(
            lambda shard: shard.matches(query, limit, sort, word_weights), lambda shard: NO_MATCHES
        )
        return found[0] if len(found) == 1 else merge_matches(found, limit)

    def candidates(self, words: Sequence[TermClause], matches: Matches) -> Candidates:
        if len(self.shards) == 1:
            return self.shards[0].candidates(words, matches)
        numbers = np.array([shard for shard, _ in matches.locators], np.int64)
        rows_by_shard = {
            shard: np.flatnonzero(numbers == number) for number, shard in enumerate(self.shards)
        }

        def read(shard: IndexShard) -> Candidates | None:
            rows = rows_by_shard[shard]
            if not len(rows):
                return None
            return shard.candidates(words, matches.select_shard(rows, int(numbers[rows[0]])))

        found = self._ask(read, lambda shard: None)
        return merge_candidates(found, [*rows_by_shard.values()], matches)

    def facets(self, query: ParsedQuery) -> Mapping[str, Mapping[str, int]]:
        totals: dict[str, Counter[str]] = {}
        empty: dict[str, dict[str, int]] = {}
        for facets in self._ask(lambda shard: shard.facets(query), lambda shard: empty):
            for name, counts in facets.items():
                totals.setdefault(name, Counter()).update(counts)
        return totals

    def _ask(
        self, read: Callable[[IndexShard], Answer], missing: Callable[[IndexShard], Answer]
    ) -> list[Answer]:
        """The answer of each shard, or `missing` for one that cannot be read; raise if none can."""
        found = [self._answer(number, read) for number in range(len(self.shards))]
        errors = {n: one for n, one in enumerate(found) if isinstance(one, DataError)}
        if len(errors) == len(found):  # nothing is noted: it may be due to the query
            raise errors[0]
        for number, error in errors.items():
            self._note_failure(number, error)
        return [
            missing(shard) if isinstance(one, DataError) else one
            for shard, one in zip(self.shards, found, strict=True)
        ]

    def _answer(self, number: int, read: Callable[[IndexShard], Answer]) -> Answer | DataError:
        """The answer of a shard, or why it cannot be read."""
        shard, failure = self.shards[number], self._failures.get(number)
        if failure and time.monotonic() < failure.retry_at:
            return failure.error
        try:
            self._require_present(shard)
            answer = read(shard)
        except DataError as error:
            return error
        self._failures.pop(number, None)
        return answer

    def _require_present(self, shard: IndexShard) -> None:
        """Raise if the files of a shard are gone: each commit is one to every shard."""
        if shard.is_open or shard.committed_sequence() or not self.committed_sequence():
            return
        raise DataError("index.missing_shard", path=shard.folder)

    def _note_failure(self, number: int, error: DataError) -> None:
        """Leave a shard out until the next attempt; the log has each failure once."""
        known = self._failures.get(number)
        if known and known.error is error:
            return
        if known is None or str(known.error) != str(error):
            shards = len(self.shards)
            log.warning("shard cannot be read number=%d shards=%d error=%s", number, shards, error)
        self._failures[number] = ShardFailure(error, time.monotonic() + RETRY_INTERVAL_SECONDS)

    def close(self) -> None:
        """Close the files; uncommitted changes are dropped."""
        for shard in self.shards:
            shard.close()
        self._dictionary.close()
        self._suggestions.close()
        if self._is_writing and not self._must_recount:
            sequences = {shard.committed_sequence() for shard in self.shards}
            if sequences == {self.committed_sequence()}:
                self._session_path.unlink(missing_ok=True)
        self._is_writing = False


def _unreadable(shard: IndexShard) -> CollectionStatistics:
    """The statistics of a shard that cannot be read."""
    return CollectionStatistics(shards=(ShardStatus(0, size_of(shard.folder), is_readable=False),))


def open_shard(
    folder: Path, number: int, settings: IndexSettings, features: FeatureFunction, shards: int
) -> IndexShard:
    """One shard of the index in a folder; shards divide the memory for writing."""
    memory = max(MIN_WRITER_MEMORY_MB, settings.writer_memory_mb // shards)
    own_settings = replace(settings, writer_memory_mb=memory)
    return IndexShard(folder / f"shard-{number}", own_settings, features)


def merge_candidates(
    shards: Sequence[Candidates | None], rows: Sequence[Ids], matches: Matches
) -> Candidates:
    """The candidates of merged matches, without those of shards that could not be read.

    `rows` holds the places of each shard's candidates in `matches`.
    """
    pairs = zip(shards, rows, strict=True)
    found = [(shard, its_rows) for shard, its_rows in pairs if shard is not None]
    if not found:
        return NO_CANDIDATES
    places = np.concatenate([its_rows for _, its_rows in found])
    read = matches if len(places) == len(matches.ids) else matches.select(np.sort(places))
    return Candidates.merge([shard for shard, _ in found], places, read)
