"""How is a question put to tantivy? As query objects; its parser sees only numbers of ours."""

from collections.abc import Sequence

import tantivy
from tantivy import Occur, Query

from byway.core.model import UrlId
from byway.core.model.query import AllOf, AnyOf, Clause, Filter, Not, TermClause, min_should_match
from byway.index.query.boolean import Clauses, all_of, any_of, without_score
from byway.index.query.filters import FilterQueryBuilder
from byway.index.query.terms import IndexLanguages, TermQueryBuilder


class QueryBuilder:
    """Makes tantivy's queries for one index."""

    def __init__(
        self,
        index: tantivy.Index,
        schema: tantivy.Schema,
        languages: IndexLanguages,
        all_numbers: bool = True,
    ) -> None:
        self._index = index
        self._languages = languages.names
        self._words = TermQueryBuilder(index, schema, languages, all_numbers)
        self._filters = FilterQueryBuilder(index, schema)

    def is_for(self, index: tantivy.Index, languages: Sequence[str]) -> bool:
        """Are its queries for this index, and pages in these languages?"""
        return self._index is index and self._languages is languages

    def build(self, parts: tuple[Clause, ...], only: UrlId | None = None) -> Query:
        """All these parts together, for all pages or one."""
        if len(parts) == 1 and only is None and not isinstance(parts[0], Not):
            return self._part(parts[0])
        clauses = self._clauses(parts)
        if only is not None:
            clauses.append((Occur.Must, without_score(self._filters.term_query("id", only))))
        return all_of(clauses)

    def _clauses(self, parts: tuple[Clause, ...]) -> Clauses:
        loose: list[TermClause] = []
        must: list[TermClause] = []
        clauses: Clauses = []
        for part in parts:
            if isinstance(part, TermClause):
                (loose if part.is_optional else must).append(part)
            elif isinstance(part, Not):
                clauses.append((Occur.MustNot, self._part(part.exact_clause)))
            else:
                clauses.append((Occur.Must, self._part(part)))
        if loose:
            words = [word for word in loose if not word.is_stop_word] or loose
            least = min_should_match(loose)
            if least == len(words):
                must = [*words, *must]
            else:
                clauses.insert(0, (Occur.Must, self._some(words, least)))
            common = [word for word in loose if word not in words] if words is not loose else ()
            clauses[:0] = [(Occur.Should, self._words.word_query(word)) for word in common]
        return [*self._words.conjunction(must), *clauses]

    def _some(self, words: Sequence[TermClause], least: int) -> Query:
        """As many of these words."""
        if least == 1:
            return any_of([query for word in words for query in self._words.alternatives(word)])
        each = [(Occur.Should, self._words.word_query(word)) for word in words]
        return Query.boolean_query(each, minimum_number_should_match=least)

    def _part(self, part: Clause) -> Query:
        if isinstance(part, TermClause):
            return self._words.word_query(part)
        if isinstance(part, Filter):
            return without_score(self._filters.build(part))
        if isinstance(part, AnyOf):
            return any_of([query for one in part.clauses for query in self._ways(one)])
        if isinstance(part, AllOf):
            return all_of(self._clauses(part.clauses))
        return Query.boolean_query(
            [
                (Occur.Must, without_score(Query.all_query())),
                (Occur.MustNot, self._part(part.exact_clause)),
            ]
        )

    def _ways(self, part: Clause) -> list[Query]:
        """What is enough for a part: a word is there in any of its readings."""
        return (
            self._words.alternatives(part) if isinstance(part, TermClause) else [self._part(part)]
        )
