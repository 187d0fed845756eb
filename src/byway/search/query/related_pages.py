"""Resolves `link:` and `related:` filters, and URLs typed as queries, to page ids and terms."""

from collections import Counter
from collections.abc import Callable
from math import log

from byway.core.errors import UrlError
from byway.core.model import Document, Url, UrlId
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
from byway.core.ports import DocumentStore, SearchIndex
from byway.core.text import terms
from byway.core.url import normalize, parse_typed_url
from byway.search.understand.spelling import is_stop_word_in_any

MAX_KEY_TERMS = 12
"""Key terms that represent a page in a `related:` query."""
KEY_TERM_SCAN_CHARS = 20_000
"""Characters of a page from which key terms are chosen."""
MAX_KEY_TERM_CANDIDATES = 100
"""The most frequent terms of a page; the ones with the highest TF-IDF are chosen."""
MAX_KEY_TERM_PAGE_SHARE, KEY_TERM_PAGES_FLOOR = 0.2, 5
"""A key term occurs in at most this share of all pages, or this many if that is more."""
NO_MATCH = Filter("link", "0")

UrlIdLookup = Callable[[Url], UrlId | None]


def resolve_url_filters(
    query: ParsedQuery,
    index: SearchIndex,
    documents: DocumentStore,
    find_url_id: UrlIdLookup,
) -> ParsedQuery:
    """The query with `link:` URLs replaced by ids and `related:` URLs by key terms."""

    def resolve(clause: Clause) -> Clause:
        if isinstance(clause, AnyOf | AllOf):
            return type(clause)(tuple(map(resolve, clause.clauses)))
        if isinstance(clause, Not):
            return Not(resolve(clause.clause))
        if isinstance(clause, Filter) and clause.name == "link":
            return Filter("link", str(resolve_url_id(clause.value, find_url_id)))
        if isinstance(clause, Filter) and clause.name == "related":
            id = resolve_url_id(clause.value, find_url_id)
            return _similar_to(documents.get(id) if id else None, id, index)
        return clause

    return ParsedQuery(tuple(map(resolve, query.clauses)))


def resolve_typed_url(text: str, find_url_id: UrlIdLookup) -> UrlId:
    """The id of the page if the query is just its URL; otherwise 0."""
    typed = text.strip()
    if "/" not in typed or any(map(str.isspace, typed)):
        return UrlId(0)
    try:
        return resolve_url_id(parse_typed_url(typed), find_url_id)
    except UrlError:
        return UrlId(0)


def resolve_url_id(url: str, find_url_id: UrlIdLookup) -> UrlId:
    """The id of the page at this URL, in any of its variants; 0 if it is unknown."""
    return next(filter(None, map(find_url_id, _url_variants(url))), UrlId(0))


def _url_variants(url: str) -> list[Url]:
    """The URL with http and https, with and without www and a trailing slash."""
    scheme, _, rest = url.partition("://")
    schemes = (scheme, "http" if scheme == "https" else "https")
    rests = (rest, rest.removeprefix("www.") if rest.startswith("www.") else f"www.{rest}")
    bases = [f"{scheme}://{rest}" for rest in rests for scheme in schemes]
    spellings = [
        spelling for base in bases for spelling in (base, base.rstrip("/"), base.rstrip("/") + "/")
    ]
    variants = []
    for spelling in dict.fromkeys(spellings):
        try:
            variants.append(normalize(spelling))
        except UrlError:
            continue
    return variants


def _similar_to(document: Document | None, id: UrlId, index: SearchIndex) -> Clause:
    """A clause for pages with the key terms of this page, except the page itself."""
    if document is None:
        return NO_MATCH
    key_terms = _key_terms(document, index)
    words = tuple(TermClause(term, (TermAnalysis((term,)),)) for term in key_terms)
    return AllOf((AnyOf(words), Not(Filter("id", str(id))))) if words else NO_MATCH


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
