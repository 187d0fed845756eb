"""What else may be asked? Searches near to one, from what its hits and other pages are called."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from byway.core.model import Hit
from byway.core.model.query import Question
from byway.core.text import clean, is_common, plain, terms, unnumbered
from byway.search.present.snippet_terms import wanted_of

MOST = 8
LOOKED_AT = 10
"""Hits whose titles and headings are looked at."""
SHORTEST, LONGEST = 2, 6
"""Words of a search that is worth a look."""
LETTERS = 60
HEADING = 0.5
PHRASE = 0.3
"""What a heading, and a title of some other page, count for beside the title of a first hit."""
BREAK = re.compile(r"\s+[—–|·:-]+\s+|:\s+")


def others(question: Question, hits: Sequence[Hit], phrases: Sequence[str]) -> tuple[str, ...]:
    """Other searches, the likeliest first: each has a word that was asked for, and another one.

    `phrases` begin like the question, and are what pages are called.
    """
    asked = wanted_of(question).telling
    if not asked or not hits:
        return ()
    worth: dict[frozenset[str], float] = {}
    spelt: dict[frozenset[str], str] = {}
    # One name may be read in the languages of several pages.
    known: dict[str, frozenset[str]] = {}
    for phrase, counts, spoken in _said(hits[:LOOKED_AT], phrases):
        if not SHORTEST <= len(phrase.split()) <= LONGEST or len(phrase) > LETTERS:
            continue
        each = frozenset(term for term in terms(phrase, spoken) if not is_common(term, spoken))
        if each & asked and any(len(term) > 2 and not term.isdigit() for term in each - asked):
            each = known.setdefault(plain(phrase), each)
            worth[each] = worth.get(each, 0.0) + counts * len(each & asked) / len(asked)
            spelt.setdefault(each, phrase)
    best = sorted(worth, key=lambda each: -worth[each])
    return tuple(spelt[each] for each in best[:MOST])


def _said(hits: Sequence[Hit], phrases: Sequence[str]) -> Iterator[tuple[str, float, str]]:
    """What the hits and other pages are called, how much each counts, and its language."""
    titles = [_pieces(hit.title) for hit in hits]
    # What several titles end with is the name of the site.
    ends = Counter(clean(pieces[-1]) for pieces in titles if len(pieces) > 1)
    site = {end for end, count in ends.items() if count > 1}
    for place, (hit, pieces) in enumerate(zip(hits, titles, strict=True)):
        counts = 1 / (1 + place)
        yield from ((one, counts, hit.language) for one in pieces if clean(one) not in site)
        for heading in hit.headings:
            said = unnumbered(" ".join(heading.text.split()))
            yield said, HEADING * counts, hit.language
    for phrase in phrases:
        pieces = _pieces(phrase)
        yield from ((one, PHRASE, hits[0].language) for one in pieces if clean(one) not in site)


def _pieces(title: str) -> list[str]:
    return BREAK.split(unnumbered(" ".join(title.split())))
