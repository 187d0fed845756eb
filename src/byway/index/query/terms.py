"""How is tantivy asked for words? In all their readings, each in pages that may have it so."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, reduce
from operator import or_

import tantivy
from tantivy import Occur, Query

from byway.core.model.query import ALL_LANGUAGES, TermAnalysis, TermClause, analysis_combinations
from byway.core.text import (
    LANGUAGE_BITS,
    OTHER_LANGUAGES_BIT,
    analyze_word,
    is_indexable_term,
    language_bit,
)
from byway.index.language_terms import tag_terms
from byway.index.query.boolean import Clauses, any_of, disjunction_max, without_score

STEMMED_LANGUAGE_BITS = sum(LANGUAGE_BITS.values())
LANGUAGE_SET_CACHE_SIZE = 1000
"""Sets of languages whose names and filters are remembered."""
MAX_PREFIX_LANGUAGES = 8
"""Languages in which is read what stands before a beginning."""
MAX_CODE_POINT = "\U0010ffff"
ALL_TEXT_FIELD = "anywhere"
"""The field with all that a page has."""
MUST = Occur.Must


@dataclass(frozen=True, slots=True)
class IndexLanguages:
    """What is known of the languages of the pages."""

    names: Sequence[str] = ()
    """Their names, that of most pages first."""
    untagged: Sequence[str] = ()
    """Those with pages that are not marked."""
    languages_with: Callable[[Sequence[str]], int] = lambda terms: ALL_LANGUAGES
    """Bits for all languages, and maybe more, whose pages have some terms."""


class TermQueryBuilder:
    """Makes queries of words, for one index."""

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
        self._tongues = languages
        self._main = language_bit(languages.names[0] if languages.names else "")
        self._stemmed = [
            (name, LANGUAGE_BITS[name]) for name in languages.names if name in LANGUAGE_BITS
        ]
        self._names = lru_cache(LANGUAGE_SET_CACHE_SIZE)(self._named)
        self._speaking = lru_cache(LANGUAGE_SET_CACHE_SIZE)(self._only_in)
        self._unmarked = reduce(
            or_, (LANGUAGE_BITS[name] for name in languages.untagged), OTHER_LANGUAGES_BIT
        )

    def conjunction(self, words: Sequence[TermClause]) -> Clauses:
        """All of these words, in one language where they can be."""
        if len(words) > 1 and any(len(word.analyses) > 1 for word in words):
            whole = [word for word in words if not word.prefix]
            each = [[(one.languages, (word.field, one)) for one in word.analyses] for word in whole]
            if ways := analysis_combinations(each):
                begun = [(MUST, self.word_query(word)) for word in words if word.prefix]
                everywhere = self._everywhere(any(word.exact for word in whole))
                return _any_way([self._way(*one, everywhere) for one in ways]) + begun
        return [(MUST, self.word_query(word)) for word in words]

    def _way(
        self, bits: int, chosen: Sequence[tuple[str, TermAnalysis]], everywhere: int
    ) -> Clauses:
        """All of these, in pages in these languages."""
        names = () if bits & (everywhere | self._unmarked) else self._names(bits)
        if len(names) == 1 and any(_is_single(*one) for one in chosen):
            language = names[0]
            return [
                (
                    MUST,
                    self._marked(one, language)
                    if field == ALL_TEXT_FIELD
                    else self._called(field, one),
                )
                for field, one in chosen
            ]
        each = [(MUST, self._called(*one)) for one in chosen]
        return each if bits & everywhere else each + self._speaking(bits)

    def _only_in(self, bits: int) -> Clauses:
        """What only pages in these languages have.

        The main language and English are quoted by pages in any other, so whatever is read in them
        may stand anywhere. But `one`, which is `on` in Polish, is not in English pages with an on.
        In a German collection, English readings find `Teslas` where Tesla is (xquad-de: nDCG@10
        .9513, against .9503 without); but not where the word is meant as it is spelt.
        """
        if bits & OTHER_LANGUAGES_BIT:
            return [
                (Occur.MustNot, Query.term_query(self._schema, "language", name))
                for name in self._names(~bits)
            ]
        these = [Query.term_query(self._schema, "language", name) for name in self._names(bits)]
        return [(MUST, without_score(any_of(these)))]

    def _named(self, bits: int) -> list[str]:
        """Those of the pages' languages with a stemmer of their own that have these bits."""
        return [name for name, bit in self._stemmed if bit & bits]

    def alternatives(self, word: TermClause) -> list[Query]:
        """What is enough: it is there in any of its readings."""
        return self._readings(word) if _are_plain(word.analyses) else [self.word_query(word)]

    def word_query(self, word: TermClause) -> Query:
        """The pages that have it."""
        if len(word.analyses) == 1 and not word.prefix:
            (one,) = word.analyses
            if one.languages & self._everywhere(word.exact):
                return self._called(word.field, one)
        each = self._readings(word)
        # A page is in one language, and hardly has two plain readings; all others count once.
        return (
            any_of(each) if len(each) > 1 and _are_plain(word.analyses) else disjunction_max(each)
        )

    def _readings(self, word: TermClause) -> list[Query]:
        field, everywhere = word.field, self._everywhere(word.exact)
        each: list[Query] = []
        for one in word.analyses:
            languages = one.languages
            if languages & everywhere:
                each.append(self._called(field, one))
            elif languages & self._unmarked or not _is_single(field, one):
                every = [(MUST, self._called(field, one)), *self._speaking(languages)]
                each.append(Query.boolean_query(every))
            else:
                each += self._by_language(one, languages)
        if word.prefix:
            each.append(self._beginning(field, word.prefix))
        return each

    def _beginning(self, field: str, prefix: str) -> Query:
        """Whatever begins so. As a range, since to make a regex takes longer than to search."""
        before, _, last = prefix.rpartition(" ")
        if before:
            begins = re.escape(last) + ".*"
            ways = analyze_word(before, self._tongues.names[:MAX_PREFIX_LANGUAGES])
            return any_of(
                [
                    Query.regex_phrase_query(self._schema, field, [*map(re.escape, terms), begins])
                    for terms in ways
                ]
            )
        if prefix.isalnum():
            return self._index.parse_query(
                f"{field}:[{prefix} TO {prefix}{MAX_CODE_POINT}]", [field]
            )
        return Query.regex_query(self._schema, field, re.escape(prefix) + ".*")

    def _everywhere(self, exact: bool) -> int:
        """The bits of languages whose words may stand in any page."""
        return self._main if exact else self._main | OTHER_LANGUAGES_BIT

    def _by_language(self, reading: TermAnalysis, languages: int) -> list[Query]:
        """What pages in each of these languages have, or in any if no others have it."""
        names: Sequence[str] = self._names(languages)
        if (
            len(names) > 1
            and not self._tongues.languages_with(reading.tokens)
            & STEMMED_LANGUAGE_BITS
            & ~languages
        ):
            names = ("",)
        return [self._marked(reading, name) for name in names]

    def _marked(self, reading: TermAnalysis, language: str) -> Query:
        """What pages in this language have."""
        terms, weight, _ = reading
        if len(terms) > 1 or not (self._all_numbers or is_indexable_term(terms[0])):
            return self._called(ALL_TEXT_FIELD, reading)
        query = Query.term_query(self._schema, "by_language", tag_terms(terms[0], language))
        return query if weight == 1 else Query.boost_query(query, weight)

    def _called(self, field: str, reading: TermAnalysis) -> Query:
        terms, weight, _ = reading
        if not self._all_numbers:
            terms = tuple(filter(is_indexable_term, terms))
        if len(terms) == 1:
            query = Query.term_query(self._schema, field, terms[0])
        elif terms:
            query = Query.phrase_query(self._schema, field, [*terms])
        else:
            return without_score(Query.all_query())  # a number that the index does not have
        return query if weight == 1 else Query.boost_query(query, weight)


def _any_way(ways: Sequence[Clauses]) -> Clauses:
    """What one of these says, all of it."""
    if len(ways) == 1:
        return ways[0]
    return [(MUST, disjunction_max([Query.boolean_query(way) for way in ways]))]


def _is_single(field: str, reading: TermAnalysis) -> bool:
    """Is it something that pages may have once more with a mark?"""
    return field == ALL_TEXT_FIELD and len(reading.tokens) == 1


def _are_plain(readings: Sequence[TermAnalysis]) -> bool:
    """Is each the word itself, as some language has it?"""
    for terms, weight, _ in readings:  # noqa: SIM110, which takes twice as long
        if weight != 1 or len(terms) != 1:
            return False
    return True
