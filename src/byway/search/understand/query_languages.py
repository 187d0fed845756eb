"""Query languages: the languages in which the words of a query are analyzed."""

from byway.core.model.query import ParsedQuery, TermAnalysis, TermClause
from byway.core.ports import SearchIndex
from byway.core.text import analyze_exact, analyze_word
from byway.search.query.clauses import map_words

MIN_LANGUAGE_SHARE = 0.02
"""Share of the pages from which on queries are analyzed in a language."""


def query_languages(index: SearchIndex) -> tuple[str, ...]:
    """The languages of enough pages, most common first."""
    pages = index.languages()
    least = MIN_LANGUAGE_SHARE * sum(pages.values())
    frequent = [language for language, count in pages.items() if count >= least]
    return tuple(sorted(frequent, key=lambda language: (-pages[language], language)))


def analyze_rare_languages(
    query: ParsedQuery, index: SearchIndex, languages: tuple[str, ...]
) -> ParsedQuery:
    """The query; words that no page has in `languages` are analyzed in all languages of the pages.

    A page in a rare language contains a word only as stemmed in that language.
    """
    all_languages = tuple(index.languages())
    if len(all_languages) == len(languages):
        return query

    def analyze(word: TermClause) -> TermClause:
        if word.prefix or any(index.document_frequency(one.tokens) for one in word.analyses):
            return word
        found = (analyze_exact if word.exact else analyze_word)(word.text, all_languages)
        occurring = tuple(TermAnalysis(one) for one in found if index.document_frequency(one))
        return word.with_analyses(occurring) if occurring else word

    return ParsedQuery(map_words(query.clauses, analyze, include_excluded=True))
