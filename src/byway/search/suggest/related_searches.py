"""What else may be asked? Searches near to one, from what its hits and other pages are called."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from byway.core.model import Hit
from byway.core.model.query import ParsedQuery
from byway.core.text import fold_text, is_stop_word, normalize_phrase, strip_chapter_number, terms
from byway.search.present.snippet_terms import snippet_terms_of

MAX_RELATED_SEARCHES = 8
MAX_SCANNED_HITS = 10
"""Hits whose titles and headings are looked at."""
MIN_SEARCH_WORDS, MAX_SEARCH_WORDS = 2, 6
"""Words of a search that is worth a look."""
MAX_SEARCH_CHARS = 60
HEADING_WEIGHT = 0.5
PHRASE_WEIGHT = 0.3
"""What a heading, and a title of some other page, count for beside the title of a first hit."""
TITLE_SEPARATOR_PATTERN = re.compile(r"\s+[—–|·:-]+\s+|:\s+")


def related_searches(
    query: ParsedQuery, hits: Sequence[Hit], phrases: Sequence[str]
) -> tuple[str, ...]:
    """Other searches, the likeliest first: each has a word that was asked for, and another one.

    `phrases` begin like the question, and are what pages are called.
    """
    asked = snippet_terms_of(query).content_terms
    if not asked or not hits:
        return ()
    worth: dict[frozenset[str], float] = {}
    spelt: dict[frozenset[str], str] = {}
    # One name may be read in the languages of several pages.
    known: dict[str, frozenset[str]] = {}
    for phrase, counts, spoken in _said(hits[:MAX_SCANNED_HITS], phrases):
        if (
            not MIN_SEARCH_WORDS <= len(phrase.split()) <= MAX_SEARCH_WORDS
            or len(phrase) > MAX_SEARCH_CHARS
        ):
            continue
        each = frozenset(term for term in terms(phrase, spoken) if not is_stop_word(term, spoken))
        if each & asked and any(len(term) > 2 and not term.isdigit() for term in each - asked):
            each = known.setdefault(normalize_phrase(phrase), each)
            worth[each] = worth.get(each, 0.0) + counts * len(each & asked) / len(asked)
            spelt.setdefault(each, phrase)
    best = sorted(worth, key=lambda each: -worth[each])
    return tuple(spelt[each] for each in best[:MAX_RELATED_SEARCHES])


def _said(hits: Sequence[Hit], phrases: Sequence[str]) -> Iterator[tuple[str, float, str]]:
    """What the hits and other pages are called, how much each counts, and its language."""
    titles = [_pieces(hit.title) for hit in hits]
    # What several titles end with is the name of the site.
    ends = Counter(fold_text(pieces[-1]) for pieces in titles if len(pieces) > 1)
    site = {end for end, count in ends.items() if count > 1}
    for place, (hit, pieces) in enumerate(zip(hits, titles, strict=True)):
        counts = 1 / (1 + place)
        yield from ((one, counts, hit.language) for one in pieces if fold_text(one) not in site)
        for heading in hit.headings:
            said = strip_chapter_number(" ".join(heading.text.split()))
            yield said, HEADING_WEIGHT * counts, hit.language
    for phrase in phrases:
        pieces = _pieces(phrase)
        yield from (
            (one, PHRASE_WEIGHT, hits[0].language) for one in pieces if fold_text(one) not in site
        )


def _pieces(title: str) -> list[str]:
    return TITLE_SEPARATOR_PATTERN.split(strip_chapter_number(" ".join(title.split())))
