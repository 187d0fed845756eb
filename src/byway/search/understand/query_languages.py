"""Query languages: those in which the words of a query are analyzed."""

from collections.abc import Collection

from byway.core.model.candidates import CollectionStatistics
from byway.core.model.query import ParsedQuery, TermAnalysis, TermClause
from byway.core.ports import SearchIndex
from byway.core.text import analyze_exact, analyze_word
from byway.search.query.clauses import map_words

MIN_LANGUAGE_SHARE = 0.02
"""Share of the pages from which on queries are analyzed in a language."""


def query_languages(statistics: CollectionStatistics) -> tuple[str, ...]:
    """The languages that enough pages are in, that of most pages first."""
    pages = statistics.languages
    least = MIN_LANGUAGE_SHARE * sum(pages.values())
    frequent = [language for language, count in pages.items() if count >= least]
    return tuple(sorted(frequent, key=lambda language: (-pages[language], language)))


def analyze_rare_languages(query: ParsedQuery, index: SearchIndex) -> ParsedQuery:
    """The query, its words that no page has analyzed in all languages of the collection.

    A page in a rare language has a word only as the stemmer of that language cuts it.
    """
    statistics = index.statistics(query.all_terms)
    all_languages = tuple(statistics.languages)

    def analyze(word: TermClause) -> TermClause:
        if word.prefix or any(statistics.frequency(one.tokens) for one in word.analyses):
            return word
        found = (analyze_exact if word.exact else analyze_word)(word.text, all_languages)
        occurring = occurring_analyses(found, index)
        return word.with_analyses(occurring) if occurring else word

    return ParsedQuery(map_words(query.clauses, analyze, include_excluded=True))


def occurring_analyses(
    analyses: Collection[tuple[str, ...]], index: SearchIndex, weight: float = 1.0
) -> tuple[TermAnalysis, ...]:
    """The analyses whose terms all occur, with this weight."""
    statistics = index.statistics({term for terms in analyses for term in terms})
    return tuple([TermAnalysis(one, weight) for one in analyses if statistics.frequency(one)])


def page_count(analyses: Collection[tuple[str, ...]], index: SearchIndex) -> int:
    """The document frequency of the most frequent of these analyses of a word."""
    statistics = index.statistics({term for terms in analyses for term in terms})
    return max(map(statistics.frequency, analyses), default=0)
