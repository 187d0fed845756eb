"""Search results: hits, total, facets and diagnoses."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from byway.core.model.hit import Hit
from byway.core.model.message import Diagnosis
from byway.core.model.search_query import Chip, Query
from byway.core.model.url_state import Url

Facets = Mapping[str, tuple[tuple[str, int], ...]]
"""The values of each facet with their page counts, most frequent first."""


@dataclass(frozen=True, slots=True)
class Results:
    """The results of a query: the best hits, their total, facets, timings and diagnoses."""

    query: Query
    hits: tuple[Hit, ...]
    total: int
    seconds: float = 0.0
    did_you_mean: str = ""
    """A likelier spelling of the query; empty if there is none."""
    facets: Facets = field(default_factory=dict)
    """Hits by site, language, type and year, most frequent value first."""
    stage_seconds: Mapping[str, float] = field(default_factory=dict)
    """Seconds spent in each stage of the search."""
    chips: tuple[Chip, ...] = ()
    """Filters detected in the query, if it searches a vertical."""
    partial_match: bool = False
    """True if no page matches the whole query, so these match only part of it."""
    sort_groups: tuple[str, ...] = ()
    """Groups (such as currencies) in order, if sorting only compares within a group."""
    blocked_sites: int = 0
    """Number of sites with hits that the user has blocked."""
    related_searches: tuple[str, ...] = ()
    """Related searches, likeliest first."""
    no_results_reasons: tuple[Diagnosis, ...] = ()
    """Why there are no hits; empty if there are hits or no reason is known."""
    split_words: tuple[Diagnosis, ...] = ()
    """Unknown compound words that were searched for by their parts."""
    total_is_estimate: bool = False
    """True if the total may include duplicates because only some candidates were compared."""
    did_you_mean_total: int = 0
    """Number of pages that `did_you_mean` finds, including duplicates; 0 if not counted."""
    query_warnings: tuple[Diagnosis, ...] = ()
    """Mistyped operators and invalid dates in the query."""

    @property
    def diagnoses(self) -> tuple[Diagnosis, ...]:
        """All diagnoses of the query, in display order."""
        partial: tuple[Diagnosis, ...] = ()
        if self.partial_match and self.hits and not self.query.vertical:
            partial = (Diagnosis("partial_match"),)
        return (*self.query_warnings, *self.split_words, *partial, *self.no_results_reasons)


@dataclass(frozen=True, slots=True)
class ResultPosition:
    """The position of a page in the results of a query."""

    position: int
    """From 1; 0 if it is not among the first thousand hits."""
    total: int
    duplicate_of: Url | None
    """The near duplicate shown in its place."""
