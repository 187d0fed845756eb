"""Query builder: turns the clauses of a parsed query into a tantivy query.

Queries are built as objects; tantivy's own parser only sees numbers and prefixes."""

import re
from collections.abc import Mapping, Sequence
from math import isfinite, ulp

import tantivy
from tantivy import FieldType, Occur, Query

from byway.core.impacts import LEVEL_IMPACTS, LEVEL_LETTERS
from byway.core.model.query import (
    AllOf,
    AnyOf,
    Clause,
    Filter,
    Not,
    ParsedQuery,
    TermAnalysis,
    TermClause,
    min_should_match,
)
from byway.core.operators import Column, filter_column
from byway.core.text import is_indexable_term
from byway.index.schema import ALL_TEXT_FIELD, IMPACT_FIELD

ATTRIBUTE_NAME_PATTERN = re.compile(r"[a-z0-9_]+")
MIN_RANGE_MARGIN = 1e-8
MAX_COLUMN_NUMBER = 4_000_000
"""The limit of ranges of a numeric column, such as days."""
Clauses = list[tuple[Occur, Query]]
SCORE_UNITS = 8192
"""The score of a page with impact 1 for all words: far below 2²⁴, up to which floats are exact."""
PREFIX_IMPACT = 0.5
"""The impact of a word that only begins with a typed prefix."""
MAX_CODE_POINT = "\U0010ffff"


def all_of(clauses: Clauses) -> Query:
    """The conjunction of clauses; a single clause stays as is, since nesting slows tantivy down."""
    is_single = len(clauses) == 1 and clauses[0][0] == Occur.Must
    return clauses[0][1] if is_single else Query.boolean_query(clauses)


def any_of(queries: Sequence[Query]) -> Query:
    """The disjunction of queries; disjunction max would take tantivy twice as long."""
    return Query.boolean_query([(Occur.Should, query) for query in queries])


def disjunction_max(queries: Sequence[Query]) -> Query:
    """The disjunction scored by its best query: a word that matches in two analyses counts once."""
    if not queries:
        return Query.empty_query()
    return queries[0] if len(queries) == 1 else Query.disjunction_max_query(queries)


def without_score(query: Query) -> Query:
    """The query with all scores set to zero."""
    return Query.boost_query(query, 0.0)


def weight_by_clause(query: ParsedQuery, weights: Sequence[float]) -> dict[TermClause, float]:
    """The weight of each clause in the score; the clauses of a repeated word share its weight."""
    keys = [(word.analyses, word.prefix) for word in query.words]
    counts = query.term_counts
    shares = {key: weight / count for key, weight, count in zip(keys, weights, counts, strict=True)}
    return {word: shares[word.analyses, word.prefix] for word in query.typed_words}


