"""What does a query mean, over this collection? Words, filters, goods, and likelier spellings."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from byway.core.model import Chip, OperatorTypo, Query, SplitWord
from byway.core.model.query import Filter, ParsedQuery
from byway.core.ports import DocumentStore, SearchIndex
from byway.products.query.product_query_parser import parse_product_query
from byway.products.search.product_query import product_queries
from byway.products.vocabulary.lookup import ProductVocabulary
from byway.search.diagnose.operator_typos import find_operator_typos
from byway.search.query.parser import CollectionInfo, parse
from byway.search.query.related_pages import UrlIdLookup, resolve_typed_url, resolve_url_filters
from byway.search.rank.personal import blocked_hosts, exclude_hosts, restrict_to_hosts
from byway.search.understand.languages import keep_shared_languages
from byway.search.understand.relax import relaxations
from byway.search.understand.spelling import (
    ExpandedQuery,
    SpellingCorrections,
    expand_prefixes,
    expand_spelling,
)

MAX_ANALYSIS_LANGUAGES = 8
"""Languages in which words are read that nobody typed."""


@dataclass(frozen=True, slots=True)
class QueryPlan:
    """What a query means."""

    queries: tuple[ParsedQuery, ...]
    """The first that has an answer counts; each asks less than the last."""
    typed_query: ParsedQuery
    """What was typed, with the URLs that it names."""
    corrections: SpellingCorrections
    """Likelier spellings of its words."""
    chips: tuple[Chip, ...] = ()
    exact_query_count: int = 1
    """How many of the questions, from the first on, leave out nothing that was typed."""
    split_words: tuple[SplitWord, ...] = ()
    """Words that no page has, and that are looked for by their parts."""
    operator_typos: tuple[OperatorTypo, ...] = ()

    def is_relaxed(self, query: ParsedQuery) -> bool:
        """Does this question only come near to what was typed?"""
        return query not in self.queries[: self.exact_query_count]


class QueryUnderstanding:
    """Reads queries as those who know one index."""

    def __init__(
        self,
        index: SearchIndex,
        documents: DocumentStore,
        find_url_id: UrlIdLookup,
        vocabulary: Callable[[], ProductVocabulary],
        typo_tolerance: bool,
    ) -> None:
        """`vocabulary`: asked late, as who looks for no goods need not wait for its files."""
        self._index = index
        self._documents = documents
        self._find_url_id = find_url_id
        self._vocabulary = vocabulary
        self._typo_tolerance = typo_tolerance

    def plan(self, query: Query) -> QueryPlan:
        """What is asked for, and what else could be."""
        every = self._index.languages()
        languages = every[:MAX_ANALYSIS_LANGUAGES]
        understood = (
            parse_product_query(query.text, self._vocabulary()) if query.product_search else None
        )
        text = understood.remaining_text if understood else query.text
        unread: tuple[OperatorTypo, ...] = ()
        if query.filters or ":" in text:
            collected = CollectionInfo(every, self._index.attributes())
            typed = parse(text, query.filters, collected)
            question = resolve_url_filters(typed, self._index, self._documents, self._find_url_id)
            unread = find_operator_typos(text, collected.attributes)
        else:
            typed = question = parse(text, (), CollectionInfo(every))
        if "*" in text:
            question = expand_prefixes(question, self._index, languages)
        wide = ExpandedQuery(question)
        if self._typo_tolerance:
            wide = expand_spelling(question, self._index, languages)
            question = wide.query
        pages: tuple[ParsedQuery, ...] = ()
        if understood:
            each = tuple(product_queries(understood.chips, question, languages))
        else:
            pages = tuple(self._named(query))
            whole, *looser = relaxations(question)
            each = (*pages, keep_shared_languages(whole, self._index), *looser)
        if blocked := blocked_hosts(query.boosts):
            each = tuple(exclude_hosts(one, blocked) for one in each)
        chips = understood.chips if understood else ()
        return QueryPlan(
            each, typed, wide.corrections, chips, len(pages) + 1, wide.split_words, unread
        )

    def _named(self, query: Query) -> Iterator[ParsedQuery]:
        """The page whose URL was typed, if that is known."""
        page = resolve_typed_url(query.text, self._find_url_id)
        if page and self._documents.get(page):
            collected = CollectionInfo(self._index.languages(), self._index.attributes())
            chosen = parse("", query.filters, collected).clauses
            yield ParsedQuery((Filter("id", str(page)), *chosen))

    def plan_blocked_hosts(self, query: Query) -> ParsedQuery | None:
        """The same question about the sites alone that are worth nothing to who asks."""
        blocked = blocked_hosts(query.boosts)
        return (
            restrict_to_hosts(self.plan(replace(query, boosts={})).queries[0], blocked)
            if blocked
            else None
        )
