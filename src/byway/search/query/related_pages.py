"""Which pages are linked to one, or like it? link:URL and related:URL, as parts of a question.

A URL alone asks for its page.
"""

from collections import Counter
from collections.abc import Callable
from math import log

from byway.core.errors import UrlError
from byway.core.model import Document, Url, UrlId
from byway.core.model.query import AllOf, AnyOf, Filter, Not, Part, Question, Reading, Word
from byway.core.ports import DocumentStore, SearchIndex
from byway.core.text import terms
from byway.core.url import guess, normalise
from byway.search.understand.spelling_candidates import says_little

TELLING = 12
"""Terms that stand for a page when others like it are looked for."""
MOST_LANGUAGES = 8
LOOKED_AT = 20_000
"""Characters of a page that they are chosen from."""
TRIED = 100
"""The most frequent terms, of which those that few other pages have are chosen."""
FEW, SOME = 0.2, 5
"""The share of all pages, and so many at least, that may have a term and it still tells."""

NumberOf = Callable[[Url], UrlId | None]


def resolved(
    question: Question,
    index: SearchIndex,
    documents: DocumentStore,
    number_of: NumberOf,
) -> Question:
    """The question with pages that it names by URL replaced by what they mean to the index."""

    def number(url: str) -> UrlId:
        return number_at(url, number_of)

    def resolve(part: Part) -> Part:
        if isinstance(part, AnyOf | AllOf):
            return type(part)(tuple(map(resolve, part.parts)))
        if isinstance(part, Not):
            return Not(resolve(part.part))
        if isinstance(part, Filter) and part.name == "link":
            return Filter("link", str(number(part.value)))
        if isinstance(part, Filter) and part.name == "related":
            id = number(part.value)
            return _like(documents.get(id) if id else None, id, index)
        return part

    return Question(tuple(map(resolve, question.parts)))


def page_at(text: str, number_of: NumberOf) -> UrlId:
    """The page whose URL, and nothing else, was typed; 0 where there is none."""
    typed = text.strip()
    if "/" not in typed or any(map(str.isspace, typed)):
        return UrlId(0)
    try:
        return number_at(guess(typed), number_of)
    except UrlError:
        return UrlId(0)


def number_at(url: str, number_of: NumberOf) -> UrlId:
    """The page at this URL, in whichever of its spellings it is known; 0 where there is none."""
    return next(filter(None, map(number_of, _spellings(url))), UrlId(0))


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
            spelt.append(normalise(one))
        except UrlError:
            continue
    return spelt


def _like(document: Document | None, id: UrlId, index: SearchIndex) -> Part:
    """Most of the words that tell this page from others, and not the page itself."""
    if document is None:
        return Filter("link", "0")
    best = _telling(document, index)
    words = tuple(Word(term, (Reading((term,)),)) for term in best)
    itself = Not(Filter("id", str(id)))
    return AllOf((AnyOf(words), itself)) if words else Filter("link", "0")


def _telling(document: Document, index: SearchIndex) -> list[str]:
    """The terms of a page that it uses more than others do, and shares with some."""
    text = f"{document.title}\n{document.description}\n{document.text[:LOOKED_AT]}"
    counts = Counter(term for term in terms(text, document.language) if len(term) > 2)
    spoken = index.languages()[:MOST_LANGUAGES]  # a page may quote another language than its own
    tried = (term for term, _ in counts.most_common(TRIED) if not says_little(term, spoken))
    pages = max(1, index.count())
    shared = {term: index.frequency((term,)) for term in tried}
    few = {term for term, found in shared.items() if 1 < found <= max(SOME, pages * FEW)}
    worth = {
        term: counts[term] * log(1 + pages / (1 + found))
        for term, found in shared.items()
        if term in few or not few
    }
    return sorted(worth, key=lambda term: (-worth[term], term))[:TELLING]
