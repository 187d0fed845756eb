"""Query plan: the parsed query with its spellings, languages, product filters and relaxations."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from byway.core.model import Chip, Query
from byway.core.model.message import Diagnosis
from byway.core.model.query import AnyOf, Filter, ParsedQuery, TermClause, min_should_match
from byway.core.ports import DocumentStore, SearchIndex
from byway.products.query.product_query_parser import parse_product_query
from byway.products.search.product_query import product_queries
from byway.products.vocabulary.lookup import ProductVocabulary
from byway.search.diagnose.query_warnings import find_query_warnings
from byway.search.query.parser import CollectionInfo, parse
from byway.search.query.related_pages import UrlIdLookup, resolve_typed_url, resolve_url_filters
from byway.search.rank.personal import blocked_hosts, exclude_hosts, restrict_to_hosts
from byway.search.understand.query_languages import analyze_rare_languages, query_languages
from byway.search.understand.spelling import (
    ExpandedQuery,
    SpellingCorrections,
    expand_prefixes,
    expand_spelling,
)


@dataclass(frozen=True, slots=True)
class QueryPlan:
    """The queries to try for a typed query, from the strictest to the most relaxed."""

    queries: tuple[ParsedQuery, ...]
    """The first one with a hit is used."""
    typed_query: ParsedQuery
    """The query as typed, with the URLs of `link:` and `related:`."""
    corrections: SpellingCorrections
    """Likelier spellings of its words."""
    chips: tuple[Chip, ...] = ()
    exact_query_count: int = 1
    """The number of queries, from the first on, that keep all typed words and filters."""
    split_words: tuple[Diagnosis, ...] = ()
    """Unknown compound words that are searched for by their parts."""
    query_warnings: tuple[Diagnosis, ...] = ()

    def is_relaxed(self, query: ParsedQuery) -> bool:
        """Whether this query drops some typed words or filters."""
        return query not in self.queries[: self.exact_query_count]


class QueryUnderstanding:
    """Makes query plans for one index."""

    def __init__(
        self,
        index: SearchIndex,
        documents: DocumentStore,
        find_url_id: UrlIdLookup,
        vocabulary: Callable[[], ProductVocabulary],
        typo_tolerance: bool,
    ) -> None:
        """`vocabulary` is called on the first product query, as its files take time to load."""
        self._index = index
        self._documents = documents
        self._find_url_id = find_url_id
        self._vocabulary = vocabulary
        self._typo_tolerance = typo_tolerance

    def plan(self, query: Query) -> QueryPlan:
        """The query plan of a typed query."""
        languages = query_languages(self._index)
        product_query = (
            parse_product_query(query.text, self._vocabulary()) if query.product_search else None
        )
        text = product_query.remaining_text if product_query else query.text
        warnings: tuple[Diagnosis, ...] = ()
        if query.filters or ":" in text:
            collection = CollectionInfo(languages, self._index.attributes())
            typed = parse(text, query.filters, collection)
            parsed = resolve_url_filters(typed, self._index, self._documents, self._find_url_id)
            warnings = find_query_warnings(text, collection.attributes)
        else:
            typed = parsed = parse(text, (), CollectionInfo(languages))
        parsed = analyze_rare_languages(parsed, self._index, languages)
        if "*" in text:
            parsed = expand_prefixes(parsed, self._index, languages)
        expanded = ExpandedQuery(parsed)
        if self._typo_tolerance:
            expanded = expand_spelling(parsed, self._index, languages)
            parsed = expanded.query
        url_queries: tuple[ParsedQuery, ...] = ()
        if product_query:
            queries = tuple(product_queries(product_query.chips, parsed, languages))
        else:
            url_queries = tuple(self._url_queries(query))
            queries = (*url_queries, *relaxations(parsed))
        if blocked := blocked_hosts(query.boosts):
            queries = tuple(exclude_hosts(one, blocked) for one in queries)
        return QueryPlan(
            queries=queries,
            typed_query=typed,
            corrections=expanded.corrections,
            chips=product_query.chips if product_query else (),
            exact_query_count=len(url_queries) + 1,
            split_words=expanded.split_words,
            query_warnings=warnings,
        )

    def _url_queries(self, query: Query) -> Iterator[ParsedQuery]:
        """A query for the page whose URL was typed, if that page is indexed."""
        id = resolve_typed_url(query.text, self._find_url_id)
        if id and self._documents.get(id):
            collection = CollectionInfo(attributes=self._index.attributes())
            selected = parse("", query.filters, collection).clauses
            yield ParsedQuery((Filter("id", str(id)), *selected))

    def plan_blocked_hosts(self, query: Query) -> ParsedQuery | None:
        """The query over the hosts that the user has blocked; None if there are none."""
        blocked = blocked_hosts(query.boosts)
        if not blocked:
            return None
        return restrict_to_hosts(self.plan(replace(query, boosts={})).queries[0], blocked)


def relaxations(query: ParsedQuery) -> Iterator[ParsedQuery]:
    """The query itself, then, if it requires several words, one that requires any of them.

    Phrases, exclusions and filters apply to both.
    """
    yield query
    optional = [part for part in query.clauses if isinstance(part, TermClause) and part.is_optional]
    if min_should_match(optional) > 1:
        any_word = AnyOf(tuple(word for word in optional if not word.is_stop_word))
        yield ParsedQuery((any_word, *(part for part in query.clauses if part not in optional)))
