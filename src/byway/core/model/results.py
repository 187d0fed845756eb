"""Search results: hits, total, facets and the diagnoses shown beside them."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from byway.core.model.hit import Hit
from byway.core.model.search_query import Chip, Query
from byway.core.model.url_state import Url

NO_RESULTS_MESSAGES: Mapping[str, str] = {
    "language": "No page here is in {}",
    "type": "No page here is of type {}",
    "site": "No page here is of {}",
    "day": "No page here has a date in {}",
    "day_older": "No page here is older than {}",
    "day_newer": "No page here is newer than {}",
    "title": "No title here has {}",
    "url": "No URL here has {}",
    "title_elsewhere": "No title here has {}",
    "url_elsewhere": "No URL here has {}",
    "link": "No other page here links to {}",
    "related": "No other page here has the words that {} is about",
    "language_beside": "No page in {} has the rest",
    "type_beside": "No page of type {} has the rest",
    "site_beside": "No page of {} has the rest",
    "day_beside": "No page with a date in {} has the rest",
    "day_undated": "No page here has a date, so none is in {}",
    "day_beside_undated": "No page with a date in {} has the rest, as those that do have none",
    "link_unknown": "{} is not known here, so no page links to it",
    "related_unknown": "{} is not known here, so nobody knows what is like it",
    "related_unkept": "{} is not kept here, so nobody knows what is like it",
}
"""What is said of something absent, by its name and why."""


@dataclass(frozen=True, slots=True)
class NoResultsReason:
    """What was asked of pages that none is: a language, type, site or day, or beside which page."""

    name: str
    """`language`, `type`, `site`, `day`, `link`, `related`, `title` or `url`"""
    value: str
    available: tuple[str, ...] = ()
    """Those that there are: most pages have them, or they are spelt like it."""
    has_more: bool = False
    """Are there others?"""
    cause: str = ""
    """`beside`: there are such pages, but none answers the rest of the question; `undated`,
    `beside_undated`, `unknown` or `unkept`; `older` or `newer`: all pages with a date are of later
    years, or of earlier ones; `elsewhere_count`: pages have it, but not there; nothing where no
    page here
    is so."""
    elsewhere_count: int = 0
    """How many pages have elsewhere what no title or no URL has."""

    @property
    def message_key(self) -> str:
        """What this is called where there is a sentence for each."""
        return f"{self.name}_{self.cause}" if self.cause else self.name

    @property
    def sentence(self) -> str:
        """The same for people, and what there is instead."""
        if self.cause in ("older", "newer"):
            end = self.available[0 if self.cause == "older" else -1]
            return f"{NO_RESULTS_MESSAGES[self.message_key].format(end)}."
        others = " and others" if self.has_more else ""
        between = " to " if self.name == "day" else ", "
        verb = "those that do:" if self.cause == "beside" else "there are"
        verb = "those that have one are of" if self.message_key == "day" else verb
        there = f"; {verb} {between.join(self.available)}{others}" if self.available else ""
        if self.elsewhere_count:
            pages = "page has" if self.elsewhere_count == 1 else "pages have"
            there = f"; {self.elsewhere_count:,} {pages} it elsewhere"
        return f"{NO_RESULTS_MESSAGES[self.message_key].format(self.value)}{there}."


@dataclass(frozen=True, slots=True)
class OperatorTypo:
    """Something with a colon that was typed and is not read as it was likely meant."""

    typed: str
    correction: str = ""
    """How it is spelt that likely was meant; nothing where it should be a day."""

    @property
    def sentence(self) -> str:
        """The same for people, and what helps."""
        if self.correction:
            return f"{self.typed} is read as words: did you mean {self.correction}?"
        return f"{self.typed} is no day: use 2024-05-31, 2024-05 or 2024."


@dataclass(frozen=True, slots=True)
class SplitWord:
    """A word that no page has, and the words it is made of, which pages have."""

    word: str
    parts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Results:
    """The answer to a query: the best hits, how many there were in all, and what it took."""

    query: Query
    hits: tuple[Hit, ...]
    total: int
    seconds: float = 0.0
    did_you_mean: str = ""
    """A likelier spelling of the query: did you mean this?"""
    facets: Mapping[str, tuple[tuple[str, int], ...]] = field(default_factory=dict)
    """How many hits there are of each site, language, type and year, the most first."""
    stage_seconds: Mapping[str, float] = field(default_factory=dict)
    """Seconds that each step of answering took."""
    chips: tuple[Chip, ...] = ()
    """What was understood of a query for goods."""
    partial_match: bool = False
    """Is no page all that was asked for, so that these only come near?"""
    currencies: tuple[str, ...] = ()
    """Goods by price: the currencies in their order; prices are compared within each alone."""
    blocked_sites: int = 0
    """Sites with hits that are not shown, because they are worth nothing to who asks."""
    related_searches: tuple[str, ...] = ()
    """Other searches that are near to this one, the likeliest first."""
    no_results_reasons: tuple[NoResultsReason, ...] = ()
    """Where nothing is found: what was asked for that no page here is."""
    split_words: tuple[SplitWord, ...] = ()
    """Words that no page has and that were looked for by their parts."""
    nothing_to_match: bool = False
    """Is there nothing in the query that pages should have? `-word` only leaves pages out."""
    total_is_estimate: bool = False
    """Is the total only near? Then some of those that nobody looked at may say the same."""
    did_you_mean_total: int = 0
    """How many pages `did_you_mean` finds, where that was looked up; those that say the same among
    them."""
    operator_typos: tuple[OperatorTypo, ...] = ()
    """What was typed with a colon and likely meant otherwise; a day that is none is left out."""


@dataclass(frozen=True, slots=True)
class ResultPosition:
    """Where a page stands among the answers to a query."""

    position: int
    """From 1 on; 0 where it is not among the first thousand."""
    total: int
    duplicate_of: Url | None
    """The page that is shown instead of it, as both say the same."""
