"""Combinators of tantivy queries: conjunction, disjunction, disjunction max, no score."""

from collections.abc import Sequence

from tantivy import Occur, Query

Clauses = list[tuple[Occur, Query]]


def all_of(clauses: Clauses) -> Query:
    """The conjunction of clauses; a single clause is not wrapped, as nesting slows tantivy down."""
    is_single = len(clauses) == 1 and clauses[0][0] == Occur.Must
    return clauses[0][1] if is_single else Query.boolean_query(clauses)


def any_of(queries: Sequence[Query]) -> Query:
    """The disjunction; disjunction max would take tantivy twice as long."""
    return Query.boolean_query([(Occur.Should, query) for query in queries])


def disjunction_max(queries: Sequence[Query]) -> Query:
    """A disjunction scored by its best match, so that two analyses of a word count once."""
    if not queries:
        return Query.empty_query()
    return queries[0] if len(queries) == 1 else Query.disjunction_max_query(queries)


def without_score(query: Query) -> Query:
    """The same query without scores."""
    return Query.boost_query(query, 0.0)
