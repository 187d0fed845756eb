"""Which pages are linked to one, or like it? link:URL and related:URL, as parts of a question.

A URL alone asks for its page.
"""

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
from byway.search.understand.spelling_candidates import is_stop_word_in_any

MAX_KEY_TERMS = 12
"""Terms that stand for a page when others like it are looked for."""
MAX_STOP_WORD_LANGUAGES = 8
KEY_TERM_SCAN_CHARS = 20_000
"""Characters of a page that they are chosen from."""
MAX_KEY_TERM_CANDIDATES = 100
"""The most frequent terms, of which those that few other pages have are chosen."""
MAX_KEY_TERM_PAGE_SHARE, KEY_TERM_PAGES_FLOOR = 0.2, 5
"""The share of all pages, and so many at least, that may have a term and it still tells."""

UrlIdLookup = Callable[[Url], UrlId | None]


def resolve_url_filters(
    query: ParsedQuery,
    index: SearchIndex,
    documents: DocumentStore,
    find_url_id: UrlIdLookup,
) -> ParsedQuery:
    """The question with pages that it names by URL replaced by what they mean to the index."""

    def number(url: str) -> UrlId:
        return resolve_url_id(url, find_url_id)

    def resolve(part: Clause) -> Clause:
        if isinstance(part, AnyOf | AllOf):
            return type(part)(tuple(map(resolve, part.clauses)))
        if isinstance(part, Not):
            return Not(resolve(part.clause))
        if isinstance(part, Filter) and part.name == "link":
            return Filter("link", str(number(part.value)))
        if isinstance(part, Filter) and part.name == "related":
            id = number(part.value)
            return _like(documents.get(id) if id else None, id, index)
        return part

    return ParsedQuery(tuple(map(resolve, query.clauses)))


def resolve_typed_url(text: str, find_url_id: UrlIdLookup) -> UrlId:
    """The page whose URL, and nothing else, was typed; 0 where there is none."""
    typed = text.strip()
    if "/" not in typed or any(map(str.isspace, typed)):
        return UrlId(0)
    try:
        return resolve_url_id(parse_typed_url(typed), find_url_id)
    except UrlError:
        return UrlId(0)


def resolve_url_id(url: str, find_url_id: UrlIdLookup) -> UrlId:
    """The page at this URL, in whichever of its spellings it is known; 0 where there is none."""
    return next(filter(None, map(find_url_id, _spellings(url))), UrlId(0))


def _spellings(url: str) -> list[Url]:
    """Who types example.org means http, too, with or without www and its last slash."""
    scheme, _, rest = url.partition("://")
    schemes = (scheme, "http" if scheme == "https" else "https")
    rests = (rest, rest.removeprefix("www.") if rest.startswith("www.") else f"www.{rest}")
    each = [f"{one}://{other}" for other in rests for one in schemes]
    spelt = []
    ends = [end for start in each for end in (start, start.rstrip("/"), start.rstrip("/") + "/")]
    for one in dict.fromkeys(ends):
        try:
            spelt.append(normalize(one))
        except UrlError:
            continue
    return spelt


def _like(document: Document | None, id: UrlId, index: SearchIndex) -> Clause:
    """Most of the words that tell this page from others, and not the page itself."""
    if document is None:
        return Filter("link", "0")
    best = _telling(document, index)
    words = tuple(TermClause(term, (TermAnalysis((term,)),)) for term in best)
    itself = Not(Filter("id", str(id)))
    return AllOf((AnyOf(words), itself)) if words else Filter("link", "0")


def _telling(document: Document, index: SearchIndex) -> list[str]:
    """The terms of a page that it uses more than others do, and shares with some."""
    text = f"{document.title}\n{document.description}\n{document.text[:KEY_TERM_SCAN_CHARS]}"
    counts = Counter(term for term in terms(text, document.language) if len(term) > 2)
    spoken = index.languages()[
        :MAX_STOP_WORD_LANGUAGES
    ]  # a page may quote another language than its own
    tried = (
        term
        for term, _ in counts.most_common(MAX_KEY_TERM_CANDIDATES)
        if not is_stop_word_in_any(term, spoken)
    )
    pages = max(1, index.count())
    shared = {term: index.document_frequency((term,)) for term in tried}
    few = {
        term
        for term, found in shared.items()
        if 1 < found <= max(KEY_TERM_PAGES_FLOOR, pages * MAX_KEY_TERM_PAGE_SHARE)
    }
    worth = {
        term: counts[term] * log(1 + pages / (1 + found))
        for term, found in shared.items()
        if term in few or not few
    }
    return sorted(worth, key=lambda term: (-worth[term], term))[:MAX_KEY_TERMS]
