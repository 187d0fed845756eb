"""Search candidates as columns, one row per page; positional features; collection statistics."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from byway.core.model.query import TermClause
from byway.core.model.status import ShardStatus

FIELDS = (
    *("title", "h1", "h2", "h4", "url", "host", "anchor", "names", "meta", "emphasis", "capitals"),
    *("categories", "links", "starts", "body"),
)
"""All fields, in forward index order.

`h2` holds headings of levels 2 and 3, `h4` all lower ones, `anchor` the anchor texts of inlinks,
`names` the names that the page defines, `links` its own link texts, and `starts` the first words of
its paragraphs.
"""
Codes = NDArray[np.uint32]
"""Term codes of all fields, in the order of FIELDS."""
PIECE_BREAK_CODE = 0
"""The code between two pieces of a field; never the code of a term."""

Ids = NDArray[np.int64]
Floats = NDArray[np.float64]
Lengths = NDArray[np.int32]
MIN_LANGUAGE_SHARE = 0.02
"""Minimum share of pages in a language for queries to be analyzed in it."""


MERGED_COLUMNS = ("host_ids", "epoch_days", "duplicate_hashes", "canonical_hashes")
"""The columns of candidates that each shard reads for its own pages."""


def term_code(term: str) -> int:
    """The code of a term."""
    return crc32(term.encode())


def empty_ids() -> Ids:
    """An empty array of ids."""
    return np.zeros(0, np.int64)


@dataclass(frozen=True, slots=True)
class PositionFeatures:
    """Ranking features from query word positions, one row per page."""

    term_counts: NDArray[np.float32]
    """[page, field, word]: frequency of each of `ParsedQuery.words` in each of FIELDS.

    If the typed word has matches, a spelling variant counts only once, with its weight: `rpad`
    is not a typo of `read`.
    """
    field_lengths: Lengths
    """[page, field]: field length in words, plus one for each break between pieces."""
    adjacent_pairs: NDArray[np.float32]
    """[page, n]: how often query word n is directly followed by query word n + 1 in the text."""
    near_pairs: NDArray[np.float32]
    """[page, n]: how often query words n and n + 1 occur near each other, in any order."""
    shortest_window: Floats
    """Length in words of the shortest window with all query words; inf if there is none."""
    piece_match: NDArray[np.float32]
    """[page, field]: how closely the best piece of a field, such as a heading, matches the query.

    The share of content words that the piece contains as typed, times the share of the piece that
    is in the query; 1 if they are equal. The body is not divided into pieces.
    """
    first_position: Floats
    """Position of the first query word in the text, from 0; inf if there is none."""


NO_FEATURES = PositionFeatures(
    term_counts=np.zeros((0, len(FIELDS), 0), np.float32),
    field_lengths=np.zeros((0, len(FIELDS)), np.int32),
    adjacent_pairs=np.zeros((0, 0), np.float32),
    near_pairs=np.zeros((0, 0), np.float32),
    shortest_window=np.zeros(0),
    piece_match=np.zeros((0, len(FIELDS)), np.float32),
    first_position=np.zeros(0),
)
FeatureFunction = Callable[[Codes, Lengths, Sequence[TermClause]], PositionFeatures]
"""Computes the features of words in documents. Takes the concatenated codes of the documents, the
length of each field of each document, and the words."""


@dataclass(frozen=True, slots=True)
class Matches:
    """Matching pages without features, best or newest first; URL hashes break ties."""

    ids: Ids
    scores: Floats
    """What the pages are sorted by: the retrieval score of the index, or a number for the date."""
    url_hashes: Ids
    total: int
    """Total number of matching pages."""
    locators: Sequence[Any] = ()
    """How the index finds each page again in `snapshot`."""
    snapshot: Any = None
    """The state of the index in which the pages were found."""

    def select(self, rows: NDArray[np.int64]) -> "Matches":
        """The matches in these rows."""
        return replace(
            self,
            ids=self.ids[rows],
            scores=self.scores[rows],
            url_hashes=self.url_hashes[rows],
            locators=[self.locators[row] for row in rows.tolist()],
        )

    def select_shard(self, rows: NDArray[np.int64], shard: int) -> "Matches":
        """The merged matches in these rows, all of one shard, as that shard knows them."""
        own = self.select(rows)
        locators = [locator for _, locator in own.locators]
        return replace(own, locators=locators, snapshot=self.snapshot[shard])


def merge_matches(shards: Sequence[Matches], limit: int) -> Matches:
    """The best matches of all shards; the locator of each is its shard's number and locator."""
    merged = Matches(
        ids=np.concatenate([one.ids for one in shards]),
        scores=np.concatenate([one.scores for one in shards]),
        url_hashes=np.concatenate([one.url_hashes for one in shards]),
        total=sum(one.total for one in shards),
        locators=[(shard, locator) for shard, one in enumerate(shards) for locator in one.locators],
        snapshot=tuple(one.snapshot for one in shards),
    )
    return merged.select(np.lexsort((merged.url_hashes, -merged.scores))[:limit])


