"""Query plan: the parsed query with its languages, spellings, filters and relaxations."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from byway.core.messages import Diagnosis
from byway.core.model import Boost, Chip, Query
from byway.core.model.query import AnyOf, Filter, Not, ParsedQuery, TermClause, min_should_match
from byway.core.ports import DocumentStore, IndexPorts, SearchIndex
from byway.core.text import analyze_exact, analyze_word
from byway.core.verticals import DetectedFilters, Vertical
from byway.search.diagnose.query_warnings import find_query_warnings
from byway.search.query.parser import CollectionInfo, map_words, parse
from byway.search.query.related_pages import find_typed_page, resolve_related
from byway.search.understand.spelling import (
    ExpandedQuery,
    SpellingCorrections,
    expand_prefixes,
    expand_spelling,
    occurring_analyses,
)


def analyze_rare_languages(query: ParsedQuery, index: SearchIndex) -> ParsedQuery:
    """Analyze each word that no page contains again, in all languages of the collection.

    A page in a rare language contains a word only as stemmed by that language's stemmer.
    """
    statistics = index.statistics(query.all_terms)
    all_languages = tuple(statistics.languages)

    def analyze(word: TermClause) -> TermClause:
        if word.prefix or any(statistics.frequency(one.tokens) for one in word.analyses):
            return word
        found = (analyze_exact if word.exact else analyze_word)(word.text, all_languages)
        occurring = occurring_analyses(found, index)
        return word.with_analyses(occurring) if occurring else word

    return ParsedQuery(map_words(query.clauses, analyze, include_excluded=True))


NO_DETECTED_FILTERS = DetectedFilters((), "")


@dataclass(frozen=True, slots=True)
class QueryPlan:
    """The queries to try for a typed query, from the strictest to the most relaxed."""

    queries: tuple[ParsedQuery, ...]
    """The first one with a hit is used."""
    typed_query: ParsedQuery
    """The query as typed, with the URLs of `related:`."""
    corrections: SpellingCorrections
    """Likelier spellings of its words."""
    chips: tuple[Chip, ...] = ()
    exact_query_count: int = 1
    """The number of leading queries that keep all typed words and filters."""
    split_words: tuple[Diagnosis, ...] = ()
    """Unknown compound words that are searched by their parts."""
    query_warnings: tuple[Diagnosis, ...] = ()
    vertical: Vertical | None = None
    """The vertical that the query names, or whose sort order it uses."""

    def is_relaxed(self, query: ParsedQuery) -> bool:
        """Whether this query drops some typed words or filters."""
        return query not in self.queries[: self.exact_query_count]


class QueryUnderstanding:
    """Makes query plans for one index."""

    def __init__(
        self,
        ports: IndexPorts,
        documents: DocumentStore,
        verticals: Sequence[Vertical],
        typo_tolerance: bool,
    ) -> None:
        self._ports = ports
        self._index = ports.index
        self._documents = documents
        self._verticals = verticals
        self._typo_tolerance = typo_tolerance

    def plan(self, query: Query) -> QueryPlan:
        """The plan for a query."""
        statistics = self._index.statistics()
        languages = statistics.frequent_languages
        vertical = self._find_vertical(query)
        named_vertical = vertical if query.vertical else None
        detected = NO_DETECTED_FILTERS
        text = query.text
        if named_vertical:
            detected = named_vertical.detect_filters(text)
            text = detected.remaining_text
        warnings: tuple[Diagnosis, ...] = ()
        if query.filters or ":" in text:
            collection = CollectionInfo(languages, statistics.attributes)
            typed = parse(text, query.filters, collection)
            parsed = resolve_related(typed, self._index, self._documents)
            warnings = find_query_warnings(text, collection.attributes)
        else:
            typed = parsed = parse(text, (), CollectionInfo(languages))
        if len(statistics.languages) > len(languages):
            parsed = analyze_rare_languages(parsed, self._index)
        if "*" in text:
            parsed = expand_prefixes(parsed, self._ports, languages)
        expanded = ExpandedQuery(parsed)
        if self._typo_tolerance:
            expanded = expand_spelling(parsed, self._ports, languages)
            parsed = expanded.query
        url_queries: tuple[ParsedQuery, ...] = ()
        if named_vertical:
            queries = tuple(named_vertical.queries(detected.chips, parsed, languages))
        else:
            url_queries = tuple(self._url_queries(query))
            queries = (*url_queries, *relaxations(parsed))
        if blocked := blocked_hosts(query.boosts):
            excluded = [Not(Filter("site", host)) for host in blocked]
            queries = tuple(ParsedQuery((*one.clauses, *excluded)) for one in queries)
        return QueryPlan(
            queries=queries,
            typed_query=typed,
            corrections=expanded.corrections,
            chips=detected.chips,
            exact_query_count=len(url_queries) + 1,
            split_words=expanded.split_words,
            query_warnings=warnings,
            vertical=vertical,
        )

    def _find_vertical(self, query: Query) -> Vertical | None:
        """The vertical that a query names, or whose sort order it uses."""
        return next(
            (
                vertical
                for vertical in self._verticals
                if query.vertical == vertical.name
                or (not query.vertical and query.sort in vertical.sorts)
            ),
            None,
        )

    def _url_queries(self, query: Query) -> Iterator[ParsedQuery]:
        """A query for the page whose URL was typed, if that page is indexed."""
        if "/" not in query.text:
            return
        page = find_typed_page(query.text, self._index, self._documents)
        if page:
            collection = CollectionInfo(attributes=self._index.statistics().attributes)
            selected = parse("", query.filters, collection).clauses
            yield ParsedQuery((Filter("id", str(page.id)), *selected))


def relaxations(query: ParsedQuery) -> Iterator[ParsedQuery]:
    """The query itself, then, if it requires several words, one that requires any of them.

    Phrases, exclusions and filters apply to both.
    """
    yield query
    optional = [part for part in query.clauses if isinstance(part, TermClause) and part.is_optional]
    if min_should_match(optional) > 1:
        any_word = AnyOf(tuple(word for word in optional if not word.is_stop_word))
        yield ParsedQuery((any_word, *(part for part in query.clauses if part not in optional)))


def blocked_hosts(boosts: Mapping[str, Boost]) -> list[str]:
    """The hosts the user has blocked."""
    return [host for host, boost in boosts.items() if boost.factor <= 0]
