"""In which languages may words be meant? In those that the pages which have them are in."""

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
    """The word with those readings alone that pages have in a language that calls it so.

    `traitement` is `trait` in French: where nobody speaks that, no page with a trait is meant.
    `page_counts` are how many have each reading in any language.
    """
    both = zip(word.analyses, page_counts, strict=True)
    # Of numbers, not all may be in the index.
    each = [one for one, found in both if found or not all(map(str.isalpha, one.tokens))]
    found = [
        TermAnalysis(one.tokens, one.weight, bits)
        for one in each
        if (bits := one.languages & index.languages_with(one.tokens))
    ]
    return word.with_analyses(tuple(found or each or word.analyses))


def keep_shared_languages(query: ParsedQuery, index: SearchIndex) -> ParsedQuery:
    """The question, its words that must all be there read only as some page may have all of them.

    Most often that leaves one reading of each, and one language.
    """
    words = [word for word in required_terms(query.clauses) if not word.prefix]
    if len(words) < 2 or all(len(word.analyses) == 1 for word in words):
        return query
    languages = _of_all(words, index)
    if not languages:
        return query
    narrowed = {id(word): _narrowed(word, languages) for word in words}
    return ParsedQuery(tuple(narrowed.get(id(part), part) for part in query.clauses))


def _of_all(words: Sequence[TermClause], index: SearchIndex) -> int:
    """The bits of the languages in which a page may have all of these."""
    languages = ALL_LANGUAGES
    for word in words:
        languages &= reduce(or_, (one.languages for one in word.analyses), 0)
    for bit in LANGUAGE_BITS.values():
        if languages & bit and not _together(words, bit, index):
            languages ^= bit
    return languages


def _together(words: Sequence[TermClause], language: int, index: SearchIndex) -> int:
    """The bits of the groups of pages in this language of which one may have all of these."""
    pages = ALL_LANGUAGES
    for word in words:
        each = (one.tokens for one in word.analyses if one.languages & language)
        pages &= reduce(or_, (index.document_frequency_in(language, terms) for terms in each), 0)
        if not pages:
            break
    return pages


def _narrowed(word: TermClause, languages: int) -> TermClause:
    found = [
        TermAnalysis(one.tokens, one.weight, bits)
        for one in word.analyses
        if (bits := one.languages & languages)
    ]
    return word.with_analyses(tuple(found))
