"""Where do words stand together that were asked for together? A phrase counts where it is whole.

Where it is whole somewhere, its words alone are no answer: not every the is part of `"the fox"`.
"""

from collections.abc import Iterator, Sequence
from functools import cache

from byway.core.text import spans
from byway.search.present.snippet_terms import Phrase, Wanted
from byway.search.present.term_locator import Found, Place

LONGEST = 100
"""Characters for each word of a phrase, with what stands between it and the next."""

MOST_READ = 100_000
"""Characters that are read to see whether a phrase is whole, each as often as one may begin before
it. Only a page that repeats a long phrase and little else has more: its words then count alone."""

Parts = list[tuple[int, int, int]]
"""Which part of the question stands there, and where it begins and ends."""


def parts_of(text: str, found: Found, wanted: Wanted, language: str) -> Parts:
    """What is found as parts of the question: whole phrases as one, their words not at all."""
    if not wanted.phrases:  # as a rule
        return [(wanted.parts[term], start, end) for term, start, end in found]
    there: Parts = []
    left = found
    for phrase in wanted.phrases:
        whole = list(_whole(text, found, phrase, language))
        if whole:
            there += [(phrase.part, some[0][1], some[-1][2]) for some in whole]
            left = [one for one in left if wanted.parts[one[0]] not in phrase.words]
    there += [(wanted.parts[term], start, end) for term, start, end in left]
    return sorted(there, key=lambda one: one[1:])


def marked_of(text: str, found: Found, wanted: Wanted, language: str) -> Found:
    """What is to be marked of all that is found: of a phrase that is whole somewhere, only that."""
    marked = set(found)
    for phrase in wanted.phrases:
        whole = {one for some in _whole(text, found, phrase, language) for one in some}
        if whole:
            marked -= {one for one in found if wanted.parts[one[0]] in phrase.words} - whole
    return [one for one in found if one in marked]


def _whole(text: str, found: Found, phrase: Phrase, language: str) -> Iterator[Sequence[Place]]:
    """Wherever a phrase stands, its words one after the other with no other between them."""
    left = MOST_READ

    @cache  # since who says a phrase twice mostly writes it the same
    def read(here: str) -> tuple[str, ...]:
        return tuple(term for term, _, _ in spans(here, language))

    for terms in phrase.ways:
        for n, (first, start, _) in enumerate(found):
            if first != terms[0]:
                continue
            some = found[n : n + len(terms)]
            if tuple(term for term, _, _ in some) != terms:
                continue
            here = text[start : min(some[-1][2], start + LONGEST * len(terms))]
            left -= len(here)
            if left < 0:
                return
            if read(here) == terms:
                yield some
