"""How do queries of tantivy become one? Any of them, the best of them, or what scores nothing."""

from collections.abc import Sequence

from tantivy import Occur, Query

Clauses = list[tuple[Occur, Query]]


def all_of(clauses: Clauses) -> Query:
    """What all of these say; tantivy takes longer for one thing that stands in another."""
    alone = len(clauses) == 1 and clauses[0][0] == Occur.Must
    return clauses[0][1] if alone else Query.boolean_query(clauses)


def any_of(queries: Sequence[Query]) -> Query:
    """Any of these, side by side: to ask for the best of some first takes tantivy twice as long."""
    return Query.boolean_query([(Occur.Should, query) for query in queries])


def disjunction_max(queries: Sequence[Query]) -> Query:
    """The best of several: a page that has two readings of a word has the word once."""
    if not queries:
        return Query.empty_query()
    return queries[0] if len(queries) == 1 else Query.disjunction_max_query(queries)


def without_score(query: Query) -> Query:
    """The same pages, but nothing for their score."""
    return Query.boost_query(query, 0.0)
