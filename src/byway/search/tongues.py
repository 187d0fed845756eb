"""In which languages may words be meant? In those that the pages which have them are in."""

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from operator import or_

from byway.ports import SearchIndex
from byway.question import ANY, Question, Reading, Word, required


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
    return replace(word, readings=tuple(found or each or word.readings))


def shared(question: Question) -> Question:
    """The question, its words that must all be there without readings in languages that lack one.

    Most often that leaves one reading of each, and one language.
    """
    words = [word for word in required(question.parts) if not word.prefix]
    if len(words) < 2 or all(len(word.readings) == 1 for word in words):
        return question
    languages = ANY
    for word in words:
        languages &= reduce(or_, (one.languages for one in word.readings), 0)
    if not languages:
        return question
    narrowed = {id(word): word.among(languages) for word in words}
    return Question(tuple(narrowed.get(id(part), part) for part in question.parts))