class QueryBuilder:
    """Builds one tantivy query.

    The score of a page is a sum of integers: for each word, its weight in the query times the
    impact that the page was indexed with. So neither tantivy's statistics nor the order of addition
    affects it. Without weights, the query only matches.
    """

    def __init__(
        self,
        index: tantivy.Index,
        schema: tantivy.Schema,
        all_numbers: bool = True,
        weights: Mapping[TermClause, float] | None = None,
    ) -> None:
        """`weights`: the share of each word in the score."""
        self._index = index
        self._schema = schema
        self._all_numbers = all_numbers
        self._weights = weights or {}

    def build(self, clauses: tuple[Clause, ...]) -> Query:
        """The conjunction of these clauses."""
        if len(clauses) == 1 and not isinstance(clauses[0], Not):
            return self._clause_query(clauses[0])
        return all_of(self._clause_queries(clauses))

    def _clause_queries(self, clauses: tuple[Clause, ...]) -> Clauses:
        optional: list[TermClause] = []
        required: list[TermClause] = []
        queries: Clauses = []
        for clause in clauses:
            if isinstance(clause, TermClause):
                (optional if clause.is_optional else required).append(clause)
            elif isinstance(clause, Not):
                queries.append((Occur.MustNot, self._unscored(clause.exact_clause)))
            else:
                queries.append((Occur.Must, self._clause_query(clause)))
        if optional:
            words = [word for word in optional if not word.is_stop_word] or optional
            minimum = min_should_match(optional)
            if minimum == len(words):
                required = [*words, *required]
            else:
                queries.insert(0, (Occur.Must, self._at_least(minimum, words)))
            stop_words = [word for word in optional if word.is_stop_word and words is not optional]
            queries[:0] = [(Occur.Should, self._word_query(word)) for word in stop_words]
        return [*((Occur.Must, self._word_query(word)) for word in required), *queries]

    def _at_least(self, minimum: int, words: Sequence[TermClause]) -> Query:
        """A query for the pages with at least this many of the words."""
        if minimum == 1:
            return any_of([query for word in words for query in self._alternatives(word)])
        queries = [(Occur.Should, self._word_query(word)) for word in words]
        return Query.boolean_query(queries, minimum_number_should_match=minimum)

    def _clause_query(self, clause: Clause) -> Query:
        if isinstance(clause, TermClause):
            return self._word_query(clause)
        if isinstance(clause, Filter):
            return without_score(self._filter_query(clause))
        if isinstance(clause, AnyOf):
            return any_of([query for one in clause.clauses for query in self._alternatives(one)])
        if isinstance(clause, AllOf):
            return all_of(self._clause_queries(clause.clauses))
        return Query.boolean_query(
            [
                (Occur.Must, without_score(Query.all_query())),
                (Occur.MustNot, self._unscored(clause.exact_clause)),
            ]
        )

    def _unscored(self, clause: Clause) -> Query:
        return QueryBuilder(self._index, self._schema, self._all_numbers)._clause_query(clause)

    def _alternatives(self, clause: Clause) -> list[Query]:
        """Alternative queries for a clause: a word matches in any of its analyses."""
        if isinstance(clause, TermClause) and _are_single_terms(clause.analyses):
            return self._analysis_queries(clause)
        return [self._clause_query(clause)]

    def _word_query(self, word: TermClause) -> Query:
        """A query for the pages with this word."""
        queries = self._analysis_queries(word)
        # A page has one language and seldom matches two single-term analyses; others count once.
        if len(queries) > 1 and _are_single_terms(word.analyses) and not word.prefix:
            return any_of(queries)
        return disjunction_max(queries)

    def _analysis_queries(self, word: TermClause) -> list[Query]:
        field = ALL_TEXT_FIELD if word.field == "anywhere" else word.field
        weight = self._weights.get(word, 0.0)
        if weight and field == ALL_TEXT_FIELD and _are_single_terms(word.analyses):
            queries = [
                query
                for analysis in word.analyses
                for query in self._impact_queries(analysis.tokens[0], weight)
            ]
        else:
            queries = [self._analysis_query(field, one, weight) for one in word.analyses]
        if word.prefix:
            query = self._prefix_query(field, word)
            queries.append(_scored(query, weight * PREFIX_IMPACT) if weight else query)
        return queries

    def _impact_queries(self, term: str, weight: float) -> list[Query]:
        """A query for each impact level of a term: together they match all pages with the term."""
        if not (self._all_numbers or is_indexable_term(term)):
            return [without_score(Query.all_query())]  # a number that is not indexed
        return [
            _scored(
                Query.term_query(self._schema, IMPACT_FIELD, term + letter, "basic"),
                weight * impact,
            )
            for letter, impact in zip(LEVEL_LETTERS, LEVEL_IMPACTS, strict=True)
        ]

    def _prefix_query(self, field: str, word: TermClause) -> Query:
        """A range query for the prefix: building a regex takes longer than the search."""
        prefix = word.prefix
        if word.prefix_context:
            pattern = re.escape(prefix.rpartition(" ")[2]) + ".*"
            return any_of(
                [
                    Query.regex_phrase_query(self._schema, field, [*map(re.escape, terms), pattern])
                    for terms in word.prefix_context
                ]
            )
        if prefix.isalnum():
            return self._index.parse_query(
                f"{field}:[{prefix} TO {prefix}{MAX_CODE_POINT}]", [field]
            )
        return Query.regex_query(self._schema, field, re.escape(prefix) + ".*")

    def _analysis_query(self, field: str, analysis: TermAnalysis, weight: float) -> Query:
        """A query for the analysis in this field: a term, or a phrase of terms."""
        terms = analysis.tokens
        if not self._all_numbers:
            terms = tuple(filter(is_indexable_term, terms))
        if not terms:
            return without_score(Query.all_query())  # a number that is not indexed
        weight *= analysis.weight
        if len(terms) == 1:
            if weight and field == ALL_TEXT_FIELD:
                return any_of(self._impact_queries(terms[0], weight))
            query = self._term_query(field, terms[0])
        else:
            query = Query.phrase_query(self._schema, field, [*terms])
        if not weight:
            return query
        if field != ALL_TEXT_FIELD:
            return _scored(query, weight)
        distinct = dict.fromkeys(terms)
        impacts = [any_of(self._impact_queries(one, weight / len(distinct))) for one in distinct]
        return all_of([(Occur.Must, without_score(query)), *((Occur.Must, one) for one in impacts)])

    def _filter_query(self, filter: Filter) -> Query:
        """Build a query for the pages that pass the filter."""
        column = filter_column(filter.name)
        return self._column_query(column, filter) if column else self._attribute_query(filter)

    def _column_query(self, column: Column, filter: Filter) -> Query:
        if filter.value or not column.is_numeric:  # a language that does not exist has no value
            keys = column.keys(filter.value) if filter.value else []
            return disjunction_max([self._term_query(column.name, key) for key in keys])
        first = max(filter.minimum, -MAX_COLUMN_NUMBER)
        last = min(filter.maximum, MAX_COLUMN_NUMBER)
        return Query.range_query(
            self._schema, column.name, FieldType.Integer, int(first), int(last)
        )

    def _attribute_query(self, filter: Filter) -> Query:
        text_query = self._term_query("attribute", f"{filter.name}={filter.value}")
        if not (
            isfinite(filter.minimum) or isfinite(filter.maximum)
        ) or not ATTRIBUTE_NAME_PATTERN.fullmatch(filter.name):
            return text_query
        low, high = _range_end(filter.minimum, -1), _range_end(filter.maximum, 1)
        range_query = self._index.parse_query(
            f"numeric_attributes.{filter.name}:[{low} TO {high}]", [ALL_TEXT_FIELD]
        )
        if not filter.value:
            return range_query
        return any_of([text_query, range_query])

    def _term_query(self, field: str, term: str | int) -> Query:
        return Query.term_query(self._schema, field, term)


def _scored(query: Query, impact: float) -> Query:
    """The query with a constant integer score: whole numbers add up exactly in any order."""
    return Query.const_score_query(query, float(max(1, round(SCORE_UNITS * impact))))


def _are_single_terms(analyses: Sequence[TermAnalysis]) -> bool:
    """Whether each analysis is a single term of full weight."""
    for terms, weight in analyses:  # noqa: SIM110, which takes twice as long
        if weight != 1 or len(terms) != 1:
            return False
    return True


def _range_end(number: float, direction: int) -> str:
    """The end of a range, moved slightly outwards so that it is never an integer.

    tantivy panics when only one of the two ends is an integer.
    """
    if not isfinite(number):
        return "*"
    text = "0"
    while float(text).is_integer():
        number += direction * max(MIN_RANGE_MARGIN, ulp(number))
        text = f"{number:.9f}"
    return text
