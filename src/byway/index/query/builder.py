"""Query builder: from the clauses of a parsed query to a tantivy query.

Queries are built as objects; tantivy's own parser only sees numbers and prefixes from here.
"""

from collections.abc import Mapping, Sequence

import tantivy
from tantivy import Occur, Query

from byway.core.model import UrlId
from byway.core.model.query import AllOf, AnyOf, Clause, Filter, Not, TermClause, min_should_match
from byway.index.query.boolean import Clauses, all_of, any_of, without_score
from byway.index.query.filters import FilterQueryBuilder
from byway.index.query.terms import TermQueryBuilder


class QueryBuilder:
    """Builds tantivy queries for one index."""

    def __init__(
        self,
        index: tantivy.Index,
        schema: tantivy.Schema,
        languages: Mapping[str, int],
        all_numbers: bool = True,
    ) -> None:
        self._index = index
        self._languages = languages
        self._terms = TermQueryBuilder(index, schema, [*languages], all_numbers)
        self._filters = FilterQueryBuilder(index, schema)

    def is_for(self, index: tantivy.Index, languages: Mapping[str, int]) -> bool:
        """Whether it was made for this index and these languages."""
        return self._index is index and self._languages is languages

    def build(self, clauses: tuple[Clause, ...], only_id: UrlId | None = None) -> Query:
        """The conjunction of these clauses; with `only_id`, restricted to one page."""
        if len(clauses) == 1 and only_id is None and not isinstance(clauses[0], Not):
            return self._clause_query(clauses[0])
        queries = self._clause_queries(clauses)
        if only_id is not None:
            queries.append((Occur.Must, without_score(self._filters.term_query("id", only_id))))
        return all_of(queries)

    def _clause_queries(self, clauses: tuple[Clause, ...]) -> Clauses:
        optional: list[TermClause] = []
        required: list[TermClause] = []
        queries: Clauses = []
        for clause in clauses:
            if isinstance(clause, TermClause):
                (optional if clause.is_optional else required).append(clause)
            elif isinstance(clause, Not):
                queries.append((Occur.MustNot, self._clause_query(clause.exact_clause)))
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
            queries[:0] = [(Occur.Should, self._terms.word_query(word)) for word in stop_words]
        return [*((Occur.Must, self._terms.word_query(word)) for word in required), *queries]

    def _at_least(self, minimum: int, words: Sequence[TermClause]) -> Query:
        """A query for pages with at least this many of the words."""
        if minimum == 1:
            return any_of([query for word in words for query in self._terms.alternatives(word)])
        queries = [(Occur.Should, self._terms.word_query(word)) for word in words]
        return Query.boolean_query(queries, minimum_number_should_match=minimum)

    def _clause_query(self, clause: Clause) -> Query:
        if isinstance(clause, TermClause):
            return self._terms.word_query(clause)
        if isinstance(clause, Filter):
            return without_score(self._filters.build(clause))
        if isinstance(clause, AnyOf):
            return any_of([query for one in clause.clauses for query in self._alternatives(one)])
        if isinstance(clause, AllOf):
            return all_of(self._clause_queries(clause.clauses))
        return Query.boolean_query(
            [
                (Occur.Must, without_score(Query.all_query())),
                (Occur.MustNot, self._clause_query(clause.exact_clause)),
            ]
        )

    def _alternatives(self, clause: Clause) -> list[Query]:
        """Alternative queries for a clause: a word matches in any of its analyses."""
        if isinstance(clause, TermClause):
            return self._terms.alternatives(clause)
        return [self._clause_query(clause)]