NO_MATCHES = Matches(np.zeros(0, np.int64), np.zeros(0), np.zeros(0, np.int64), 0)


@dataclass(frozen=True, slots=True)
class Candidates:
    """Candidate pages as columns: row `n` of each column belongs to `ids[n]`."""

    ids: Ids
    index_score: Floats
    """The retrieval score of the index."""
    total: int
    """Total number of matching pages."""
    features: PositionFeatures = NO_FEATURES
    host_ids: Ids = field(default_factory=empty_ids)
    """Host ids."""
    epoch_days: Ids = field(default_factory=empty_ids)
    """Publication or modification dates, in days since 1970-01-01; 0 if unknown."""
    duplicate_hashes: Ids = field(default_factory=empty_ids)
    """Hashes of the texts from `simhash.duplicate_hash`; 0 for none."""
    url_hashes: Ids = field(default_factory=empty_ids)
    """Hashes of the URLs."""
    canonical_hashes: Ids = field(default_factory=empty_ids)
    """Hashes of the canonical URLs; usually equal to `url_hashes`."""

    @classmethod
    def merge(
        cls, shards: "Sequence[Candidates]", rows: NDArray[np.int64], matches: Matches
    ) -> "Candidates":
        """The candidates of all shards in the order of `matches`; `rows` holds their places."""
        order = np.argsort(rows)

        def merged(values: Iterable[Any], names: Iterable[str]) -> dict[str, Any]:
            return {
                name: np.concatenate([getattr(value, name) for value in values])[order]
                for name in names
            }

        names = [one.name for one in fields(PositionFeatures)]
        return cls(
            ids=matches.ids,
            index_score=matches.scores,
            total=matches.total,
            features=PositionFeatures(**merged([one.features for one in shards], names)),
            url_hashes=matches.url_hashes,
            **merged(shards, MERGED_COLUMNS),
        )


@dataclass(frozen=True, slots=True)
class CollectionStatistics:
    """Counts over all pages; the counts of all shards add up."""

    page_count: int = 0
    body_terms: int = 0
    """The total number of terms in all bodies."""
    languages: Mapping[str, int] = field(default_factory=dict)
    """The number of pages in each language."""
    attributes: frozenset[str] = frozenset()
    """The names of the indexed attributes."""
    document_frequencies: Mapping[str, int] = field(default_factory=dict)
    """The number of pages with each requested term."""
    shards: tuple[ShardStatus, ...] = ()
    """The shards in order; all counts are without those that cannot be read."""

    @property
    def missing_shards(self) -> int:
        """The number of shards that cannot be read."""
        return sum(not shard.is_readable for shard in self.shards)

    @property
    def mean_body_terms(self) -> float:
        """The mean body length in terms, at least 1."""
        return max(1.0, self.body_terms / max(1, self.page_count))

    @property
    def frequent_languages(self) -> tuple[str, ...]:
        """The languages with at least `MIN_LANGUAGE_SHARE` of the pages, most frequent first."""
        pages = self.languages
        least = MIN_LANGUAGE_SHARE * sum(pages.values())
        frequent = [language for language, count in pages.items() if count >= least]
        return tuple(sorted(frequent, key=lambda language: (-pages[language], language)))

    @classmethod
    def merge(cls, shards: "Sequence[CollectionStatistics]") -> "CollectionStatistics":
        """The statistics of all shards together."""
        languages: Counter[str] = Counter()
        frequencies: Counter[str] = Counter()
        for shard in shards:
            languages.update(shard.languages)
            frequencies.update(shard.document_frequencies)
        by_count = sorted(languages.items(), key=lambda item: (-item[1], item[0]))
        return cls(
            page_count=sum(shard.page_count for shard in shards),
            body_terms=sum(shard.body_terms for shard in shards),
            languages=dict(by_count),
            attributes=frozenset().union(*(shard.attributes for shard in shards)),
            document_frequencies=frequencies,
            shards=tuple(one for shard in shards for one in shard.shards),
        )

    def frequency(self, terms: Sequence[str]) -> int:
        """The document frequency of the rarest of these terms."""
        return min([self.document_frequencies[term] for term in terms], default=0)
