"""Related searches from the titles and headings of the hits and the titles of other pages."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from byway.core.model import Hit
from byway.core.model.query import ParsedQuery
from byway.core.text import fold_text, is_stop_word, normalize_phrase, strip_chapter_number, terms
from byway.search.present.snippet_terms import snippet_terms_of

MAX_RELATED_SEARCHES = 8
MAX_SCANNED_HITS = 10
"""Hits whose titles and headings are used."""
MIN_SEARCH_WORDS, MAX_SEARCH_WORDS = 2, 6
"""Words of a related search."""
MAX_SEARCH_CHARS = 60
HEADING_WEIGHT = 0.5
PHRASE_WEIGHT = 0.3
"""Weights of a heading and of another page's title, relative to the title of the first hit."""
TITLE_SEPARATOR_PATTERN = re.compile(r"\s+[—–|·:-]+\s+|:\s+")


def related_searches(
    query: ParsedQuery, hits: Sequence[Hit], phrases: Sequence[str]
) -> tuple[str, ...]:
    """Related searches, most likely first; each has a word of the query and another word.

    `phrases` are titles of pages that begin like the query.
    """
    query_terms = snippet_terms_of(query).content_terms
    if not query_terms or not hits:
        return ()
    weights: dict[frozenset[str], float] = {}
    texts: dict[frozenset[str], str] = {}
    # One phrase may be analyzed in the languages of several pages.
    terms_by_phrase: dict[str, frozenset[str]] = {}
    for phrase, weight, language in _weighted_phrases(hits[:MAX_SCANNED_HITS], phrases):
        if (
            not MIN_SEARCH_WORDS <= len(phrase.split()) <= MAX_SEARCH_WORDS
            or len(phrase) > MAX_SEARCH_CHARS
        ):
            continue
        phrase_terms = frozenset(
            term for term in terms(phrase, language) if not is_stop_word(term, language)
        )
        shared, new = phrase_terms & query_terms, phrase_terms - query_terms
        if shared and any(len(term) > 2 and not term.isdigit() for term in new):
            phrase_terms = terms_by_phrase.setdefault(normalize_phrase(phrase), phrase_terms)
            added = weight * len(phrase_terms & query_terms) / len(query_terms)
            weights[phrase_terms] = weights.get(phrase_terms, 0.0) + added
            texts.setdefault(phrase_terms, phrase)
    best = sorted(weights, key=lambda one: -weights[one])
    return tuple(texts[one] for one in best[:MAX_RELATED_SEARCHES])


def _weighted_phrases(
    hits: Sequence[Hit], phrases: Sequence[str]
) -> Iterator[tuple[str, float, str]]:
    """Titles and headings of the hits and titles of other pages, with weight and language."""
    titles = [_title_parts(hit.title) for hit in hits]
    # A suffix that several titles share is the name of the site.
    endings = Counter(fold_text(parts[-1]) for parts in titles if len(parts) > 1)
    site_names = {ending for ending, count in endings.items() if count > 1}
    for place, (hit, parts) in enumerate(zip(hits, titles, strict=True)):
        weight = 1 / (1 + place)
        for part in parts:
            if fold_text(part) not in site_names:
                yield part, weight, hit.language
        for heading in hit.headings:
            text = strip_chapter_number(" ".join(heading.text.split()))
            yield text, HEADING_WEIGHT * weight, hit.language
    for phrase in phrases:
        for part in _title_parts(phrase):
            if fold_text(part) not in site_names:
                yield part, PHRASE_WEIGHT, hits[0].language


def _title_parts(title: str) -> list[str]:
    return TITLE_SEPARATOR_PATTERN.split(strip_chapter_number(" ".join(title.split())))
