"""Languages of query words: analyses are kept only in languages whose pages have them."""

from collections.abc import Sequence
from functools import reduce
from operator import or_

from byway.core.model.query import (
    ALL_LANGUAGES,
    ParsedQuery,
    TermAnalysis,
    TermClause,
    required_terms,
)
from byway.core.ports import SearchIndex
from byway.core.text import LANGUAGE_BITS


def keep_occurring_analyses(
    word: TermClause, page_counts: Sequence[int], index: SearchIndex
) -> TermClause:
    """The word with those analyses that pages have in a language of the analysis.

    `traitement` is `trait` in French: without French pages, a page with `trait` does not match.
    `page_counts` are the document frequencies of the analyses in any language.
    """
    analysis_counts = zip(word.analyses, page_counts, strict=True)
    # Numbers are kept, as not all of them are indexed.
    known_analyses = [
        one for one, pages in analysis_counts if pages or not all(map(str.isalpha, one.tokens))
    ]
    occurring = [
        TermAnalysis(one.tokens, one.weight, bits)
        for one in known_analyses
        if (bits := one.languages & index.languages_with(one.tokens))
    ]
    return word.with_analyses(tuple(occurring or known_analyses or word.analyses))


def keep_shared_languages(query: ParsedQuery, index: SearchIndex) -> ParsedQuery:
    """The query, its required words analyzed only in languages in which a page may have all.

    That usually leaves one analysis of each word, and one language.
    """
    words = [word for word in required_terms(query.clauses) if not word.prefix]
    if len(words) < 2 or all(len(word.analyses) == 1 for word in words):
        return query
    languages = _shared_languages(words, index)
    if not languages:
        return query
    narrowed = {id(word): _in_languages(word, languages) for word in words}
    return ParsedQuery(tuple(narrowed.get(id(clause), clause) for clause in query.clauses))


def _shared_languages(words: Sequence[TermClause], index: SearchIndex) -> int:
    """Bits of the languages in which a page may have all of these words."""
    languages = ALL_LANGUAGES
    for word in words:
        languages &= reduce(or_, (one.languages for one in word.analyses), 0)
    for bit in LANGUAGE_BITS.values():
        if languages & bit and not _shared_page_groups(words, bit, index):
            languages ^= bit
    return languages


def _shared_page_groups(words: Sequence[TermClause], language: int, index: SearchIndex) -> int:
    """Bits of the page groups in this language that may hold a page with all of these words."""
    groups = ALL_LANGUAGES
    for word in words:
        analyses = (one.tokens for one in word.analyses if one.languages & language)
        groups &= reduce(
            or_, (index.document_frequency_in(language, tokens) for tokens in analyses), 0
        )
        if not groups:
            break
    return groups


def _in_languages(word: TermClause, languages: int) -> TermClause:
    analyses = [
        TermAnalysis(one.tokens, one.weight, bits)
        for one in word.analyses
        if (bits := one.languages & languages)
    ]
    return word.with_analyses(tuple(analyses))
