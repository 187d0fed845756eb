"""In which languages may words be meant? In those that the pages which have them are in."""

from collections.abc import Sequence
from functools import reduce
from operator import or_

from byway.core.model.query import ANY, Question, Reading, Word, required
from byway.core.ports import SearchIndex
from byway.core.text import BITS


def occurring(word: Word, pages: Sequence[int], index: SearchIndex) -> Word:
    """The word with those readings alone that pages have in a language that calls it so.

    `traitement` is `trait` in French: where nobody speaks that, no page with a trait is meant.
    `pages` are how many have each reading in any language.
    """
    both = zip(word.readings, pages, strict=True)
    # Of numbers, not all may be in the index.
    each = [one for one, found in both if found or not all(map(str.isalpha, one.terms))]
    found = [
        Reading(one.terms, one.weight, bits)
        for one in each
        if (bits := one.languages & index.spoken(one.terms))
    ]
    return word.read_as(tuple(found or each or word.readings))


def shared(question: Question, index: SearchIndex) -> Question:
    """The question, its words that must all be there read only as some page may have all of them.

    Most often that leaves one reading of each, and one language.
    """
    words = [word for word in required(question.parts) if not word.prefix]
    if len(words) < 2 or all(len(word.readings) == 1 for word in words):
        return question
    languages = _of_all(words, index)
    if not languages:
        return question
    narrowed = {id(word): _narrowed(word, languages) for word in words}
    return Question(tuple(narrowed.get(id(part), part) for part in question.parts))


def _of_all(words: Sequence[Word], index: SearchIndex) -> int:
    """The bits of the languages in which a page may have all of these."""
    languages = ANY
    for word in words:
        languages &= reduce(or_, (one.languages for one in word.readings), 0)
    for bit in BITS.values():
        if languages & bit and not _together(words, bit, index):
            languages ^= bit
    return languages


def _together(words: Sequence[Word], language: int, index: SearchIndex) -> int:
    """The bits of the groups of pages in this language of which one may have all of these."""
    pages = ANY
    for word in words:
        each = (one.terms for one in word.readings if one.languages & language)
        pages &= reduce(or_, (index.pages_in(language, terms) for terms in each), 0)
        if not pages:
            break
    return pages


def _narrowed(word: Word, languages: int) -> Word:
    found = [
        Reading(one.terms, one.weight, bits)
        for one in word.readings
        if (bits := one.languages & languages)
    ]
    return word.read_as(tuple(found))
