"""Term queries: a word in all of its analyses, each in the pages whose language allows it."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, reduce
from operator import or_

import tantivy
from tantivy import Occur, Query

from byway.core.model.query import (
    ALL_LANGUAGES,
    ClauseField,
    TermAnalysis,
    TermClause,
    analysis_combinations,
)
from byway.core.text import (
    LANGUAGE_BITS,
    OTHER_LANGUAGES_BIT,
    analyze_word,
    is_indexable_term,
    language_bit,
)
from byway.index.language_terms import tag_terms
from byway.index.query.boolean import Clauses, any_of, disjunction_max, without_score
from byway.index.schema import ALL_TEXT_FIELD

STEMMED_LANGUAGE_BITS = sum(LANGUAGE_BITS.values())
LANGUAGE_SET_CACHE_SIZE = 1000
"""Sets of languages whose names and filters are cached."""
MAX_PREFIX_LANGUAGES = 8
"""Languages in which the words before a prefix are analyzed."""
MAX_CODE_POINT = "\U0010ffff"
TANTIVY_FIELDS: Mapping[ClauseField, str] = {
    "anywhere": ALL_TEXT_FIELD,
    "title": "title",
    "url": "url",
}
MUST = Occur.Must


@dataclass(frozen=True, slots=True)
class IndexLanguages:
    """The languages of the indexed pages."""

    names: Sequence[str] = ()
    """Their codes, that of most pages first."""
    untagged: Sequence[str] = ()
    """Those with pages that lack language-tagged terms."""
    languages_with: Callable[[Sequence[str]], int] = lambda terms: ALL_LANGUAGES
    """Bits of all languages, and maybe more, whose pages have some terms."""


class TermQueryBuilder:
    """Builds tantivy queries of words for one index."""

    def __init__(
        self,
        index: tantivy.Index,
        schema: tantivy.Schema,
        languages: IndexLanguages,
        all_numbers: bool,
    ) -> None:
        self._index = index
        self._schema = schema
        self._all_numbers = all_numbers
        self._languages = languages
        self._main_language = language_bit(languages.names[0] if languages.names else "")
        self._stemmed = [
            (name, LANGUAGE_BITS[name]) for name in languages.names if name in LANGUAGE_BITS
        ]
        self._names = lru_cache(LANGUAGE_SET_CACHE_SIZE)(self._language_names)
        self._language_filter = lru_cache(LANGUAGE_SET_CACHE_SIZE)(self._make_language_filter)
        self._untagged = reduce(
            or_, (LANGUAGE_BITS[name] for name in languages.untagged), OTHER_LANGUAGES_BIT
        )

    def conjunction(self, words: Sequence[TermClause]) -> Clauses:
        """All of these words, analyzed in one language where possible."""
        if len(words) > 1 and any(len(word.analyses) > 1 for word in words):
            complete = [word for word in words if not word.prefix]
            choices = [
                [(one.languages, (TANTIVY_FIELDS[word.field], one)) for one in word.analyses]
                for word in complete
            ]
            if combinations := analysis_combinations(choices):
                prefixes = [(MUST, self.word_query(word)) for word in words if word.prefix]
                unrestricted = self._unrestricted(any(word.exact for word in complete))
                return (
                    _any_combination([self._combined(*one, unrestricted) for one in combinations])
                    + prefixes
                )
        return [(MUST, self.word_query(word)) for word in words]

    def _combined(
        self, languages: int, chosen: Sequence[tuple[str, TermAnalysis]], unrestricted: int
    ) -> Clauses:
        """All of these analyses, in pages in these languages."""
        names = () if languages & (unrestricted | self._untagged) else self._names(languages)
        if len(names) == 1 and any(_can_be_tagged(*one) for one in chosen):
            (language,) = names
            return [
                (
                    MUST,
                    self._tagged_query(analysis, language)
                    if field == ALL_TEXT_FIELD
                    else self._analysis_query(field, analysis),
                )
                for field, analysis in chosen
            ]
        queries = [(MUST, self._analysis_query(*one)) for one in chosen]
        return queries if languages & unrestricted else queries + self._language_filter(languages)

    def _make_language_filter(self, languages: int) -> Clauses:
        """Restricts a query to pages in these languages.

        The main language and English are quoted by pages in any other, so analyses in them are
        not restricted. But `one`, which is `on` in Polish, must not match English pages with `on`.
        In a German collection, English analyses find `Teslas` where Tesla is (xquad-de: nDCG@10
        .9513, against .9503 without); but not where the word must match exactly.
        """
        if languages & OTHER_LANGUAGES_BIT:
            return [
                (Occur.MustNot, Query.term_query(self._schema, "language", name))
                for name in self._names(~languages)
            ]
        queries = [
            Query.term_query(self._schema, "language", name) for name in self._names(languages)
        ]
        return [(MUST, without_score(any_of(queries)))]

    def _language_names(self, languages: int) -> list[str]:
        """The codes of those pages' languages that have a stemmer of their own and these bits."""
        return [name for name, bit in self._stemmed if bit & languages]

    def alternatives(self, word: TermClause) -> list[Query]:
        """Queries of which one is enough: the word matches in any of its analyses."""
        if _are_single_terms(word.analyses):
            return self._analysis_queries(word)
        return [self.word_query(word)]

    def word_query(self, word: TermClause) -> Query:
        """The pages with this word."""
        if len(word.analyses) == 1 and not word.prefix:
            (analysis,) = word.analyses
            if analysis.languages & self._unrestricted(word.exact):
                return self._analysis_query(TANTIVY_FIELDS[word.field], analysis)
        queries = self._analysis_queries(word)
        # A page is in one language and seldom has two single-term analyses; others count once.
        if len(queries) > 1 and _are_single_terms(word.analyses):
            return any_of(queries)
        return disjunction_max(queries)

    def _analysis_queries(self, word: TermClause) -> list[Query]:
        field, unrestricted = TANTIVY_FIELDS[word.field], self._unrestricted(word.exact)
        queries: list[Query] = []
        for analysis in word.analyses:
            languages = analysis.languages
            if languages & unrestricted:
                queries.append(self._analysis_query(field, analysis))
            elif languages & self._untagged or not _can_be_tagged(field, analysis):
                restricted = [
                    (MUST, self._analysis_query(field, analysis)),
                    *self._language_filter(languages),
                ]
                queries.append(Query.boolean_query(restricted))
            else:
                queries += self._tagged_queries(analysis, languages)
        if word.prefix:
            queries.append(self._prefix_query(field, word.prefix))
        return queries

    def _prefix_query(self, field: str, prefix: str) -> Query:
        """Terms with this prefix, as a range: building a regex takes longer than the search."""
        before, _, last = prefix.rpartition(" ")
        if before:
            pattern = re.escape(last) + ".*"
            analyses = analyze_word(before, self._languages.names[:MAX_PREFIX_LANGUAGES])
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

    def _unrestricted(self, exact: bool) -> int:
        """The bits of languages whose analyses match in any page."""
        return self._main_language if exact else self._main_language | OTHER_LANGUAGES_BIT

    def _tagged_queries(self, analysis: TermAnalysis, languages: int) -> list[Query]:
        """The term tagged with each of these languages, or with any if no others have it."""
        names: Sequence[str] = self._names(languages)
        if (
            len(names) > 1
            and not self._languages.languages_with(analysis.tokens)
            & STEMMED_LANGUAGE_BITS
            & ~languages
        ):
            names = ("",)
        return [self._tagged_query(analysis, name) for name in names]

    def _tagged_query(self, analysis: TermAnalysis, language: str) -> Query:
        """The pages in this language that match the analysis."""
        terms, weight, _ = analysis
        if len(terms) > 1 or not (self._all_numbers or is_indexable_term(terms[0])):
            return self._analysis_query(ALL_TEXT_FIELD, analysis)
        query = Query.term_query(self._schema, "language_terms", tag_terms(terms[0], language))
        return query if weight == 1 else Query.boost_query(query, weight)

    def _analysis_query(self, field: str, analysis: TermAnalysis) -> Query:
        """The pages that match the analysis in this field: a term, or a phrase of terms."""
        terms, weight, _ = analysis
        if not self._all_numbers:
            terms = tuple(filter(is_indexable_term, terms))
        if len(terms) == 1:
            query = Query.term_query(self._schema, field, terms[0])
        elif terms:
            query = Query.phrase_query(self._schema, field, [*terms])
        else:
            return without_score(Query.all_query())  # a number that is not indexed
        return query if weight == 1 else Query.boost_query(query, weight)


def _any_combination(combinations: Sequence[Clauses]) -> Clauses:
    """One of these conjunctions, the best for each page."""
    if len(combinations) == 1:
        return combinations[0]
    return [(MUST, disjunction_max([Query.boolean_query(one) for one in combinations]))]


def _can_be_tagged(field: str, analysis: TermAnalysis) -> bool:
    """Whether it is a single term of a field that has language-tagged copies."""
    return field == ALL_TEXT_FIELD and len(analysis.tokens) == 1


def _are_single_terms(analyses: Sequence[TermAnalysis]) -> bool:
    """Whether each analysis is one term of full weight."""
    for terms, weight, _ in analyses:  # noqa: SIM110, which takes twice as long
        if weight != 1 or len(terms) != 1:
            return False
    return True
