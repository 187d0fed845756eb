"""Finds pages by their URL in the index, and resolves `related:` to the key terms of a page."""

from collections import Counter
from math import log

from byway.core.errors import UrlError
from byway.core.model import Document, UrlId
from byway.core.model.query import (
    AllOf,
    AnyOf,
    Clause,
    Filter,
    Not,
    ParsedQuery,
    TermAnalysis,
    TermClause,
)
from byway.core.operators import url_variants
from byway.core.ports import DocumentStore, SearchIndex
from byway.core.text import terms
from byway.core.url import parse_typed_url
from byway.search.understand.spelling import is_stop_word_in_any

MAX_KEY_TERMS = 12
"""Maximum key terms that represent a page in a `related:` query."""
KEY_TERM_SCAN_CHARS = 20_000
"""Characters of a page from which key terms are chosen."""
MAX_KEY_TERM_CANDIDATES = 100
"""Number of most frequent terms among which the key terms with the highest TF-IDF are chosen."""
MAX_KEY_TERM_PAGE_SHARE, KEY_TERM_PAGES_FLOOR = 0.2, 5
"""A key term occurs on at most this share of all pages, or on this many if that is more."""
NO_MATCH = Filter("id", "0")


def resolve_related(
    query: ParsedQuery, index: SearchIndex, documents: DocumentStore
) -> ParsedQuery:
    """The query with `related:` URLs replaced by the key terms of their pages."""

    def resolve(clause: Clause) -> Clause:
        if isinstance(clause, AnyOf | AllOf):
            return type(clause)(tuple(map(resolve, clause.clauses)))
        if isinstance(clause, Not):
            return Not(resolve(clause.clause))
        if isinstance(clause, Filter) and clause.name == "related":
            return _similar_to(find_page(clause.value, index, documents), index)
        return clause

    return ParsedQuery(tuple(map(resolve, query.clauses)))


def find_typed_page(text: str, index: SearchIndex, documents: DocumentStore) -> Document | None:
    """The page if the query is just its URL."""
    typed = text.strip()
    if "/" not in typed or any(map(str.isspace, typed)):
        return None
    try:
        return find_page(parse_typed_url(typed), index, documents)
    except UrlError:
        return None


def find_page(url: str, index: SearchIndex, documents: DocumentStore) -> Document | None:
    """The indexed page at this URL, or else at a variant of it."""
    variants = url_variants(url)
    ids = index.matches(ParsedQuery((Filter("url", url),)), len(variants)).ids
    pages = [page for id in ids.tolist() if (page := documents.get(UrlId(id)))]
    by_url = {page.url: page for page in pages}
    return next((by_url[variant] for variant in variants if variant in by_url), None)


def _similar_to(page: Document | None, index: SearchIndex) -> Clause:
    """A clause for pages with the key terms of this page, except the page itself."""
    if page is None:
        return NO_MATCH
    words = tuple(TermClause(term, (TermAnalysis((term,)),)) for term in _key_terms(page, index))
    return AllOf((AnyOf(words), Not(Filter("id", str(page.id))))) if words else NO_MATCH


def _key_terms(document: Document, index: SearchIndex) -> list[str]:
    """The terms of a page with the highest TF-IDF that also occur on another page."""
    text = f"{document.title}\n{document.description}\n{document.text[:KEY_TERM_SCAN_CHARS]}"
    counts = Counter(term for term in terms(text, document.language) if len(term) > 2)
    # A page may quote a language other than its own.
    statistics = index.statistics(counts)
    languages = statistics.frequent_languages
    candidates = (
        term
        for term, _ in counts.most_common(MAX_KEY_TERM_CANDIDATES)
        if not is_stop_word_in_any(term, languages)
    )
    pages = max(1, statistics.page_count)
    frequencies = {term: statistics.document_frequencies[term] for term in candidates}
    max_frequency = max(KEY_TERM_PAGES_FLOOR, pages * MAX_KEY_TERM_PAGE_SHARE)
    rare = {term for term, frequency in frequencies.items() if 1 < frequency <= max_frequency}
    scores = {
        term: counts[term] * log(1 + pages / (1 + frequency))
        for term, frequency in frequencies.items()
        if term in rare or not rare
    }
    return sorted(scores, key=lambda term: (-scores[term], term))[:MAX_KEY_TERMS]
