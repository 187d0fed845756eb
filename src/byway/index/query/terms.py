"""Term queries: one query for all analyses of a word."""

import re
from collections.abc import Mapping, Sequence

import tantivy
from tantivy import Query

from byway.core.model.query import ClauseField, TermAnalysis, TermClause
from byway.core.text import analyze_word, is_indexable_term
from byway.index.query.boolean import any_of, disjunction_max, without_score
from byway.index.schema import ALL_TEXT_FIELD

MAX_PREFIX_LANGUAGES = 8
"""Languages in which the words before a prefix are analyzed."""
MAX_CODE_POINT = "\U0010ffff"
TANTIVY_FIELDS: Mapping[ClauseField, str] = {
    "anywhere": ALL_TEXT_FIELD,
    "title": "title",
    "url": "url",
}


class TermQueryBuilder:
    """Builds the tantivy queries for words, for one index."""

    def __init__(
        self,
        index: tantivy.Index,
        schema: tantivy.Schema,
        languages: Sequence[str],
        all_numbers: bool,
    ) -> None:
        """`languages`: the languages of the pages, most common first."""
        self._index = index
        self._schema = schema
        self._all_numbers = all_numbers
        self._languages = languages

    def alternatives(self, word: TermClause) -> list[Query]:
        """Alternative queries for a word: it matches in any of its analyses."""
        if _are_single_terms(word.analyses):
            return self._analysis_queries(word)
        return [self.word_query(word)]

    def word_query(self, word: TermClause) -> Query:
        """The pages with this word."""
        queries = self._analysis_queries(word)
        # A page is in one language and rarely has two single-term analyses; others count once.
        if len(queries) > 1 and _are_single_terms(word.analyses):
            return any_of(queries)
        return disjunction_max(queries)

    def _analysis_queries(self, word: TermClause) -> list[Query]:
        field = TANTIVY_FIELDS[word.field]
        queries = [self._analysis_query(field, analysis) for analysis in word.analyses]
        if word.prefix:
            queries.append(self._prefix_query(field, word.prefix))
        return queries

    def _prefix_query(self, field: str, prefix: str) -> Query:
        """Terms with this prefix, as a range: building a regex takes longer than the search."""
        before, _, last = prefix.rpartition(" ")
        if before:
            pattern = re.escape(last) + ".*"
            analyses = analyze_word(before, self._languages[:MAX_PREFIX_LANGUAGES])
            return any_of(
                [
                    Query.regex_phrase_query(self._schema, field, [*map(re.escape, terms), pattern])
                    for terms in analyses
                ]
            )
        if prefix.isalnum():
            return self._index.parse_query(
                f"{field}:[{prefix} TO {prefix}{MAX_CODE_POINT}]", [field]
            )
        return Query.regex_query(self._schema, field, re.escape(prefix) + ".*")

    def _analysis_query(self, field: str, analysis: TermAnalysis) -> Query:
        """A query for an analysis in this field: a term or a phrase."""
        terms, weight = analysis
        if not self._all_numbers:
            terms = tuple(filter(is_indexable_term, terms))
        if len(terms) == 1:
            query = Query.term_query(self._schema, field, terms[0])
        elif terms:
            query = Query.phrase_query(self._schema, field, [*terms])
        else:
            return without_score(Query.all_query())  # a number that is not indexed
        return query if weight == 1 else Query.boost_query(query, weight)


def _are_single_terms(analyses: Sequence[TermAnalysis]) -> bool:
    """Whether each analysis is one term of full weight."""
    for terms, weight in analyses:  # noqa: SIM110, which takes twice as long
        if weight != 1 or len(terms) != 1:
            return False
    return True
